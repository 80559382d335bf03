import { Collection } from "./collections.js";
import type { Db } from "./database.js";
import type { Entry, Page, PageRequest } from "./page.js";
import type { StateTable } from "./state.js";
import { findStateEntries, readStatePage } from "./state-page.js";

export interface AccountRestrictionTable extends StateTable {
  address: Buffer;
}

export interface AccountRestrictionFilter {
  readonly address?: Buffer | undefined;
}

/** A page of accounts' restrictions by id. */
export async function searchAccountRestrictions(
  db: Db,
  { address }: AccountRestrictionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const conditions = address ? [{ column: "address", value: address }] : [];
  const { accountRestrictions: collection } = Collection;
  return readStatePage(db, { table: "account_restrictions", collection, conditions }, request);
}

/** Restrictions of accounts by address (24 bytes), those that are there. */
export async function findAccountRestrictions(db: Db, addresses: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "account_restrictions", "address", addresses);
}
