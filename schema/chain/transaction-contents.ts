import type { ContentOf, KnownType } from "../../catapult/body/transaction.js";

/** How a member of a REST body is converted and shown: see `transaction-content.ts`. */
export type FieldKind =
  | "address"
  | "artifactId"
  | "hash"
  | "hex"
  | "key"
  | "uint64"
  | "int"
  | "safeInt"
  | "text"
  | "addresses"
  | "artifactIds"
  | "ints";

/** Kind, description, and whether it is optional. */
type FieldRule = readonly [kind: FieldKind, description: string, isOptional?: "optional"];

/** How the contents of some types are shown. */
export interface ContentRule {
  /** Of the GraphQL type. */
  readonly name: string;
  /** Transaction types with this content. */
  readonly types: readonly number[];
  readonly description: string;
  /** By the name in the REST body. */
  readonly fields: Readonly<Record<string, FieldRule>>;
}

const LINK = ["int", "0 unlink, 1 link."] as const;
const DELTA = ["int", "Number of bytes by which the value grows; negative if it shrinks."] as const;
/** Null if there is none; nullable everywhere, so that contents can be selected together. */
const DURATION = ["uint64", "Duration in blocks; 0 = unlimited.", "optional"] as const;
const AMOUNT = ["uint64", "Amount in atomic units."] as const;

const METADATA = {
  targetAddress: ["address", "Address of the account, or of the owner of the mosaic or namespace."],
  scopedMetadataKey: ["artifactId", "Key of the metadata entry."],
  valueSizeDelta: DELTA,
  valueSize: ["int", "Size of the value in bytes."],
  value: ["hex", "Bytes of the value; for a changed entry, the XOR of the old and the new value."],
} as const satisfies ContentRule["fields"];

const restriction = (kind: FieldKind) =>
  ({
    restrictionFlags: ["int", "Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked."],
    restrictionAdditions: [kind, "Values added to the list."],
    restrictionDeletions: [kind, "Values removed from the list."],
  }) as const satisfies ContentRule["fields"];

/** The content of a transaction of an unknown type or version. */
export const UNKNOWN_CONTENT: ContentRule = {
  name: "UnknownContent",
  types: [],
  description: "Content of a transaction whose type or version this program does not know.",
  fields: { bin: ["hex", "Bytes after the header."] },
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
    readonly fields: Readonly<Record<FieldOf<Type>, FieldRule>>;
  };
}[KnownType];

const contents = [
  {
    name: "TransferContent",
    types: [0x4154],
    description: "Mosaics and a message for a recipient. The mosaics are in the transaction's mosaics.",
    fields: {
      recipientAddress: ["address", "Address of the recipient, as in the transaction."],
      message: ["hex", "Bytes of the message; null if it is empty.", "optional"],
    },
  },
  {
    name: "KeyLinkContent",
    types: [0x414c, 0x424c, 0x4243],
    description: "Links a remote account, a node or a VRF key to an account.",
    fields: { linkedPublicKey: ["key", "Linked public key."], linkAction: LINK },
  },
  {
    name: "VotingKeyLinkContent",
    types: [0x4143],
    description: "Links a voting key for finalization.",
    fields: {
      linkedPublicKey: ["key", "Linked voting key."],
      startEpoch: ["safeInt", "First epoch of the voting key."],
      endEpoch: ["safeInt", "Last epoch of the voting key."],
      linkAction: LINK,
    },
  },
  {
    name: "AggregateContent",
    types: [0x4141, 0x4241],
    description: "Contains other transactions: see embedded and cosignatures.",
    fields: { transactionsHash: ["hash", "Root of the tree of the embedded transactions."] },
  },
  {
    name: "HashLockContent",
    types: [0x4148],
    description: "A deposit for a bonded aggregate.",
    fields: {
      duration: DURATION,
      mosaicId: ["artifactId", "Id of the locked mosaic."],
      amount: AMOUNT,
      hash: ["hash", "Hash of the aggregate."],
    },
  },
  {
    name: "SecretLockContent",
    types: [0x4152],
    description: "Locks an amount until a secret is proven.",
    fields: {
      duration: DURATION,
      mosaicId: ["artifactId", "Id of the locked mosaic."],
      amount: AMOUNT,
      hashAlgorithm: ["int", "Hash algorithm: 0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice."],
      secret: ["hex", "Secret, 32 bytes; shorter ones are padded with zeros."],
      recipientAddress: ["address", "Address of the account that receives the amount for the proof."],
    },
  },
  {
    name: "SecretProofContent",
    types: [0x4252],
    description: "Proves a secret.",
    fields: {
      hashAlgorithm: ["int", "Hash algorithm: 0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice."],
      secret: ["hex", "Secret, 32 bytes; shorter ones are padded with zeros."],
      recipientAddress: ["address", "Address of the account that receives the locked amount."],
      proof: ["hex", "Proof: the preimage of the secret."],
    },
  },
  { name: "AccountMetadataContent", types: [0x4144], description: "Sets metadata of an account.", fields: METADATA },
  {
    name: "MosaicMetadataContent",
    types: [0x4244],
    description: "Sets metadata of a mosaic.",
    fields: { ...METADATA, targetMosaicId: ["artifactId", "Id of the mosaic."] },
  },
  {
    name: "NamespaceMetadataContent",
    types: [0x4344],
    description: "Sets metadata of a namespace.",
    fields: { ...METADATA, targetNamespaceId: ["artifactId", "Id of the namespace."] },
  },
  {
    name: "MosaicDefinitionContent",
    types: [0x414d],
    description: "Defines a mosaic.",
    fields: {
      nonce: ["safeInt", "Nonce that, together with the owner, determines the id."],
      id: ["artifactId", "Id of the mosaic."],
      flags: ["int", "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable."],
      divisibility: ["int", "Number of decimal places."],
      duration: DURATION,
    },
  },
  {
    name: "MosaicSupplyChangeContent",
    types: [0x424d],
    description: "Changes the supply of a mosaic.",
    fields: {
      mosaicId: ["artifactId", "Id of the mosaic."],
      action: ["int", "0 decrease, 1 increase."],
      delta: AMOUNT,
    },
  },
  {
    name: "MosaicSupplyRevocationContent",
    types: [0x434d],
    description: "Revokes an amount of a revokable mosaic.",
    fields: {
      sourceAddress: ["address", "Address of the account whose amount is revoked."],
      mosaicId: ["artifactId", "Id of the mosaic."],
      amount: AMOUNT,
    },
  },
  {
    name: "MultisigAccountModificationContent",
    types: [0x4155],
    description: "Changes the cosignatories of an account, and the number of required cosignatures.",
    fields: {
      minRemovalDelta: ["int", "Change of minRemoval."],
      minApprovalDelta: ["int", "Change of minApproval."],
      addressAdditions: ["addresses", "Added cosignatories."],
      addressDeletions: ["addresses", "Removed cosignatories."],
    },
  },
  {
    name: "AddressAliasContent",
    types: [0x424e],
    description: "Links a namespace to an address.",
    fields: {
      namespaceId: ["artifactId", "Id of the namespace."],
      aliasAction: LINK,
      address: ["address", "Address that the namespace points to."],
    },
  },
  {
    name: "MosaicAliasContent",
    types: [0x434e],
    description: "Links a namespace to a mosaic.",
    fields: {
      namespaceId: ["artifactId", "Id of the namespace."],
      aliasAction: LINK,
      mosaicId: ["artifactId", "Id of the mosaic that the namespace points to."],
    },
  },
  {
    name: "NamespaceRegistrationContent",
    types: [0x414e],
    description: "Registers a namespace, or extends a root namespace.",
    fields: {
      registrationType: ["int", "0 root, 1 child."],
      duration: DURATION,
      parentId: ["artifactId", "Id of the parent, for a child namespace.", "optional"],
      id: ["artifactId", "Id of the namespace."],
      name: ["text", "Name without its parents."],
    },
  },
  {
    name: "AccountAddressRestrictionContent",
    types: [0x4150],
    description: "Changes which accounts an account may interact with.",
    fields: restriction("addresses"),
  },
  {
    name: "AccountMosaicRestrictionContent",
    types: [0x4250],
    description: "Changes which mosaics an account accepts.",
    fields: restriction("artifactIds"),
  },
  {
    name: "AccountOperationRestrictionContent",
    types: [0x4350],
    description: "Changes which types of transactions an account may send.",
    fields: restriction("ints"),
  },
  {
    name: "MosaicAddressRestrictionContent",
    types: [0x4251],
    description: "Changes an account's value, which a mosaic's rules are checked against.",
    fields: {
      mosaicId: ["artifactId", "Id of the mosaic."],
      restrictionKey: ["artifactId", "Key of the restriction."],
      targetAddress: ["address", "Address of the account with the value."],
      previousRestrictionValue: ["uint64", "Previous value; 2^64 - 1 for none."],
      newRestrictionValue: ["uint64", "New value; 2^64 - 1 for none."],
    },
  },
  {
    name: "MosaicGlobalRestrictionContent",
    types: [0x4151],
    description: "Changes a rule of a mosaic.",
    fields: {
      mosaicId: ["artifactId", "Id of the mosaic."],
      referenceMosaicId: ["artifactId", "Id of the mosaic whose values count; 0 for the mosaic itself."],
      restrictionKey: ["artifactId", "Key of the restriction."],
      previousRestrictionValue: ["uint64", "Previous value that accounts' values were compared with."],
      previousRestrictionType: ["int", "0 none, 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE."],
      newRestrictionValue: ["uint64", "New value that accounts' values are compared with."],
      newRestrictionType: ["int", "0 none, 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE."],
    },
  },
] as const satisfies readonly CompleteRule[];

type MissingType = Exclude<KnownType, (typeof contents)[number]["types"][number]>;

/** The specific fields of each transaction type, named as in the REST bodies. A missing type is a compile error. */
export const TRANSACTION_CONTENTS: [MissingType] extends [never] ? readonly ContentRule[] : MissingType = contents;
