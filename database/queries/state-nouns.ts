import type { Db } from "../database.js";
import { Collection, idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateFilter, type StateList } from "../lists/state-page.js";

/** A kind of state whose entries are found by their keys, and listed by id. */
export interface StateNoun<Key, Filter> {
  /** A page of the entries that match all given conditions. */
  readonly search: (db: Db, filter: Filter, request: PageRequest) => Promise<Page<Entry>>;
  /** Entries by their keys, in the same order; missing ones are omitted. */
  readonly find: (db: Db, keys: readonly Key[]) => Promise<Entry[]>;
}

/** @param keyColumn a unique column; it has hashes, addresses, or ids */
export function stateNoun<Key extends Buffer | bigint, Filter extends StateFilter<Filter>>(
  keyColumn: string,
  list: StateList<Filter>,
): StateNoun<Key, Filter> {
  const stored = (key: Key): Buffer => (Buffer.isBuffer(key) ? key : idKey(key));
  return {
    search: (db, filter, request) => readStatePage(db, list, filter, request),
    find: (db, keys) => findStateEntries(db, list.table, keyColumn, keys.map(stored), list.bodies),
  };
}

/** Open, used and expired ones, until the node deletes them. Their key is the hash of the aggregate. */
export const hashLocks = stateNoun<Buffer, { readonly ownerAddress?: Buffer | undefined }>("hash", {
  table: "hash_locks",
  collection: Collection.hashLocks,
  conditions: { ownerAddress: { column: "owner_address", counted: Collection.hashLocksByOwner } },
});

interface SecretLockFilter {
  readonly ownerAddress?: Buffer | undefined;
  readonly secret?: Buffer | undefined;
}

/** The same of secret locks, with a composite hash as their key. */
export const secretLocks = stateNoun<Buffer, SecretLockFilter>("composite_hash", {
  table: "secret_locks",
  collection: Collection.secretLocks,
  conditions: {
    ownerAddress: { column: "owner_address", counted: Collection.secretLocksByOwner },
    secret: { column: "secret", counted: Collection.secretLocksBySecret },
  },
});

interface MetadataFilter {
  readonly sourceAddress?: Buffer | undefined;
  readonly targetAddress?: Buffer | undefined;
  readonly scopedMetadataKey?: bigint | undefined;
  readonly targetId?: bigint | undefined;
  /** 0 account, 1 mosaic, 2 namespace. */
  readonly metadataType?: number | undefined;
}

/** By composite hash. */
export const metadata = stateNoun<Buffer, MetadataFilter>("composite_hash", {
  table: "metadata",
  collection: Collection.metadata,
  conditions: {
    sourceAddress: { column: "source_address", counted: Collection.metadataBySource },
    targetAddress: { column: "target_address", counted: Collection.metadataByTarget },
    scopedMetadataKey: { column: "scoped_metadata_key", counted: Collection.metadataByKey },
    targetId: { column: "target_id", counted: Collection.metadataByTargetId },
    metadataType: { column: "metadata_type", counted: Collection.metadataByType },
  },
});

/** By their own ids, not by aliases. */
export const mosaics = stateNoun<bigint, { readonly ownerAddress?: Buffer | undefined }>("mosaic_id", {
  table: "mosaics",
  collection: Collection.mosaics,
  conditions: { ownerAddress: { column: "owner_address", counted: Collection.mosaicsByOwner } },
});

interface MosaicRestrictionFilter {
  readonly mosaicId?: bigint | undefined;
  /** 0 = values of an account, 1 = rules of a mosaic. */
  readonly entryType?: number | undefined;
  readonly targetAddress?: Buffer | undefined;
}

/** By composite hash. */
export const mosaicRestrictions = stateNoun<Buffer, MosaicRestrictionFilter>("composite_hash", {
  table: "mosaic_restrictions",
  collection: Collection.mosaicRestrictions,
  conditions: {
    mosaicId: { column: "mosaic_id", counted: Collection.mosaicRestrictionsByMosaic },
    entryType: { column: "entry_type", counted: Collection.mosaicRestrictionsByEntryType },
    targetAddress: { column: "target_address", counted: Collection.mosaicRestrictionsByTarget },
  },
});

/** By address (24 bytes). */
export const accountRestrictions = stateNoun<Buffer, { readonly address?: Buffer | undefined }>("address", {
  table: "account_restrictions",
  collection: Collection.accountRestrictions,
  conditions: { address: { column: "address" } },
});
