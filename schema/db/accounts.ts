import { sql } from "kysely";
import { Collection, idKey, NO_KEY } from "./collections.js";
import type { Db, Numeric } from "./database.js";
import type { Entry, Page, PageRequest } from "./page.js";
import type { StateTable } from "./state.js";
import { counterOf, findStateEntries, readStatePage, type StatePageRow, stateEntriesPage } from "./state-page.js";

export interface AccountTable extends StateTable {
  address: Buffer;
  /** 32 zero bytes as long as it is unknown. */
  public_key: Buffer;
  /** 0 unlinked, 1 main, 2 remote, 3 remote that is unlinked. */
  account_type: number;
  /** Of a main account its remote one, and the other way round. */
  linked_public_key: Buffer | null;
  importance: Numeric;
  /** 0 for an account that takes no part. */
  importance_height: number;
  /** The head when the value was read. */
  read_height: number;
}

/** What accounts have: no amount is 0. */
export interface AccountBalanceTable {
  /** Of the account's row. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
}

/** Which accounts; all that are given must hold. */
export interface AccountFilter {
  readonly address?: Buffer | undefined;
  /** Those that have some of it. */
  readonly mosaicId?: bigint | undefined;
}

/** By id, or (with a mosaic) by what they have of it, atomic units; equal amounts by id. */
export type AccountOrder = "id" | "balance";

/** In place of the request's offset, with the order by balance: pages are counted from behind all who have this amount. */
export interface BalanceOffset {
  /** Atomic units. */
  readonly offsetBalance?: bigint | undefined;
}

/**
 * A page of accounts.
 * @throws RangeError for the order by balance without a mosaic
 */
export async function searchAccounts(
  db: Db,
  filter: AccountFilter,
  request: PageRequest & BalanceOffset,
  orderBy: AccountOrder = "id",
): Promise<Page<Entry>> {
  const { address, mosaicId } = filter;
  if (orderBy === "balance" && mosaicId === undefined) throw new RangeError("the order by balance needs a mosaic");
  if (mosaicId !== undefined) return searchHolders(db, mosaicId, address, request, orderBy);
  return readStatePage(
    db,
    {
      table: "accounts",
      collection: Collection.accounts,
      conditions: address ? [{ column: "address", value: address }] : [],
    },
    request,
  );
}

/** Accounts that have some of a mosaic: a walk over the balances' index of the order. */
async function searchHolders(
  db: Db,
  mosaicId: bigint,
  address: Buffer | undefined,
  request: PageRequest & BalanceOffset,
  orderBy: AccountOrder,
): Promise<Page<Entry>> {
  const { order, offset, offsetBalance, pageSize, pageNumber } = request;
  const mosaic = idKey(mosaicId);
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const compare = order === "asc" ? sql`>` : sql`<`;
  const byBalance = orderBy === "balance";
  const ofAddress = address ? sql`and b.id = (select id from accounts where address = ${address})` : sql``;
  const holders = sql`select b.id, b.amount from account_balances b where b.mosaic_id = ${mosaic} ${ofAddress}`;
  // An account that has none of the mosaic (any more) stands where its amount would be 0.
  const edge = sql`(coalesce((select amount from account_balances where id = ${offset} and mosaic_id = ${mosaic}), 0), ${offset}::bytea)`;
  const behindId = byBalance ? sql`and (b.amount, b.id) ${compare} ${edge}` : sql`and b.id ${compare} ${offset}`;
  const behindBalance = sql`and b.amount ${compare} ${offsetBalance}::numeric`;
  const behindOffset = offset ? behindId : byBalance && offsetBalance !== undefined ? behindBalance : sql``;
  const columns = byBalance ? sql`b.amount ${direction}, b.id ${direction}` : sql`b.id ${direction}`;
  const { rows } = await sql<StatePageRow>`
    select t.total, p.id, p.document
    from (select ${address ? sql`(select count(*) from (${holders}) h)` : counterOf(Collection.accountsByMosaic, mosaic)} as total) t
    left join (
      select k.id, k.place, d.document
      from (
        select b.id, row_number() over (order by ${columns}) as place from (
          ${holders} ${behindOffset}
          order by ${columns} limit ${sql.lit(pageSize)} offset ${sql.lit((pageNumber - 1) * pageSize)}) b) k
      join accounts d on d.id = k.id) p on true
    order by p.place`.execute(db);
  return stateEntriesPage(request, rows);
}

/** Accounts by address (24 bytes), those that are there. */
export async function findAccounts(db: Db, addresses: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "accounts", "address", addresses);
}

/** What an account has of a mosaic, atomic units; 0 when there is no such account. */
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

/** Public keys (32 bytes) that were seen in the chain, by address as upper-case hex. */
export async function findPublicKeys(db: Db, addresses: readonly Buffer[]): Promise<Map<string, Buffer>> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom("accounts")
    .select(["address", "public_key"])
    .where("address", "in", [...addresses])
    .where("public_key", "<>", Buffer.alloc(32))
    .execute();
  return new Map(rows.map((row) => [row.address.toString("hex").toUpperCase(), row.public_key]));
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
