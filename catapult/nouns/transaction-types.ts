import * as form from "../values/forms.js";
import { bytesOf, type Form, listOf, member, reserved, uint8, uint16 } from "../values/forms.js";
import { type Layout, variant } from "../values/noun.js";

/** The reserved bytes of a transfer, and the index of the one that the node loses: it computes with 32 bits what has 40. */
export const TRANSFER_RESERVED = { size: 5, lostByte: 3 } as const;

/** What a type of transactions consists of after the header. */
export interface TransactionLayout extends Layout {
  /** Entity type. */
  readonly type: number;
  readonly versions: readonly number[];
  /** Of its schemas in OpenAPI and GraphQL: `TransferTransactionDTO`, `TransferContent`. */
  readonly schema: string;
  /** In one sentence. */
  readonly meaning: string;
  /** Present if it cannot be embedded. */
  readonly isTopLevelOnly?: true;
}

const V1 = [1] as const;

const KEY_LINK = {
  versions: V1,
  fields: {
    linkedPublicKey: member(form.publicKey, "Public key that is linked to the signer's account, or unlinked."),
    linkAction: member(form.linkAction, "0 unlinks the key, 1 links it."),
  },
  tail: {},
  json: ["linkedPublicKey", "linkAction"],
} as const;

const AGGREGATE = {
  versions: [1, 2, 3],
  schema: "Aggregate",
  meaning: "Contains other transactions: see embedded and cosignatures.",
  fields: {
    transactionsHash: member(form.hash, "Root of the Merkle tree of the embedded transactions."),
    payloadSize: form.uint32,
    reserved: form.unused(4),
  },
  tail: {
    payload: bytesOf("payloadSize"),
    cosignatures: member(listOf(form.cosignature, "rest"), "Cosignatures of the other accounts that had to sign."),
  },
  json: ["transactionsHash", "cosignatures"],
  isTopLevelOnly: true,
} as const;

const DURATION = { duration: member(form.duration, "Number of blocks that it lasts; 0 = unlimited.") };
const LOCKED = {
  mosaicId: member(form.unresolvedMosaicId, "Id of the locked mosaic."),
  amount: member(form.amount, "Amount in atomic units of the mosaic."),
};
const SECRET = member(form.hash, "The secret; shorter ones are padded with zeros at the end.");
const ALGORITHM = member(form.hashAlgorithm, "Algorithm that turns the proof into the secret.");

const TARGET = {
  targetAddress: member(form.unresolvedAddress, "The account, or the owner of the mosaic or namespace."),
  scopedMetadataKey: member(form.metadataKey, "Key of the metadata entry."),
};
const METADATA_VALUE = {
  valueSizeDelta: member(form.int16Number, "Number of bytes by which the value grows; negative if it shrinks."),
  valueSize: member(form.uint16Number, "Bytes in the value."),
};
const METADATA_TAIL = {
  value: member(bytesOf("valueSize"), "The value; if the entry exists already, XOR of the old and the new value."),
};

const ALIAS_ACTION = member(form.aliasAction, "0 unlinks the target from the namespace, 1 links it.");

function restrictionOf<Value, Json>(value: Form<Value, Json>) {
  return {
    versions: V1,
    fields: {
      restrictionFlags: member(
        form.accountRestrictionFlags,
        "What is restricted. Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked.",
      ),
      additionsCount: uint8,
      deletionsCount: uint8,
      reserved: reserved(4),
    },
    tail: {
      restrictionAdditions: member(listOf(value, "additionsCount"), "Values added to the list."),
      restrictionDeletions: member(listOf(value, "deletionsCount"), "Values removed from the list."),
    },
    json: ["restrictionFlags", "restrictionAdditions", "restrictionDeletions"],
  } as const;
}

const RESTRICTION_KEY = member(form.restrictionKey, "Key of the restriction.");

/**
 * All types of transactions: the fields are in the order of the bytes. Sources: the schemas of `catbuffer/schemas/symbol`,
 * and for the members of bodies the mappers of catapult's `extensions/mongo`; for valid ranges see
 * docs/evidence/consensus.md.
 */
export const TRANSACTION_LAYOUTS = {
  accountKeyLink: { type: 0x414c, schema: "AccountKeyLink", meaning: "Links a remote account.", ...KEY_LINK },
  nodeKeyLink: { type: 0x424c, schema: "NodeKeyLink", meaning: "Links a node to an account.", ...KEY_LINK },
  vrfKeyLink: { type: 0x4243, schema: "VrfKeyLink", meaning: "Links a VRF key to an account.", ...KEY_LINK },
  votingKeyLink: {
    type: 0x4143,
    versions: V1,
    schema: "VotingKeyLink",
    meaning: "Links a voting key for finalization.",
    fields: {
      linkedPublicKey: KEY_LINK.fields.linkedPublicKey,
      startEpoch: member(form.epoch, "First epoch that the key votes in."),
      endEpoch: member(form.epoch, "Last epoch that the key votes in."),
      linkAction: KEY_LINK.fields.linkAction,
    },
    tail: {},
    json: ["linkedPublicKey", "startEpoch", "endEpoch", "linkAction"],
  },
  aggregateComplete: { type: 0x4141, ...AGGREGATE },
  aggregateBonded: { type: 0x4241, ...AGGREGATE },
  hashLock: {
    type: 0x4148,
    versions: V1,
    schema: "HashLock",
    meaning: "A deposit for a bonded aggregate.",
    fields: { ...LOCKED, ...DURATION, hash: member(form.hash, "Hash of the bonded aggregate of the deposit.") },
    tail: {},
    json: ["duration", "mosaicId", "amount", "hash"],
  },
  secretLock: {
    type: 0x4152,
    versions: V1,
    schema: "SecretLock",
    meaning: "Locks an amount until a secret is proven.",
    fields: {
      recipientAddress: member(
        form.unresolvedAddress,
        "Address of the account that receives the amount for the proof.",
      ),
      secret: SECRET,
      ...LOCKED,
      ...DURATION,
      hashAlgorithm: ALGORITHM,
    },
    tail: {},
    json: ["duration", "mosaicId", "amount", "hashAlgorithm", "secret", "recipientAddress"],
  },
  secretProof: {
    type: 0x4252,
    versions: V1,
    schema: "SecretProof",
    meaning: "Proves a secret.",
    fields: {
      recipientAddress: member(form.unresolvedAddress, "Address of the account that receives the locked amount."),
      secret: SECRET,
      proofSize: uint16,
      hashAlgorithm: ALGORITHM,
    },
    tail: { proof: member(bytesOf("proofSize"), "The preimage of the secret.") },
    json: ["hashAlgorithm", "secret", "recipientAddress", "proof"],
  },
  accountMetadata: {
    type: 0x4144,
    versions: V1,
    schema: "AccountMetadata",
    meaning: "Sets metadata of an account.",
    fields: { ...TARGET, ...METADATA_VALUE },
    tail: METADATA_TAIL,
    json: ["targetAddress", "scopedMetadataKey", "valueSizeDelta", "valueSize", "value"],
  },
  mosaicMetadata: {
    type: 0x4244,
    versions: V1,
    schema: "MosaicMetadata",
    meaning: "Sets metadata of a mosaic.",
    fields: {
      ...TARGET,
      targetMosaicId: member(form.unresolvedMosaicId, "Mosaic that the metadata is attached to."),
      ...METADATA_VALUE,
    },
    tail: METADATA_TAIL,
    json: ["targetAddress", "scopedMetadataKey", "targetMosaicId", "valueSizeDelta", "valueSize", "value"],
  },
  namespaceMetadata: {
    type: 0x4344,
    versions: V1,
    schema: "NamespaceMetadata",
    meaning: "Sets metadata of a namespace.",
    fields: {
      ...TARGET,
      targetNamespaceId: member(form.namespaceId, "Namespace that the metadata is attached to."),
      ...METADATA_VALUE,
    },
    tail: METADATA_TAIL,
    json: ["targetAddress", "scopedMetadataKey", "targetNamespaceId", "valueSizeDelta", "valueSize", "value"],
  },
  mosaicDefinition: {
    type: 0x414d,
    versions: V1,
    schema: "MosaicDefinition",
    meaning: "Defines a mosaic.",
    fields: {
      id: member(form.mosaicId, "Id of the defined mosaic."),
      ...DURATION,
      nonce: member(form.uint32Number, "The mosaic id is derived from the nonce and the owner's address."),
      flags: member(
        form.mosaicFlags,
        "What the mosaic allows. Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
      ),
      divisibility: member(form.divisibility, "Decimal places: a whole unit has 10 to the power of it atomic units."),
    },
    tail: {},
    json: ["nonce", "id", "flags", "divisibility", "duration"],
  },
  mosaicSupplyChange: {
    type: 0x424d,
    versions: V1,
    schema: "MosaicSupplyChange",
    meaning: "Changes the supply of a mosaic.",
    fields: {
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      delta: member(form.amount, "Change of the supply, in atomic units."),
      action: member(form.supplyChangeAction, "0 decreases the supply, 1 increases it."),
    },
    tail: {},
    json: ["mosaicId", "action", "delta"],
  },
  mosaicSupplyRevocation: {
    type: 0x434d,
    versions: V1,
    schema: "MosaicSupplyRevocation",
    meaning: "Revokes an amount of a revokable mosaic.",
    fields: {
      sourceAddress: member(form.unresolvedAddress, "Account from which the amount is taken."),
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      amount: LOCKED.amount,
    },
    tail: {},
    json: ["sourceAddress", "mosaicId", "amount"],
  },
  multisigAccountModification: {
    type: 0x4155,
    versions: V1,
    schema: "MultisigAccountModification",
    meaning: "Changes the cosignatories of an account, and the number of required cosignatures.",
    fields: {
      minRemovalDelta: member(form.int8Number, "Change of the cosignatures required to remove a cosignatory."),
      minApprovalDelta: member(form.int8Number, "Change of the cosignatures required for a transaction."),
      additionsCount: uint8,
      deletionsCount: uint8,
      reserved: reserved(4),
    },
    tail: {
      addressAdditions: member(listOf(form.unresolvedAddress, "additionsCount"), "Cosignatories to add."),
      addressDeletions: member(listOf(form.unresolvedAddress, "deletionsCount"), "Cosignatories to remove."),
    },
    json: ["minRemovalDelta", "minApprovalDelta", "addressAdditions", "addressDeletions"],
  },
  addressAlias: {
    type: 0x424e,
    versions: V1,
    schema: "AddressAlias",
    meaning: "Links a namespace to an address.",
    fields: {
      namespaceId: member(form.namespaceId, "Id of the namespace."),
      address: member(form.address, "Address that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    tail: {},
    json: ["namespaceId", "aliasAction", "address"],
  },
  mosaicAlias: {
    type: 0x434e,
    versions: V1,
    schema: "MosaicAlias",
    meaning: "Links a namespace to a mosaic.",
    fields: {
      namespaceId: member(form.namespaceId, "Id of the namespace."),
      mosaicId: member(form.mosaicId, "Id of the mosaic that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    tail: {},
    json: ["namespaceId", "aliasAction", "mosaicId"],
  },
  namespaceRegistration: {
    type: 0x414e,
    versions: V1,
    schema: "NamespaceRegistration",
    meaning: "Registers a namespace, or extends a root namespace.",
    fields: {
      durationOrParentId: form.uint64,
      id: member(form.namespaceId, "Id of the registered namespace."),
      registrationType: member(form.namespaceRegistrationType, "0 root namespace, 1 child namespace."),
      nameSize: uint8,
    },
    tail: { name: member(form.textOf("nameSize"), "Last part of the name.") },
    json: ["registrationType", "duration", "parentId", "id", "name"],
    variants: {
      duration: variant("durationOrParentId", "registrationType", 0, DURATION.duration),
      parentId: variant(
        "durationOrParentId",
        "registrationType",
        1,
        member(form.namespaceId, "Id of the parent, for a child namespace."),
      ),
    },
  },
  accountAddressRestriction: {
    type: 0x4150,
    schema: "AccountAddressRestriction",
    meaning: "Changes which accounts an account may interact with.",
    ...restrictionOf(form.unresolvedAddress),
  },
  accountMosaicRestriction: {
    type: 0x4250,
    schema: "AccountMosaicRestriction",
    meaning: "Changes which mosaics an account accepts.",
    ...restrictionOf(form.unresolvedMosaicId),
  },
  accountOperationRestriction: {
    type: 0x4350,
    schema: "AccountOperationRestriction",
    meaning: "Changes which types of transactions an account may send.",
    ...restrictionOf(form.entityType),
  },
  mosaicAddressRestriction: {
    type: 0x4251,
    versions: V1,
    schema: "MosaicAddressRestriction",
    meaning: "Changes an account's value, which a mosaic's rules are checked against.",
    fields: {
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      restrictionKey: RESTRICTION_KEY,
      previousRestrictionValue: member(form.decimal, "Previous value; 2^64 - 1 for none."),
      newRestrictionValue: member(form.decimal, "New value; 2^64 - 1 for none."),
      targetAddress: member(form.unresolvedAddress, "Address of the account with the value."),
    },
    tail: {},
    json: ["mosaicId", "restrictionKey", "targetAddress", "previousRestrictionValue", "newRestrictionValue"],
  },
  mosaicGlobalRestriction: {
    type: 0x4151,
    versions: V1,
    schema: "MosaicGlobalRestriction",
    meaning: "Changes a rule of a mosaic.",
    fields: {
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      referenceMosaicId: member(form.unresolvedMosaicId, "Mosaic whose values are compared; 0 for the mosaic itself."),
      restrictionKey: RESTRICTION_KEY,
      previousRestrictionValue: member(form.decimal, "Value of the rule before; 0 if there was none."),
      newRestrictionValue: member(form.decimal, "Value that the values of accounts are compared with."),
      previousRestrictionType: member(
        form.mosaicRestrictionType,
        "Comparison of the rule before; 0 if there was none.",
      ),
      newRestrictionType: member(form.mosaicRestrictionType, "Comparison that an account's value has to satisfy."),
    },
    tail: {},
    json: [
      "mosaicId",
      "referenceMosaicId",
      "restrictionKey",
      "previousRestrictionValue",
      "previousRestrictionType",
      "newRestrictionValue",
      "newRestrictionType",
    ],
  },
  transfer: {
    type: 0x4154,
    versions: V1,
    schema: "Transfer",
    meaning: "Mosaics and a message for a recipient. The mosaics are in the transaction's mosaics.",
    fields: {
      recipientAddress: member(form.unresolvedAddress, "Address of the recipient."),
      messageSize: uint16,
      mosaicsCount: uint8,
      reserved: reserved(TRANSFER_RESERVED.size, { when: "announced", ignored: TRANSFER_RESERVED.lostByte }),
    },
    tail: {
      mosaics: member(form.ascendingMosaics("mosaicsCount"), "Mosaics and amounts that are sent."),
      message: form.unlessEmpty(
        member(bytesOf("messageSize"), "The message, its first byte is the kind; absent if it is empty."),
      ),
    },
    json: ["recipientAddress", "message", "mosaics"],
  },
} as const satisfies Record<string, TransactionLayout>;

/** The name of a known type of transactions. */
export type KnownKind = keyof typeof TRANSACTION_LAYOUTS;
