import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateList } from "../lists/state-page.js";

export interface HashLockFilter {
  readonly ownerAddress?: Buffer | undefined;
}

const LIST: StateList<HashLockFilter> = {
  table: "hash_locks",
  collection: Collection.hashLocks,
  conditions: { ownerAddress: { column: "owner_address", counted: Collection.hashLocksByOwner } },
};

/** A page of hash locks by id: open, used and expired ones, until the node deletes them. */
export async function searchHashLocks(db: Db, filter: HashLockFilter, request: PageRequest): Promise<Page<Entry>> {
  return readStatePage(db, LIST, filter, request);
}

/** Hash locks by the hash (32 bytes) of their aggregate; missing ones are omitted. */
export async function findHashLocks(db: Db, hashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "hash_locks", "hash", hashes);
}
