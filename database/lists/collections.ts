/**
 * Collections: every list whose entries are counted and numbered for one key. `counters` has the exact number of
 * entries of each (collection, key), `milestones` the id of every MILESTONE_STEP-th entry in ascending order of ids.
 * The numbers are stored: their meaning never changes.
 *
 * There are two lists of transactions each: top-level transactions (`top`), and all including those embedded in
 * aggregates (`all`).
 *
 * Entries of lists of state (from 50 on) are also deleted, so milestones would become wrong. They have spans instead:
 * `spans` has the number of entries in each range of SPAN_SIZE possible ids.
 */
export const Collection = {
  blocks: 1,
  blocksBySigner: 2,
  blocksByBeneficiary: 3,
  transactionsTop: 10,
  transactionsAll: 11,
  transactionsBySignerTop: 12,
  transactionsBySignerAll: 13,
  transactionsByRecipientTop: 14,
  transactionsByRecipientAll: 15,
  transactionsByTypeTop: 16,
  transactionsByTypeAll: 17,
  transactionsByAddressTop: 18,
  transactionsByAddressAll: 19,
  transactionsByAddressAndTypeTop: 20,
  transactionsByAddressAndTypeAll: 21,
  transactionsByMosaicTop: 22,
  transactionsByMosaicAll: 23,
  transactionStatements: 30,
  transactionStatementsByType: 31,
  transactionStatementsByRecipient: 32,
  transactionStatementsBySender: 33,
  transactionStatementsByTarget: 34,
  transactionStatementsByArtifact: 35,
  addressResolutions: 40,
  mosaicResolutions: 41,
  accounts: 50,
  accountsByMosaic: 51,
  mosaics: 52,
  mosaicsByOwner: 53,
  namespaces: 54,
  namespacesByOwner: 55,
  namespacesByRegistrationType: 56,
  namespacesByAliasType: 57,
  metadata: 58,
  metadataBySource: 59,
  metadataByTarget: 60,
  metadataByKey: 61,
  metadataByTargetId: 62,
  metadataByType: 63,
  hashLocks: 64,
  hashLocksByOwner: 65,
  secretLocks: 66,
  secretLocksByOwner: 67,
  secretLocksBySecret: 68,
  accountRestrictions: 69,
  mosaicRestrictions: 70,
  mosaicRestrictionsByMosaic: 71,
  mosaicRestrictionsByEntryType: 72,
  mosaicRestrictionsByTarget: 73,
} as const;

/** Collections from this number on are lists of state, the others of blocks and their contents. */
export const FIRST_STATE_COLLECTION = Collection.accounts;

export type Collection = (typeof Collection)[keyof typeof Collection];

/** Entries between two milestones: the maximum cost of a page beyond its own entries. */
export const MILESTONE_STEP = 128;

/** Size of a span of state ids: a power of 2, and the maximum cost of a page beyond its own entries. */
export const SPAN_SIZE = 1024;

/** The start of the span of a state id: the lowest id in it, 12 bytes. */
export function spanStart(id: Buffer): Buffer {
  const start = Buffer.from(id);
  const low = start.length - 4;
  start.writeUInt32BE(start.readUInt32BE(low) - (start.readUInt32BE(low) % SPAN_SIZE), low);
  return start;
}

/** Key of a collection that has only one list. */
export const NO_KEY: Buffer = Buffer.alloc(0);

/** Cached keys of types: there are few, and each is used for many rows. */
const typeKeys = new Map<number, Buffer>();

/**
 * Key of a collection by transaction or receipt type: 2 bytes, big-endian. The buffer is shared and must not be
 * modified.
 */
export function typeKey(type: number): Buffer {
  let key = typeKeys.get(type);
  if (!key) {
    key = Buffer.alloc(2);
    key.writeUInt16BE(type);
    typeKeys.set(type, key);
  }
  return key;
}

/**
 * Key of a collection by mosaic or artifact id: 8 bytes, big-endian, so that hex digits and bytes have the same
 * order.
 */
export function idKey(id: bigint): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(id);
  return key;
}

/** Suffix of a mosaic id in the key of transfers that name it by an alias only. */
const BY_ALIAS = Buffer.of(1);

/**
 * Key of the transfers of a mosaic that name it by an alias only: those with its id are in the list of {@link idKey}.
 */
export function aliasedMosaicKey(id: bigint): Buffer {
  return Buffer.concat([idKey(id), BY_ALIAS]);
}

/** Key of a collection by a small number, such as a metadata type: 1 byte. */
export function smallKey(value: number): Buffer {
  return Buffer.from([value]);
}

/** Key of the transactions of one type that concern one address: address (24 bytes), type (2 bytes). */
export function addressAndTypeKey(address: Buffer, type: number): Buffer {
  return Buffer.concat([address, typeKey(type)]);
}

/** One list: a collection and its key. */
export interface CollectionKey {
  readonly collection: Collection;
  readonly key: Buffer;
}
