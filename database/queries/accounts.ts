import { type BalanceOffset, searchByBalance, searchHolders } from "../balances/account-balances.js";
import type { Db } from "../database.js";
import { Collection, idKey, NO_KEY } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import { type Entry, noOthers, type Page } from "../lists/page.js";
import type { PrefixRange } from "./blocks.js";
import { accounts } from "./state-lists.js";

/** Filter of accounts; all given conditions must match. */
export interface AccountFilter {
  readonly address?: Buffer | undefined;
  /** Limits the list to accounts that own some of this mosaic. */
  readonly mosaicId?: bigint | undefined;
}

/** By id, or (with a mosaic) by balance, atomic units; equal amounts by id. */
export type AccountOrder = "id" | "balance";

/**
 * A page of accounts.
 * @throws RangeError for ordering by balance without a mosaic
 */
export async function searchAccounts(
  db: Db,
  filter: AccountFilter,
  request: PageRequest & BalanceOffset,
  orderBy: AccountOrder = "id",
): Promise<Page<Entry>> {
  const { address, mosaicId, ...others } = filter;
  noOthers(others);
  if (orderBy === "balance" && mosaicId === undefined) throw new RangeError("ordering by balance requires a mosaic");
  if (mosaicId !== undefined) {
    return orderBy === "balance"
      ? searchByBalance(db, { mosaicId, address }, request)
      : searchHolders(db, { mosaicId, address }, request);
  }
  return accounts.search(db, { address }, request);
}

/** Accounts by address (24 bytes); missing ones are omitted. */
export async function findAccounts(db: Db, addresses: readonly Buffer[]): Promise<Entry[]> {
  return accounts.find(db, addresses);
}

/** Balance of an account, atomic units; 0 if there is no such account. */
export async function readBalance(db: Db, address: Buffer, mosaicId: bigint): Promise<bigint> {
  const row = await db
    .selectFrom("accounts as a")
    .innerJoin("account_balances as b", "b.id", "a.id")
    .select("b.amount")
    .where("a.address", "=", address)
    .where("b.mosaic_id", "=", idKey(mosaicId))
    .executeTakeFirst();
  return BigInt(row?.amount ?? 0);
}

/** Number of accounts. */
export async function countAccounts(db: Db): Promise<number> {
  const row = await db
    .selectFrom("counters")
    .select("count")
    .where("collection", "=", Collection.accounts)
    .where("key", "=", NO_KEY)
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** Addresses of accounts that begin with a prefix, in their order. */
export async function findAddressesByPrefix(db: Db, { first, last }: PrefixRange, limit: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom("accounts")
    .select("address")
    .where("address", ">=", first)
    .where("address", "<=", last)
    .orderBy("address")
    .limit(limit)
    .execute();
  return rows.map(({ address }) => address);
}
