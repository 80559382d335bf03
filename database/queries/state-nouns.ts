import type { Db } from "../database.js";
import { Collection, idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import {
  bytesIn,
  type Condition,
  type Conditions,
  type FilterOf,
  findStateEntries,
  idIn,
  numberIn,
  readStatePage,
  type StateList,
} from "../lists/state-page.js";

/** A kind of state whose entries are found by their keys, and listed by id. */
export interface StateNoun<Key, Filter> {
  /** A page of the entries that match all given conditions. */
  readonly search: (db: Db, filter: Filter, request: PageRequest) => Promise<Page<Entry>>;
  /** Entries by their keys, in the same order; missing ones are omitted. */
  readonly find: (db: Db, keys: readonly Key[]) => Promise<Entry[]>;
}

/** @param key a unique column */
export function stateNoun<Key extends Buffer | bigint, C extends Conditions>(
  { column }: Condition<Key>,
  list: StateList<C>,
): StateNoun<Key, FilterOf<C>> {
  const stored = (key: Key): Buffer => (Buffer.isBuffer(key) ? key : idKey(key));
  return {
    search: (db, filter, request) => readStatePage(db, list, filter, request),
    find: (db, keys) => findStateEntries(db, list.table, column, keys.map(stored), list.bodies),
  };
}

/** Open, used and expired ones, until the node deletes them. Their key is the hash of the aggregate. */
export const hashLocks = stateNoun(bytesIn("hash"), {
  table: "hash_locks",
  collection: Collection.hashLocks,
  conditions: { ownerAddress: bytesIn("owner_address", Collection.hashLocksByOwner) },
});

/** The same of secret locks, with a composite hash as their key. */
export const secretLocks = stateNoun(bytesIn("composite_hash"), {
  table: "secret_locks",
  collection: Collection.secretLocks,
  conditions: {
    ownerAddress: bytesIn("owner_address", Collection.secretLocksByOwner),
    secret: bytesIn("secret", Collection.secretLocksBySecret),
  },
});

/** By composite hash. */
export const metadata = stateNoun(bytesIn("composite_hash"), {
  table: "metadata",
  collection: Collection.metadata,
  conditions: {
    sourceAddress: bytesIn("source_address", Collection.metadataBySource),
    targetAddress: bytesIn("target_address", Collection.metadataByTarget),
    scopedMetadataKey: idIn("scoped_metadata_key", Collection.metadataByKey),
    targetId: idIn("target_id", Collection.metadataByTargetId),
    metadataType: numberIn("metadata_type", Collection.metadataByType),
  },
});

/** By their own ids, not by aliases. */
export const mosaics = stateNoun(idIn("mosaic_id"), {
  table: "mosaics",
  collection: Collection.mosaics,
  conditions: { ownerAddress: bytesIn("owner_address", Collection.mosaicsByOwner) },
});

/** By composite hash. */
export const mosaicRestrictions = stateNoun(bytesIn("composite_hash"), {
  table: "mosaic_restrictions",
  collection: Collection.mosaicRestrictions,
  conditions: {
    mosaicId: idIn("mosaic_id", Collection.mosaicRestrictionsByMosaic),
    entryType: numberIn("entry_type", Collection.mosaicRestrictionsByEntryType),
    targetAddress: bytesIn("target_address", Collection.mosaicRestrictionsByTarget),
  },
});

/** By address (24 bytes). */
export const accountRestrictions = stateNoun(bytesIn("address"), {
  table: "account_restrictions",
  collection: Collection.accountRestrictions,
  conditions: { address: bytesIn("address") },
});
