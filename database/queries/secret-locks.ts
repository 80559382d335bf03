import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateCondition } from "../lists/state-page.js";

/** Filter of secret locks; all given conditions must match. */
export interface SecretLockFilter {
  readonly ownerAddress?: Buffer | undefined;
  readonly secret?: Buffer | undefined;
}

/** A page of secret locks by id: open, used and expired ones, until the node deletes them. */
export async function searchSecretLocks(db: Db, filter: SecretLockFilter, request: PageRequest): Promise<Page<Entry>> {
  const { ownerAddress, secret } = filter;
  const conditions: StateCondition[] = [];
  if (ownerAddress) {
    const counted = { collection: Collection.secretLocksByOwner, key: ownerAddress };
    conditions.push({ column: "owner_address", value: ownerAddress, counted });
  }
  if (secret) {
    const counted = { collection: Collection.secretLocksBySecret, key: secret };
    conditions.push({ column: "secret", value: secret, counted });
  }
  return readStatePage(db, { table: "secret_locks", collection: Collection.secretLocks, conditions }, request);
}

/** Secret locks by composite hash (32 bytes); missing ones are omitted. */
export async function findSecretLocks(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "secret_locks", "composite_hash", compositeHashes);
}
