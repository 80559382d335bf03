import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateList } from "../lists/state-page.js";

export interface AccountRestrictionFilter {
  readonly address?: Buffer | undefined;
}

const LIST: StateList<AccountRestrictionFilter> = {
  table: "account_restrictions",
  collection: Collection.accountRestrictions,
  conditions: { address: { column: "address" } },
};

/** A page of account restrictions by id. */
export async function searchAccountRestrictions(
  db: Db,
  filter: AccountRestrictionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readStatePage(db, LIST, filter, request);
}

/** Account restrictions by address (24 bytes); missing ones are omitted. */
export async function findAccountRestrictions(db: Db, addresses: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "account_restrictions", "address", addresses);
}
