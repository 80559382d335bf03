import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateList } from "../lists/state-page.js";

/** Filter of secret locks; all given conditions must match. */
export interface SecretLockFilter {
  readonly ownerAddress?: Buffer | undefined;
  readonly secret?: Buffer | undefined;
}

const LIST: StateList<SecretLockFilter> = {
  table: "secret_locks",
  collection: Collection.secretLocks,
  conditions: {
    ownerAddress: { column: "owner_address", counted: Collection.secretLocksByOwner },
    secret: { column: "secret", counted: Collection.secretLocksBySecret },
  },
};

/** A page of secret locks by id: open, used and expired ones, until the node deletes them. */
export async function searchSecretLocks(db: Db, filter: SecretLockFilter, request: PageRequest): Promise<Page<Entry>> {
  return readStatePage(db, LIST, filter, request);
}

/** Secret locks by composite hash (32 bytes); missing ones are omitted. */
export async function findSecretLocks(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "secret_locks", "composite_hash", compositeHashes);
}
