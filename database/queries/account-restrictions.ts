import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage } from "../lists/state-page.js";

export interface AccountRestrictionFilter {
  readonly address?: Buffer | undefined;
}

/** A page of account restrictions by id. */
export async function searchAccountRestrictions(
  db: Db,
  { address }: AccountRestrictionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const conditions = address ? [{ column: "address", value: address }] : [];
  const { accountRestrictions: collection } = Collection;
  return readStatePage(db, { table: "account_restrictions", collection, conditions }, request);
}

/** Account restrictions by address (24 bytes); missing ones are omitted. */
export async function findAccountRestrictions(db: Db, addresses: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "account_restrictions", "address", addresses);
}
