import * as form from "../values/forms.js";
import { bytesOf, type Form, listOf, member, reserved, uint8, uint16 } from "../values/forms.js";
import { type Layout, variant } from "../values/noun.js";
import { type TransactionKind, TRANSACTION_TYPE as Type } from "./type-names.js";

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

const KEY_LINK = {
  versions: [1],
  fields: {
    linkedPublicKey: member(form.publicKey, "Public key that is linked to the signer's account, or unlinked."),
    linkAction: member(form.linkAction, "0 unlinks the key, 1 links it."),
  },
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
    versions: [1],
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
  } as const;
}

const RESTRICTION_KEY = member(form.restrictionKey, "Key of the restriction.");

/**
 * All types of transactions: the fields are in the order of the bytes. Sources: the schemas of `catbuffer/schemas/symbol`,
 * and for the members of bodies the mappers of catapult's `extensions/mongo`; for valid ranges see
 * docs/evidence/consensus.md.
 */
export const TRANSACTION_LAYOUTS = {
  account_key_link: {
    type: Type.account_key_link,
    schema: "AccountKeyLink",
    meaning: "Links a remote account.",
    ...KEY_LINK,
  },
  node_key_link: {
    type: Type.node_key_link,
    schema: "NodeKeyLink",
    meaning: "Links a node to an account.",
    ...KEY_LINK,
  },
  vrf_key_link: {
    type: Type.vrf_key_link,
    schema: "VrfKeyLink",
    meaning: "Links a VRF key to an account.",
    ...KEY_LINK,
  },
  voting_key_link: {
    type: Type.voting_key_link,
    versions: [1],
    schema: "VotingKeyLink",
    meaning: "Links a voting key for finalization.",
    fields: {
      linkedPublicKey: KEY_LINK.fields.linkedPublicKey,
      startEpoch: member(form.epoch, "First epoch that the key votes in."),
      endEpoch: member(form.epoch, "Last epoch that the key votes in."),
      linkAction: KEY_LINK.fields.linkAction,
    },
  },
  aggregate_complete: { type: Type.aggregate_complete, ...AGGREGATE },
  aggregate_bonded: { type: Type.aggregate_bonded, ...AGGREGATE },
  hash_lock: {
    type: Type.hash_lock,
    versions: [1],
    schema: "HashLock",
    meaning: "A deposit for a bonded aggregate.",
    fields: { ...LOCKED, ...DURATION, hash: member(form.hash, "Hash of the bonded aggregate of the deposit.") },
    json: ["duration", "mosaicId", "amount", "hash"],
  },
  secret_lock: {
    type: Type.secret_lock,
    versions: [1],
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
    json: ["duration", "mosaicId", "amount", "hashAlgorithm", "secret", "recipientAddress"],
  },
  secret_proof: {
    type: Type.secret_proof,
    versions: [1],
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
  account_metadata: {
    type: Type.account_metadata,
    versions: [1],
    schema: "AccountMetadata",
    meaning: "Sets metadata of an account.",
    fields: { ...TARGET, ...METADATA_VALUE },
    tail: METADATA_TAIL,
  },
  mosaic_metadata: {
    type: Type.mosaic_metadata,
    versions: [1],
    schema: "MosaicMetadata",
    meaning: "Sets metadata of a mosaic.",
    fields: {
      ...TARGET,
      targetMosaicId: member(form.unresolvedMosaicId, "Mosaic that the metadata is attached to."),
      ...METADATA_VALUE,
    },
    tail: METADATA_TAIL,
  },
  namespace_metadata: {
    type: Type.namespace_metadata,
    versions: [1],
    schema: "NamespaceMetadata",
    meaning: "Sets metadata of a namespace.",
    fields: {
      ...TARGET,
      targetNamespaceId: member(form.namespaceId, "Namespace that the metadata is attached to."),
      ...METADATA_VALUE,
    },
    tail: METADATA_TAIL,
  },
  mosaic_definition: {
    type: Type.mosaic_definition,
    versions: [1],
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
    json: ["nonce", "id", "flags", "divisibility", "duration"],
  },
  mosaic_supply_change: {
    type: Type.mosaic_supply_change,
    versions: [1],
    schema: "MosaicSupplyChange",
    meaning: "Changes the supply of a mosaic.",
    fields: {
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      delta: member(form.amount, "Change of the supply, in atomic units."),
      action: member(form.supplyChangeAction, "0 decreases the supply, 1 increases it."),
    },
    json: ["mosaicId", "action", "delta"],
  },
  mosaic_supply_revocation: {
    type: Type.mosaic_supply_revocation,
    versions: [1],
    schema: "MosaicSupplyRevocation",
    meaning: "Revokes an amount of a revokable mosaic.",
    fields: {
      sourceAddress: member(form.unresolvedAddress, "Account from which the amount is taken."),
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      amount: LOCKED.amount,
    },
  },
  multisig_account_modification: {
    type: Type.multisig_account_modification,
    versions: [1],
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
  },
  address_alias: {
    type: Type.address_alias,
    versions: [1],
    schema: "AddressAlias",
    meaning: "Links a namespace to an address.",
    fields: {
      namespaceId: member(form.namespaceId, "Id of the namespace."),
      address: member(form.address, "Address that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    json: ["namespaceId", "aliasAction", "address"],
  },
  mosaic_alias: {
    type: Type.mosaic_alias,
    versions: [1],
    schema: "MosaicAlias",
    meaning: "Links a namespace to a mosaic.",
    fields: {
      namespaceId: member(form.namespaceId, "Id of the namespace."),
      mosaicId: member(form.mosaicId, "Id of the mosaic that the namespace points to."),
      aliasAction: ALIAS_ACTION,
    },
    json: ["namespaceId", "aliasAction", "mosaicId"],
  },
  namespace_registration: {
    type: Type.namespace_registration,
    versions: [1],
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
  account_address_restriction: {
    type: Type.account_address_restriction,
    schema: "AccountAddressRestriction",
    meaning: "Changes which accounts an account may interact with.",
    ...restrictionOf(form.unresolvedAddress),
  },
  account_mosaic_restriction: {
    type: Type.account_mosaic_restriction,
    schema: "AccountMosaicRestriction",
    meaning: "Changes which mosaics an account accepts.",
    ...restrictionOf(form.unresolvedMosaicId),
  },
  account_operation_restriction: {
    type: Type.account_operation_restriction,
    schema: "AccountOperationRestriction",
    meaning: "Changes which types of transactions an account may send.",
    ...restrictionOf(form.entityType),
  },
  mosaic_address_restriction: {
    type: Type.mosaic_address_restriction,
    versions: [1],
    schema: "MosaicAddressRestriction",
    meaning: "Changes an account's value, which a mosaic's rules are checked against.",
    fields: {
      mosaicId: member(form.unresolvedMosaicId, "Id of the mosaic."),
      restrictionKey: RESTRICTION_KEY,
      previousRestrictionValue: member(form.decimal, "Previous value; 2^64 - 1 for none."),
      newRestrictionValue: member(form.decimal, "New value; 2^64 - 1 for none."),
      targetAddress: member(form.unresolvedAddress, "Address of the account with the value."),
    },
    json: ["mosaicId", "restrictionKey", "targetAddress", "previousRestrictionValue", "newRestrictionValue"],
  },
  mosaic_global_restriction: {
    type: Type.mosaic_global_restriction,
    versions: [1],
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
} as const satisfies Record<TransactionKind, TransactionLayout>;
