import type { ContentOf, KnownType } from "../../catapult/body/transaction.js";

/** How a member of a REST body is read and shown: see `transaction-content.ts`. */
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

/** Kind, description, and whether it may be left out. */
type FieldRule = readonly [kind: FieldKind, description: string, isOptional?: "optional"];

/** How the contents of some types are shown. */
export interface ContentRule {
  /** Of the GraphQL type. */
  readonly name: string;
  /** Transaction types that have it. */
  readonly types: readonly number[];
  readonly description: string;
  /** By the name in the REST body. */
  readonly fields: Readonly<Record<string, FieldRule>>;
}

const LINK = ["int", "0 unlink, 1 link."] as const;
const DELTA = ["int", "Bytes that the value grows by; below 0 that it shrinks by."] as const;
/** Null for what has none; everywhere, so that contents can be asked for together. */
const DURATION = ["uint64", "Blocks; 0 for ever.", "optional"] as const;
const AMOUNT = ["uint64", "Atomic units."] as const;

const METADATA = {
  targetAddress: ["address", "The account, or the owner of the mosaic or namespace."],
  scopedMetadataKey: ["artifactId", "Under which it is attached."],
  valueSizeDelta: DELTA,
  valueSize: ["int", "Bytes of value."],
  value: ["hex", "The bytes; of an entry that is changed, what they are combined with by XOR."],
} as const satisfies ContentRule["fields"];

const restriction = (kind: FieldKind) =>
  ({
    restrictionFlags: ["int", "Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked."],
    restrictionAdditions: [kind, "What is put on the list."],
    restrictionDeletions: [kind, "What is taken from the list."],
  }) as const satisfies ContentRule["fields"];

/** What there is of a transaction of an unknown type or version. */
export const UNKNOWN_CONTENT: ContentRule = {
  name: "UnknownContent",
  types: [],
  description: "Of a transaction of a type or version that this program does not know.",
  fields: { bin: ["hex", "The bytes behind its header."] },
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
    description: "Mosaics and a message for somebody. What it carries is in the transaction's mosaics.",
    fields: {
      recipientAddress: ["address", "For whom."],
      message: ["hex", "The bytes; null where it is empty.", "optional"],
    },
  },
  {
    name: "KeyLinkContent",
    types: [0x414c, 0x424c, 0x4243],
    description: "Links a remote account, a node or a key for VRF to an account.",
    fields: { linkedPublicKey: ["key", "What is linked."], linkAction: LINK },
  },
  {
    name: "VotingKeyLinkContent",
    types: [0x4143],
    description: "Links a key for finalization.",
    fields: {
      linkedPublicKey: ["key", "What is linked."],
      startEpoch: ["safeInt", "The first epoch that it votes in."],
      endEpoch: ["safeInt", "The last epoch that it votes in."],
      linkAction: LINK,
    },
  },
  {
    name: "AggregateContent",
    types: [0x4141, 0x4241],
    description: "Holds other transactions: see embedded and cosignatures.",
    fields: { transactionsHash: ["hash", "Root of the tree of the transactions inside."] },
  },
  {
    name: "HashLockContent",
    types: [0x4148],
    description: "A deposit for a bonded aggregate.",
    fields: {
      duration: DURATION,
      mosaicId: ["artifactId", "Of what is held back."],
      amount: AMOUNT,
      hash: ["hash", "Of the aggregate."],
    },
  },
  {
    name: "SecretLockContent",
    types: [0x4152],
    description: "Holds an amount back until a secret is proved.",
    fields: {
      duration: DURATION,
      mosaicId: ["artifactId", "Of what is held back."],
      amount: AMOUNT,
      hashAlgorithm: ["int", "0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice."],
      secret: ["hex", "32 bytes; shorter ones end in zeros."],
      recipientAddress: ["address", "Who gets it for the proof."],
    },
  },
  {
    name: "SecretProofContent",
    types: [0x4252],
    description: "Proves a secret.",
    fields: {
      hashAlgorithm: ["int", "0 sha3-256, 1 ripemd-160 of sha-256, 2 sha-256 twice."],
      secret: ["hex", "32 bytes; shorter ones end in zeros."],
      recipientAddress: ["address", "Who gets what is held back."],
      proof: ["hex", "What the secret is the hash of."],
    },
  },
  { name: "AccountMetadataContent", types: [0x4144], description: "Attaches a value to an account.", fields: METADATA },
  {
    name: "MosaicMetadataContent",
    types: [0x4244],
    description: "Attaches a value to a mosaic.",
    fields: { ...METADATA, targetMosaicId: ["artifactId", "The mosaic."] },
  },
  {
    name: "NamespaceMetadataContent",
    types: [0x4344],
    description: "Attaches a value to a namespace.",
    fields: { ...METADATA, targetNamespaceId: ["artifactId", "The namespace."] },
  },
  {
    name: "MosaicDefinitionContent",
    types: [0x414d],
    description: "Defines a mosaic.",
    fields: {
      nonce: ["safeInt", "Of which the id is made, together with the owner."],
      id: ["artifactId", "Of the mosaic."],
      flags: ["int", "Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable."],
      divisibility: ["int", "Decimal places."],
      duration: DURATION,
    },
  },
  {
    name: "MosaicSupplyChangeContent",
    types: [0x424d],
    description: "Changes how much there is of a mosaic.",
    fields: { mosaicId: ["artifactId", "Of the mosaic."], action: ["int", "0 decrease, 1 increase."], delta: AMOUNT },
  },
  {
    name: "MosaicSupplyRevocationContent",
    types: [0x434d],
    description: "Takes a revokable mosaic back.",
    fields: {
      sourceAddress: ["address", "From whom."],
      mosaicId: ["artifactId", "Of the mosaic."],
      amount: AMOUNT,
    },
  },
  {
    name: "MultisigAccountModificationContent",
    types: [0x4155],
    description: "Changes who signs for an account, and how many must.",
    fields: {
      minRemovalDelta: ["int", "What is added to minRemoval."],
      minApprovalDelta: ["int", "What is added to minApproval."],
      addressAdditions: ["addresses", "Who signs for it from now on."],
      addressDeletions: ["addresses", "Who signs no longer for it."],
    },
  },
  {
    name: "AddressAliasContent",
    types: [0x424e],
    description: "Lets a namespace stand for an address.",
    fields: {
      namespaceId: ["artifactId", "Of the namespace."],
      aliasAction: LINK,
      address: ["address", "For which it stands."],
    },
  },
  {
    name: "MosaicAliasContent",
    types: [0x434e],
    description: "Lets a namespace stand for a mosaic.",
    fields: {
      namespaceId: ["artifactId", "Of the namespace."],
      aliasAction: LINK,
      mosaicId: ["artifactId", "For which it stands."],
    },
  },
  {
    name: "NamespaceRegistrationContent",
    types: [0x414e],
    description: "Registers a namespace, or makes a root last longer.",
    fields: {
      registrationType: ["int", "0 root, 1 child."],
      duration: DURATION,
      parentId: ["artifactId", "Of a child: the namespace above it.", "optional"],
      id: ["artifactId", "Of the namespace."],
      name: ["text", "Without those above it."],
    },
  },
  {
    name: "AccountAddressRestrictionContent",
    types: [0x4150],
    description: "Changes whom an account deals with.",
    fields: restriction("addresses"),
  },
  {
    name: "AccountMosaicRestrictionContent",
    types: [0x4250],
    description: "Changes which mosaics an account takes.",
    fields: restriction("artifactIds"),
  },
  {
    name: "AccountOperationRestrictionContent",
    types: [0x4350],
    description: "Changes which types of transactions an account sends.",
    fields: restriction("ints"),
  },
  {
    name: "MosaicAddressRestrictionContent",
    types: [0x4251],
    description: "Changes an account's value, against which a mosaic's rules are held.",
    fields: {
      mosaicId: ["artifactId", "Of the mosaic."],
      restrictionKey: ["artifactId", "Names what is restricted."],
      targetAddress: ["address", "Whose value it is."],
      previousRestrictionValue: ["uint64", "2^64 - 1 for none."],
      newRestrictionValue: ["uint64", "2^64 - 1 for none."],
    },
  },
  {
    name: "MosaicGlobalRestrictionContent",
    types: [0x4151],
    description: "Changes a rule of a mosaic.",
    fields: {
      mosaicId: ["artifactId", "Of the mosaic."],
      referenceMosaicId: ["artifactId", "Whose values count; 0 for those of the mosaic itself."],
      restrictionKey: ["artifactId", "Names what is restricted."],
      previousRestrictionValue: ["uint64", "What values were compared with."],
      previousRestrictionType: ["int", "0 none, 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE."],
      newRestrictionValue: ["uint64", "What values are compared with."],
      newRestrictionType: ["int", "0 none, 1 EQ, 2 NE, 3 LT, 4 LE, 5 GT, 6 GE."],
    },
  },
] as const satisfies readonly CompleteRule[];

/** What each type of transaction has besides what all have, as their REST bodies name it. */
export const TRANSACTION_CONTENTS: readonly ContentRule[] = contents;
