import { z } from "zod";
import {
  address,
  ascendingMosaics,
  bytesOf,
  cosignature,
  type Field,
  type Form,
  hash,
  int8,
  int16,
  listOf,
  mosaic,
  number,
  publicKey,
  reserved,
  type Tail,
  uint8,
  uint16,
  uint32,
  uint64,
  unresolvedMosaicId,
  unused,
} from "../values/forms.js";
import { TRANSACTION_TYPE as Type } from "./entity-layout.js";

/** The reserved bytes of a transfer, and the index of the one that the node loses: it computes with 32 bits what has 40. */
export const TRANSFER_RESERVED = { size: 5, lostByte: 3 } as const;

/** The body of a transaction after its header: first the fields, then the tail. */
export interface Layout {
  /** Entity type. */
  readonly type: number;
  readonly versions: readonly number[];
  readonly fields: Readonly<Record<string, Field<unknown>>>;
  readonly tail: Readonly<Record<string, Tail<unknown>>>;
  /** Present if it cannot be embedded. */
  readonly isTopLevelOnly?: true;
}

/** A byte with the values from 0 to `most`. */
function oneOf(most: number): Field<number> {
  return {
    ...uint8,
    problem: (bytes, offset) => {
      const value = bytes[offset]!;
      return value > most ? `is ${value}, above the maximum of ${most}` : undefined;
    },
  };
}

const LINK = oneOf(1);

const KEY_LINK = { fields: { linkedPublicKey: publicKey, linkAction: LINK }, tail: {} } as const;

const AGGREGATE = {
  versions: [1, 2, 3],
  fields: { transactionsHash: hash, payloadSize: uint32, reserved: unused(4) },
  tail: { payload: bytesOf("payloadSize"), cosignatures: listOf(cosignature, "rest") },
  isTopLevelOnly: true,
} as const;

const METADATA_VALUE = { valueSizeDelta: int16, valueSize: uint16 } as const;

const RESTRICTION = {
  restrictionFlags: uint16,
  additionsCount: uint8,
  deletionsCount: uint8,
  reserved: reserved(4),
} as const;

function restrictionOf<T, Json>(value: Form<T, Json>) {
  return {
    fields: RESTRICTION,
    tail: {
      restrictionAdditions: listOf(value, "additionsCount"),
      restrictionDeletions: listOf(value, "deletionsCount"),
    },
  };
}

const V1 = [1] as const;

/**
 * All types of transactions and their bodies. Source: the schemas of `catbuffer/schemas/symbol`; for valid ranges see
 * docs/evidence/consensus.md.
 */
export const TRANSACTION_LAYOUTS = {
  accountKeyLink: { type: Type.accountKeyLink, versions: V1, ...KEY_LINK },
  nodeKeyLink: { type: Type.nodeKeyLink, versions: V1, ...KEY_LINK },
  vrfKeyLink: { type: Type.vrfKeyLink, versions: V1, ...KEY_LINK },
  votingKeyLink: {
    type: Type.votingKeyLink,
    versions: V1,
    fields: { linkedPublicKey: publicKey, startEpoch: uint32, endEpoch: uint32, linkAction: LINK },
    tail: {},
  },
  aggregateComplete: { type: Type.aggregateComplete, ...AGGREGATE },
  aggregateBonded: { type: Type.aggregateBonded, ...AGGREGATE },
  hashLock: { type: Type.hashLock, versions: V1, fields: { mosaic, duration: uint64, hash }, tail: {} },
  secretLock: {
    type: Type.secretLock,
    versions: V1,
    fields: { recipientAddress: address, secret: hash, mosaic, duration: uint64, hashAlgorithm: oneOf(2) },
    tail: {},
  },
  secretProof: {
    type: Type.secretProof,
    versions: V1,
    fields: { recipientAddress: address, secret: hash, proofSize: uint16, hashAlgorithm: oneOf(2) },
    tail: { proof: bytesOf("proofSize") },
  },
  accountMetadata: {
    type: Type.accountMetadata,
    versions: V1,
    fields: { targetAddress: address, scopedMetadataKey: uint64, ...METADATA_VALUE },
    tail: { value: bytesOf("valueSize") },
  },
  mosaicMetadata: {
    type: Type.mosaicMetadata,
    versions: V1,
    fields: { targetAddress: address, scopedMetadataKey: uint64, targetMosaicId: uint64, ...METADATA_VALUE },
    tail: { value: bytesOf("valueSize") },
  },
  namespaceMetadata: {
    type: Type.namespaceMetadata,
    versions: V1,
    fields: { targetAddress: address, scopedMetadataKey: uint64, targetNamespaceId: uint64, ...METADATA_VALUE },
    tail: { value: bytesOf("valueSize") },
  },
  mosaicDefinition: {
    type: Type.mosaicDefinition,
    versions: V1,
    fields: { id: uint64, duration: uint64, nonce: uint32, flags: uint8, divisibility: uint8 },
    tail: {},
  },
  mosaicSupplyChange: {
    type: Type.mosaicSupplyChange,
    versions: V1,
    fields: { mosaicId: uint64, delta: uint64, action: oneOf(1) },
    tail: {},
  },
  mosaicSupplyRevocation: {
    type: Type.mosaicSupplyRevocation,
    versions: V1,
    fields: { sourceAddress: address, mosaic },
    tail: {},
  },
  multisigAccountModification: {
    type: Type.multisigAccountModification,
    versions: V1,
    fields: {
      minRemovalDelta: int8,
      minApprovalDelta: int8,
      additionsCount: uint8,
      deletionsCount: uint8,
      reserved: reserved(4),
    },
    tail: {
      addressAdditions: listOf(address, "additionsCount"),
      addressDeletions: listOf(address, "deletionsCount"),
    },
  },
  addressAlias: {
    type: Type.addressAlias,
    versions: V1,
    fields: { namespaceId: uint64, address, aliasAction: LINK },
    tail: {},
  },
  mosaicAlias: {
    type: Type.mosaicAlias,
    versions: V1,
    fields: { namespaceId: uint64, mosaicId: uint64, aliasAction: LINK },
    tail: {},
  },
  namespaceRegistration: {
    type: Type.namespaceRegistration,
    versions: V1,
    /** The first field is the duration (blocks) of a root, or the parent's id of a child (registration type 1). */
    fields: { durationOrParentId: uint64, id: uint64, registrationType: oneOf(1), nameSize: uint8 },
    tail: { name: bytesOf("nameSize") },
  },
  accountAddressRestriction: { type: Type.accountAddressRestriction, versions: V1, ...restrictionOf(address) },
  accountMosaicRestriction: { type: Type.accountMosaicRestriction, versions: V1, ...restrictionOf(unresolvedMosaicId) },
  accountOperationRestriction: {
    type: Type.accountOperationRestriction,
    versions: V1,
    ...restrictionOf(number(uint16, z.int())),
  },
  mosaicAddressRestriction: {
    type: Type.mosaicAddressRestriction,
    versions: V1,
    fields: {
      mosaicId: uint64,
      restrictionKey: uint64,
      previousRestrictionValue: uint64,
      newRestrictionValue: uint64,
      targetAddress: address,
    },
    tail: {},
  },
  mosaicGlobalRestriction: {
    type: Type.mosaicGlobalRestriction,
    versions: V1,
    fields: {
      mosaicId: uint64,
      referenceMosaicId: uint64,
      restrictionKey: uint64,
      previousRestrictionValue: uint64,
      newRestrictionValue: uint64,
      previousRestrictionType: oneOf(6),
      newRestrictionType: oneOf(6),
    },
    tail: {},
  },
  transfer: {
    type: Type.transfer,
    versions: V1,
    fields: {
      recipientAddress: address,
      messageSize: uint16,
      mosaicsCount: uint8,
      reserved: reserved(TRANSFER_RESERVED.size, { when: "announced", ignored: TRANSFER_RESERVED.lostByte }),
    },
    tail: { mosaics: ascendingMosaics("mosaicsCount"), message: bytesOf("messageSize") },
  },
} as const satisfies Record<string, Layout>;

/** The name of a known type of transactions. */
export type KnownKind = keyof typeof TRANSACTION_LAYOUTS;
