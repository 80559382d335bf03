import * as codec from "../values/codecs.js";
import { bytesCodec, type Codec, field, listCodec, reserved, uint8, uint16 } from "../values/codecs.js";
import { type Struct, unionMember } from "../values/struct.js";
import { COSIGNATURE, MOSAIC } from "./nested-structs.js";
import { type TransactionKind, TRANSACTION_TYPE as Type } from "./type-names.js";

/** The reserved bytes of a transfer, and the index of the one that the node loses: it computes with 32 bits what has 40. */
export const TRANSFER_RESERVED = { size: 5, lostByte: 3 } as const;

/** What a type of transactions consists of after the header. */
export interface TransactionLayout extends Struct {
  /** Entity type. */
  readonly type: number;
  readonly versions: readonly number[];
  /** Of its schemas in OpenAPI and GraphQL: `TransferTransactionDTO`, `TransferContent`. */
  readonly schema: string;
  /** The description in one sentence. */
  readonly description: string;
  /** Present if it cannot be embedded. */
  readonly isTopLevelOnly?: true;
}

const KEY_LINK = {
  versions: [1],
  fields: {
    linkedPublicKey: field(codec.publicKey, "Public key that is linked to the signer's account, or unlinked."),
    linkAction: field(codec.linkAction, "0 unlinks the key, 1 links it."),
  },
} as const;

const AGGREGATE = {
  versions: [1, 2, 3],
  schema: "Aggregate",
  description: "Contains other transactions: see embedded and cosignatures.",
  fields: {
    transactionsHash: field(codec.hash, "Root of the Merkle tree of the embedded transactions."),
    payloadSize: codec.uint32,
    reserved: codec.unused(4),
    payload: bytesCodec("payloadSize"),
    cosignatures: field(listCodec(COSIGNATURE, "rest"), "Cosignatures of the other accounts that had to sign."),
  },
  isTopLevelOnly: true,
} as const;

const DURATION = { duration: field(codec.duration, "Number of blocks that it lasts; 0 = unlimited.") };
const LOCKED = {
  mosaicId: field(codec.unresolvedMosaicId, "Id of the locked mosaic."),
  amount: field(codec.amount, "Amount in atomic units of the mosaic."),
};
const SECRET = field(codec.hash, "The secret; shorter ones are padded with zeros at the end.");
const ALGORITHM = field(codec.hashAlgorithm, "Algorithm that turns the proof into the secret.");

const TARGET = {
  targetAddress: field(codec.unresolvedAddress, "The account, or the owner of the mosaic or namespace."),
  scopedMetadataKey: field(codec.metadataKey, "Key of the metadata entry."),
};
const METADATA_VALUE = {
  valueSizeDelta: field(codec.int16Number, "Number of bytes by which the value grows; negative if it shrinks."),
  valueSize: field(codec.uint16Number, "Bytes in the value."),
  value: field(bytesCodec("valueSize"), "The value; if the entry exists already, XOR of the old and the new value."),
};

const ALIAS_ACTION = field(codec.aliasAction, "0 unlinks the target from the namespace, 1 links it.");

function restrictionCodec<Value, Json>(value: Codec<Value, Json>) {
  return {
    versions: [1],
    fields: {
      restrictionFlags: field(
        codec.accountRestrictionFlags,
        "What is restricted. Bits: 1 addresses, 2 mosaics, 4 transaction types, 16384 outgoing, 32768 blocked.",
      ),
      additionsCount: uint8,
      deletionsCount: uint8,
      reserved: reserved(4),
      restrictionAdditions: field(listCodec(value, "additionsCount"), "Values added to the list."),
      restrictionDeletions: field(listCodec(value, "deletionsCount"), "Values removed from the list."),
    },
  } as const;
}

const RESTRICTION_KEY = field(codec.restrictionKey, "Key of the restriction.");

/**
 * All types of transactions: the fields are in the order of the bytes. Sources: the schemas of `catbuffer/schemas/symbol`,
 * and for the members of bodies the mappers of catapult's `extensions/mongo`; for valid ranges see
 * docs/evidence/consensus.md.
 */
export const TRANSACTION_LAYOUTS = {
  account_key_link: {
    type: Type.account_key_link,
    schema: "AccountKeyLink",
    description: "Links a remote account.",
    ...KEY_LINK,
  },
  node_key_link: {
    type: Type.node_key_link,
    schema: "NodeKeyLink",
    description: "Links a node to an account.",
    ...KEY_LINK,
  },
  vrf_key_link: {
    type: Type.vrf_key_link,
    schema: "VrfKeyLink",
    description: "Links a VRF key to an account.",
    ...KEY_LINK,
  },
  voting_key_link: {
    type: Type.voting_key_link,
    versions: [1],
    schema: "VotingKeyLink",
    description: "Links a voting key for finalization.",
    fields: {
      linkedPublicKey: KEY_LINK.fields.linkedPublicKey,
      startEpoch: field(codec.epoch, "First epoch that the key votes in."),
      endEpoch: field(codec.epoch, "Last epoch that the key votes in."),
      linkAction: KEY_LINK.fields.linkAction,
    },
  },
  aggregate_complete: { type: Type.aggregate_complete, ...AGGREGATE },
  aggregate_bonded: { type: Type.aggregate_bonded, ...AGGREGATE },
  hash_lock: {
    type: Type.hash_lock,
    versions: [1],
    schema: "HashLock",
    description: "A deposit for a bonded aggregate.",
    fields: { ...LOCKED, ...DURATION, hash: field(codec.hash, "Hash of the bonded aggregate of the deposit.") },
    json: ["duration", "mosaicId", "amount", "hash"],
  },
  secret_lock: {
    type: Type.secret_lock,
    versions: [1],
    schema: "SecretLock",
    description: "Locks an amount until a secret is proven.",
    fields: {
      recipientAddress: field(
        codec.unresolvedAddress,
        "Address of the account that receives the amount for the proof.",
      ),
      secret: SECRET,
      ...LOCKED,
      ...DURATION,
      hashAlgorithm: ALGORITHM,
    },
    json: ["duration", "mosaicId", "amount", "hashAlgorithm", "secret", "recipientAddress"],
  },
  secret_proof: {
    type: Type.secret_proof,
    versions: [1],
    schema: "SecretProof",
    description: "Proves a secret.",
    fields: {
      recipientAddress: field(codec.unresolvedAddress, "Address of the account that receives the locked amount."),
      secret: SECRET,
      proofSize: uint16,
      hashAlgorithm: ALGORITHM,
      proof: field(bytesCodec("proofSize"), "The preimage of the secret."),
    },
    json: ["hashAlgorithm", "secret", "recipientAddress", "proof"],
  },
  account_metadata: {
    type: Type.account_metadata,
    versions: [1],
    schema: "AccountMetadata",
    description: "Sets metadata of an account.",
    fields: { ...TARGET, ...METADATA_VALUE },
  },
  mosaic_metadata: {
    type: Type.mosaic_metadata,
    versions: [1],
    schema: "MosaicMetadata",
    description: "Sets metadata of a mosaic.",
    fields: {
      ...TARGET,
      targetMosaicId: field(codec.unresolvedMosaicId, "Mosaic that the metadata is attached to."),
      ...METADATA_VALUE,
    },
  },
  namespace_metadata: {
    type: Type.namespace_metadata,
    versions: [1],
    schema: "NamespaceMetadata",
    description: "Sets metadata of a namespace.",
    fields: {
      ...TARGET,
      targetNamespaceId: field(codec.namespaceId, "Namespace that the metadata is attached to."),
      ...METADATA_VALUE,
    },
  },
  mosaic_definition: {
    type: Type.mosaic_definition,
    versions: [1],
    schema: "MosaicDefinition",
    description: "Defines a mosaic.",
    fields: {
      id: field(codec.mosaicId, "Id of the defined mosaic."),
      ...DURATION,
      nonce: field(codec.uint32Number, "The mosaic id is derived from the nonce and the owner's address."),
      flags: field(
        codec.mosaicFlags,
        "What the mosaic allows. Bits: 1 supply mutable, 2 transferable, 4 restrictable, 8 revokable.",
      ),
      divisibility: field(codec.divisibility, "Decimal places: a whole unit has 10 to the power of it atomic units."),
    },
    json: ["nonce", "id", "flags", "divisibility", "duration"],
  },
  mosaic_supply_change: {
    type: Type.mosaic_supply_change,
    versions: [1],
    schema: "MosaicSupplyChange",
    description: "Changes the supply of a mosaic.",
    fields: {
      mosaicId: field(codec.unresolvedMosaicId, "Id of the mosaic."),
      delta: field(codec.amount, "Change of the supply, in atomic units."),
      action: field(codec.supplyChangeAction, "0 decreases the supply, 1 increases it."),
    },
    json: ["mosaicId", "action", "delta"],
  },
  mosaic_supply_revocation: {
    type: Type.mosaic_supply_revocation,
    versions: [1],
    schema: "MosaicSupplyRevocation",
    description: "Revokes an amount of a revokable mosaic.",
    fields: {
      sourceAddress: field(codec.unresolvedAddress, "Account from which the amount is taken."),
      mosaicId: field(codec.unresolvedMosaicId, "Id of the mosaic."),
      amount: LOCKED.amount,
    },
  },
  multisig_account_modification: {
    type: Type.multisig_account_modification,
    versions: [1],
    schema: "MultisigAccountModification",
    description: "Changes the cosignatories of an account, and the number of required cosignatures.",
    fields: {
      minRemovalDelta: field(codec.int8Number, "Change of the cosignatures required to remove a cosignatory."),
      minApprovalDelta: field(codec.int8Number, "Change of the cosignatures required for a transaction."),
      additionsCount: uint8,
      deletionsCount: uint8,
      reserved: reserved(4),
      addressAdditions: field(listCodec(codec.unresolvedAddress, "additionsCount"), "Cosignatories to add."),
      addressDeletions: field(listCodec(codec.unresolvedAddress, "deletionsCount"), "Cosignatories to remove."),
    },
  },
  address_alias: {
    type: Type.address_alias,
    versions: [1],
    schema: "AddressAlias",
    description: "Links a namespace to an address.",
    fields: {
      namespaceId: field(codec.namespaceId, "Id of the namespace."),
      address: field(codec.address, "Address that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    json: ["namespaceId", "aliasAction", "address"],
  },
  mosaic_alias: {
    type: Type.mosaic_alias,
    versions: [1],
    schema: "MosaicAlias",
    description: "Links a namespace to a mosaic.",
    fields: {
      namespaceId: field(codec.namespaceId, "Id of the namespace."),
      mosaicId: field(codec.mosaicId, "Id of the mosaic that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    json: ["namespaceId", "aliasAction", "mosaicId"],
  },
  namespace_registration: {
    type: Type.namespace_registration,
    versions: [1],
    schema: "NamespaceRegistration",
    description: "Registers a namespace, or extends a root namespace.",
    fields: {
      durationOrParentId: codec.uint64,
      id: field(codec.namespaceId, "Id of the registered namespace."),
      registrationType: field(codec.namespaceRegistrationType, "0 root namespace, 1 child namespace."),
      nameSize: uint8,
      name: field(codec.textCodec("nameSize"), "Last part of the name."),
    },
    json: ["registrationType", "duration", "parentId", "id", "name"],
    union: {
      duration: unionMember("durationOrParentId", "registrationType", 0, DURATION.duration),
      parentId: unionMember(
        "durationOrParentId",
        "registrationType",
        1,
        field(codec.namespaceId, "Id of the parent, for a child namespace."),
      ),
    },
  },
  account_address_restriction: {
    type: Type.account_address_restriction,
    schema: "AccountAddressRestriction",
    description: "Changes which accounts an account may interact with.",
    ...restrictionCodec(codec.unresolvedAddress),
  },
  account_mosaic_restriction: {
    type: Type.account_mosaic_restriction,
    schema: "AccountMosaicRestriction",
    description: "Changes which mosaics an account accepts.",
    ...restrictionCodec(codec.unresolvedMosaicId),
  },
  account_operation_restriction: {
    type: Type.account_operation_restriction,
    schema: "AccountOperationRestriction",
    description: "Changes which types of transactions an account may send.",
    ...restrictionCodec(codec.entityType),
  },
  mosaic_address_restriction: {
    type: Type.mosaic_address_restriction,
    versions: [1],
    schema: "MosaicAddressRestriction",
    description: "Changes an account's value, which a mosaic's rules are checked against.",
    fields: {
      mosaicId: field(codec.unresolvedMosaicId, "Id of the mosaic."),
      restrictionKey: RESTRICTION_KEY,
      previousRestrictionValue: field(codec.decimal, "Previous value; 2^64 - 1 for none."),
      newRestrictionValue: field(codec.decimal, "New value; 2^64 - 1 for none."),
      targetAddress: field(codec.unresolvedAddress, "Address of the account with the value."),
    },
    json: ["mosaicId", "restrictionKey", "targetAddress", "previousRestrictionValue", "newRestrictionValue"],
  },
  mosaic_global_restriction: {
    type: Type.mosaic_global_restriction,
    versions: [1],
    schema: "MosaicGlobalRestriction",
    description: "Changes a rule of a mosaic.",
    fields: {
      mosaicId: field(codec.unresolvedMosaicId, "Id of the mosaic."),
      referenceMosaicId: field(codec.unresolvedMosaicId, "Mosaic whose values are compared; 0 for the mosaic itself."),
      restrictionKey: RESTRICTION_KEY,
      previousRestrictionValue: field(codec.decimal, "Value of the rule before; 0 if there was none."),
      newRestrictionValue: field(codec.decimal, "Value that the values of accounts are compared with."),
      previousRestrictionType: field(
        codec.mosaicRestrictionType,
        "Comparison of the rule before; 0 if there was none.",
      ),
      newRestrictionType: field(codec.mosaicRestrictionType, "Comparison that an account's value has to satisfy."),
    },
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
    type: Type.transfer,
    versions: [1],
    schema: "Transfer",
    description: "Mosaics and a message for a recipient. The mosaics are in the transaction's mosaics.",
    fields: {
      recipientAddress: field(codec.unresolvedAddress, "Address of the recipient."),
      messageSize: uint16,
      mosaicsCount: uint8,
      reserved: reserved(TRANSFER_RESERVED.size, { when: "announced", ignored: TRANSFER_RESERVED.lostByte }),
      mosaics: field(codec.ascending(listCodec(MOSAIC, "mosaicsCount")), "Mosaics and amounts that are sent."),
      message: codec.unlessEmpty(
        field(bytesCodec("messageSize"), "The message, its first byte is the kind; absent if it is empty."),
      ),
    },
    json: ["recipientAddress", "message", "mosaics"],
  },
} as const satisfies Record<TransactionKind, TransactionLayout>;
