import { MEANINGS } from "../../catapult/body/meanings.js";
import type { ContentOf, KnownType } from "../../catapult/body/transaction.js";
import type { FieldType, Row } from "../graph/members.js";

/** How the contents of some types are shown. */
export interface ContentRule {
  /** Of the GraphQL type. */
  readonly name: string;
  /** Transaction types with this content. */
  readonly types: readonly number[];
  readonly description: string;
  /** By the name in the REST body. */
  readonly fields: Readonly<Record<string, readonly [type: FieldType, description: string]>>;
}

const LINK = ["Int", MEANINGS.linkAction] as const;
const ALIAS = ["Int", MEANINGS.aliasAction] as const;
const DELTA = ["Int", "Number of bytes by which the value grows; negative if it shrinks."] as const;
/** Null if there is none; nullable everywhere, so that contents can be selected together. */
const DURATION = ["UInt64?", MEANINGS.duration] as const;
const AMOUNT = ["UInt64", MEANINGS.amount] as const;

const METADATA = {
  targetAddress: ["Address", "Address of the account, or of the owner of the mosaic or namespace."],
  scopedMetadataKey: ["ArtifactId", MEANINGS.scopedMetadataKey],
  valueSizeDelta: DELTA,
  valueSize: ["Int", "Size of the value in bytes."],
  value: ["Hex", "Bytes of the value; for a changed entry, the XOR of the old and the new value."],
} as const satisfies ContentRule["fields"];

const restriction = <Type extends FieldType>(type: Type) =>
  ({
    restrictionFlags: ["Int", MEANINGS.restrictionFlags],
    restrictionAdditions: [type, MEANINGS.restrictionAdditions],
    restrictionDeletions: [type, MEANINGS.restrictionDeletions],
  }) as const;

/** The content of a transaction of an unknown type or version. */
export const UNKNOWN_CONTENT: ContentRule = {
  name: "UnknownContent",
  types: [],
  description: "Content of a transaction whose type or version this program does not know.",
  fields: { bin: ["Hex", "Bytes after the header."] },
};

/** The fields of a type's REST body that are its content: cosignatures and mosaics are fields of the transaction. */
type FieldOf<Type extends KnownType> = Exclude<keyof ContentOf<Type>, "cosignatures" | "mosaics">;
/** The types with the same fields. */
type LikeOf<Type extends KnownType> = {
  [Other in KnownType]: [FieldOf<Type>] extends [FieldOf<Other>]
    ? [FieldOf<Other>] extends [FieldOf<Type>]
      ? Other
      : never
    : never;
}[KnownType];
/** A rule that has every field of the REST bodies of its types. */
type CompleteRule = {
  [Type in KnownType]: ContentRule & {
    readonly types: readonly LikeOf<Type>[];
    readonly fields: { readonly [Name in FieldOf<Type>]: Row<ContentOf<Type>, Name> };
  };
}[KnownType];

const contents = [
  {
    name: "TransferContent",
    types: [0x4154],
    description: "Mosaics and a message for a recipient. The mosaics are in the transaction's mosaics.",
    fields: {
      recipientAddress: ["Address", "Address of the recipient, as in the transaction."],
      message: ["Hex?", "Bytes of the message; null if it is empty."],
    },
  },
  {
    name: "KeyLinkContent",
    types: [0x414c, 0x424c, 0x4243],
    description: "Links a remote account, a node or a VRF key to an account.",
    fields: { linkedPublicKey: ["PublicKey", MEANINGS.linkedPublicKey], linkAction: LINK },
  },
  {
    name: "VotingKeyLinkContent",
    types: [0x4143],
    description: "Links a voting key for finalization.",
    fields: {
      linkedPublicKey: ["PublicKey", MEANINGS.linkedPublicKey],
      startEpoch: ["SafeInt", "First epoch of the voting key."],
      endEpoch: ["SafeInt", "Last epoch of the voting key."],
      linkAction: LINK,
    },
  },
  {
    name: "AggregateContent",
    types: [0x4141, 0x4241],
    description: "Contains other transactions: see embedded and cosignatures.",
    fields: { transactionsHash: ["Hash256", "Root of the tree of the embedded transactions."] },
  },
  {
    name: "HashLockContent",
    types: [0x4148],
    description: "A deposit for a bonded aggregate.",
    fields: {
      duration: DURATION,
      mosaicId: ["ArtifactId", "Id of the locked mosaic."],
      amount: AMOUNT,
      hash: ["Hash256", "Hash of the aggregate."],
    },
  },
  {
    name: "SecretLockContent",
    types: [0x4152],
    description: "Locks an amount until a secret is proven.",
    fields: {
      duration: DURATION,
      mosaicId: ["ArtifactId", "Id of the locked mosaic."],
      amount: AMOUNT,
      hashAlgorithm: ["Int", MEANINGS.hashAlgorithm],
      secret: ["Hex", "Secret, 32 bytes; shorter ones are padded with zeros."],
      recipientAddress: ["Address", "Address of the account that receives the amount for the proof."],
    },
  },
  {
    name: "SecretProofContent",
    types: [0x4252],
    description: "Proves a secret.",
    fields: {
      hashAlgorithm: ["Int", MEANINGS.hashAlgorithm],
      secret: ["Hex", "Secret, 32 bytes; shorter ones are padded with zeros."],
      recipientAddress: ["Address", "Address of the account that receives the locked amount."],
      proof: ["Hex", "Proof: the preimage of the secret."],
    },
  },
  { name: "AccountMetadataContent", types: [0x4144], description: "Sets metadata of an account.", fields: METADATA },
  {
    name: "MosaicMetadataContent",
    types: [0x4244],
    description: "Sets metadata of a mosaic.",
    fields: { ...METADATA, targetMosaicId: ["ArtifactId", MEANINGS.targetMosaicId] },
  },
  {
    name: "NamespaceMetadataContent",
    types: [0x4344],
    description: "Sets metadata of a namespace.",
    fields: { ...METADATA, targetNamespaceId: ["ArtifactId", MEANINGS.targetNamespaceId] },
  },
  {
    name: "MosaicDefinitionContent",
    types: [0x414d],
    description: "Defines a mosaic.",
    fields: {
      nonce: ["SafeInt", "Nonce that, together with the owner, determines the id."],
      id: ["ArtifactId", "Id of the mosaic."],
      flags: ["Int", MEANINGS.flags],
      divisibility: ["Int", MEANINGS.divisibility],
      duration: DURATION,
    },
  },
  {
    name: "MosaicSupplyChangeContent",
    types: [0x424d],
    description: "Changes the supply of a mosaic.",
    fields: {
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      action: ["Int", MEANINGS.action],
      delta: ["UInt64", MEANINGS.delta],
    },
  },
  {
    name: "MosaicSupplyRevocationContent",
    types: [0x434d],
    description: "Revokes an amount of a revokable mosaic.",
    fields: {
      sourceAddress: ["Address", "Address of the account whose amount is revoked."],
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      amount: AMOUNT,
    },
  },
  {
    name: "MultisigAccountModificationContent",
    types: [0x4155],
    description: "Changes the cosignatories of an account, and the number of required cosignatures.",
    fields: {
      minRemovalDelta: ["Int", "Change of minRemoval."],
      minApprovalDelta: ["Int", "Change of minApproval."],
      addressAdditions: [["Address"], "Added cosignatories."],
      addressDeletions: [["Address"], "Removed cosignatories."],
    },
  },
  {
    name: "AddressAliasContent",
    types: [0x424e],
    description: "Links a namespace to an address.",
    fields: {
      namespaceId: ["ArtifactId", "Id of the namespace."],
      aliasAction: ALIAS,
      address: ["Address", "Address that the namespace points to."],
    },
  },
  {
    name: "MosaicAliasContent",
    types: [0x434e],
    description: "Links a namespace to a mosaic.",
    fields: {
      namespaceId: ["ArtifactId", "Id of the namespace."],
      aliasAction: ALIAS,
      mosaicId: ["ArtifactId", "Id of the mosaic that the namespace points to."],
    },
  },
  {
    name: "NamespaceRegistrationContent",
    types: [0x414e],
    description: "Registers a namespace, or extends a root namespace.",
    fields: {
      registrationType: ["Int", MEANINGS.registrationType],
      duration: DURATION,
      parentId: ["ArtifactId?", "Id of the parent, for a child namespace."],
      id: ["ArtifactId", "Id of the namespace."],
      name: ["String", "Name without its parents."],
    },
  },
  {
    name: "AccountAddressRestrictionContent",
    types: [0x4150],
    description: "Changes which accounts an account may interact with.",
    fields: restriction<readonly ["Address"]>(["Address"]),
  },
  {
    name: "AccountMosaicRestrictionContent",
    types: [0x4250],
    description: "Changes which mosaics an account accepts.",
    fields: restriction<readonly ["ArtifactId"]>(["ArtifactId"]),
  },
  {
    name: "AccountOperationRestrictionContent",
    types: [0x4350],
    description: "Changes which types of transactions an account may send.",
    fields: restriction<readonly ["Int"]>(["Int"]),
  },
  {
    name: "MosaicAddressRestrictionContent",
    types: [0x4251],
    description: "Changes an account's value, which a mosaic's rules are checked against.",
    fields: {
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      restrictionKey: ["ArtifactId", MEANINGS.restrictionKey],
      targetAddress: ["Address", "Address of the account with the value."],
      previousRestrictionValue: ["UInt64", "Previous value; 2^64 - 1 for none."],
      newRestrictionValue: ["UInt64", "New value; 2^64 - 1 for none."],
    },
  },
  {
    name: "MosaicGlobalRestrictionContent",
    types: [0x4151],
    description: "Changes a rule of a mosaic.",
    fields: {
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      referenceMosaicId: ["ArtifactId", "Id of the mosaic whose values count; 0 for the mosaic itself."],
      restrictionKey: ["ArtifactId", MEANINGS.restrictionKey],
      previousRestrictionValue: ["UInt64", "Previous value that accounts' values were compared with."],
      previousRestrictionType: ["Int", MEANINGS.previousRestrictionType],
      newRestrictionValue: ["UInt64", "New value that accounts' values are compared with."],
      newRestrictionType: ["Int", MEANINGS.newRestrictionType],
    },
  },
] as const satisfies readonly CompleteRule[];

type MissingType = Exclude<KnownType, (typeof contents)[number]["types"][number]>;

/** The specific fields of each transaction type, named as in the REST bodies. A missing type is a compile error. */
export const TRANSACTION_CONTENTS: [MissingType] extends [never] ? readonly ContentRule[] : MissingType = contents;
