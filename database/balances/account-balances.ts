import { STORED_BODIES } from "../bodies/bodies.js";
import type { Db } from "../database.js";
import { Collection, idKey } from "../lists/collections.js";
import { BYTE_IDS } from "../lists/id-form.js";
import type { PageRequest } from "../lists/list.js";
import { runTogether } from "../lists/operation-db.js";
import { describePage, type Entry, type Page, readPage } from "../lists/page.js";
import { type Sql, sql } from "../sql.js";

/** Leading binary digits of an amount that form its level: amounts of a level differ by at most a sixteenth. */
const LEVEL_DIGITS = 5;

/** The level of an amount (atomic units): all but its first binary digits are replaced by zeros. */
export function balanceLevel(amount: bigint): bigint {
  const rest = BigInt(Math.max(0, amount.toString(2).length - LEVEL_DIGITS));
  return (amount >> rest) << rest;
}

/** Accounts that own some of a mosaic; with an address only that one. */
export interface HolderFilter {
  readonly mosaicId: bigint;
  readonly address?: Buffer | undefined;
}

/** In place of the request's offset: pages are counted from the accounts after those with this amount, atomic units. */
export interface BalanceOffset {
  readonly offsetBalance?: bigint | undefined;
}

/** A page of accounts that own some of a mosaic, by id. */
export function searchHolders(db: Db, filter: HolderFilter, request: PageRequest): Promise<Page<Entry>> {
  const key = idKey(filter.mosaicId);
  const ids = sql`select b.id from account_balances b ${holders(key, filter.address)}`;
  const source = { table: "accounts", idForm: BYTE_IDS, bodies: STORED_BODIES } as const;
  if (filter.address) return readPage(db, { ...source, ids }, request);
  const list = { collection: Collection.accountsByMosaic, key, ids, hasSpans: true } as const;
  return readPage(db, { ...source, lists: [list] }, request);
}

function holders(mosaic: Buffer, address: Buffer | undefined): Sql {
  const ofAddress = address ? sql`and b.id = (select id from accounts where address = ${address})` : sql``;
  return sql`where b.mosaic_id = ${mosaic} ${ofAddress}`;
}

/** Pages that begin further from an end of the list, or from the offset, are found by levels. */
const LONGEST_WALK = 1_000;

/**
 * A page of accounts by their balance of a mosaic, equal amounts by id: a walk over the index of that order, from the
 * list's end or the offset, or for deep pages from the lowest amount of a level.
 */
export async function searchByBalance(
  db: Db,
  { mosaicId, address }: HolderFilter,
  request: PageRequest & BalanceOffset,
): Promise<Page<Entry>> {
  const skip = (request.pageNumber - 1) * request.pageSize;
  const mosaic = idKey(mosaicId);
  const query =
    address || skip <= LONGEST_WALK
      ? walkFromEnd(mosaic, address, request, skip)
      : walkFromLevel(mosaic, request, skip);
  const rows = await runTogether(db, { columns: "balance", compare: byAmount(request.order) }, query);
  const data = rows.flatMap(({ id, document }) => (id === null || document === null ? [] : [{ id, document }]));
  return { data, pagination: describePage(request, Number(rows[0]?.total ?? 0)) };
}

/** The total is in each row, so that it is present on an empty page too. */
interface BalanceRow {
  readonly total: number;
  /** Decimal text. */
  readonly amount: string | null;
  readonly id: Buffer | null;
  readonly document: string | null;
}

/** By amount, then by id. */
function byAmount(order: PageRequest["order"]): (a: BalanceRow, b: BalanceRow) => number {
  const way = order === "asc" ? 1 : -1;
  return (a, b) => {
    const difference = BigInt(a.amount ?? 0) - BigInt(b.amount ?? 0);
    if (difference !== 0n) return difference < 0n ? -way : way;
    return way * Buffer.compare(a.id ?? NO_ID, b.id ?? NO_ID);
  };
}

const NO_ID = Buffer.alloc(0);

function walkFromEnd(
  mosaic: Buffer,
  address: Buffer | undefined,
  request: PageRequest & BalanceOffset,
  skip: number,
): Sql<BalanceRow> {
  const { order, pageSize } = request;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const edge = edgeOf(mosaic, request);
  const afterEdge = edge ? sql`and (b.amount, b.id) ${order === "asc" ? sql`>` : sql`<`} ${edge}` : sql``;
  const where = sql`${holders(mosaic, address)}`;
  const balances = sql`
    select b.id, b.amount from account_balances b ${where} ${afterEdge}
    order by b.amount ${direction}, b.id ${direction} limit ${pageSize}::int8 offset ${skip}::int8`;
  const total = address ? sql`(select count(*) from account_balances b ${where})` : totalOf(mosaic);
  return rowsOf(balances, total, direction);
}

/**
 * Ordinals count from the lowest amount: the page has those from `first` to `last`, and `before` entries are below
 * the level.
 */
function walkFromLevel(mosaic: Buffer, request: PageRequest & BalanceOffset, skip: number): Sql<BalanceRow> {
  const { order, pageSize } = request;
  const edge = edgeOf(mosaic, request);
  const rank = edge ? rankOf(mosaic, edge, order === "asc") : order === "asc" ? sql`0::int8` : sql`total`;
  const ordinals =
    order === "asc"
      ? sql`select total, rank + ${skip}::int8 + 1 as first, least(total, rank + ${skip}::int8 + ${pageSize}::int8) as last`
      : sql`select total, greatest(0, rank - ${skip}::int8 - ${pageSize}::int8) + 1 as first, rank - ${skip}::int8 as last`;
  const balances = sql`
    select b.id, b.amount from account_balances b
    where b.mosaic_id = ${mosaic} and b.amount >= (select level from anchor)
    order by b.amount, b.id
    limit (select greatest(0, last - first + 1) from page) offset (select greatest(0, first - 1 - before) from page, anchor)`;
  return sql<BalanceRow>`
    with page as materialized (
        ${ordinals} from (select total, ${rank} as rank from (select ${totalOf(mosaic)} as total) t) r),
      anchor as materialized (
        select coalesce(max(level), 0) as level, coalesce(max(before), 0) as before from (
          select level, sum(count) over (order by level) - count as before
          from balance_levels where mosaic_id = ${mosaic}) l
        where before < (select first from page))
    ${rowsOf(balances, sql`(select total from page)`, order === "asc" ? sql`asc` : sql`desc`)}`;
}

/** Number of entries below an edge; with `isPassed` including an entry on the edge. */
function rankOf(mosaic: Buffer, edge: Sql, isPassed: boolean): Sql {
  const compare = isPassed ? sql`<=` : sql`<`;
  return sql`(
    with edge (amount, id) as materialized (select e.amount, e.id from (values ${edge}) e (amount, id)),
      level as materialized (
        select max(level) as level from balance_levels
        where mosaic_id = ${mosaic} and level <= (select amount from edge))
    select coalesce((
        select sum(count) from balance_levels where mosaic_id = ${mosaic} and level < (select level from level)), 0)::int8
      + (select count(*) from account_balances b
         where b.mosaic_id = ${mosaic} and b.amount >= (select coalesce(level, 0) from level)
           and b.amount <= (select amount from edge)
           and (b.amount, b.id) ${compare} (select amount, id from edge)))`;
}

/** The position after which pages begin, as a pair of amount and id; undefined for an end of the list. */
function edgeOf(mosaic: Buffer, request: PageRequest & BalanceOffset): Sql | undefined {
  const { order, offset, offsetBalance } = request;
  // An account without this mosaic has the position of amount 0.
  if (offset) {
    const amount = sql`(select amount from account_balances where id = ${offset} and mosaic_id = ${mosaic})`;
    return sql`(coalesce(${amount}, 0), ${offset}::bytea)`;
  }
  if (offsetBalance === undefined) return undefined;
  return sql`(${offsetBalance}::numeric, ${order === "asc" ? ABOVE_ALL_IDS : BELOW_ALL_IDS}::bytea)`;
}

const BELOW_ALL_IDS = Buffer.alloc(0);
const ABOVE_ALL_IDS = Buffer.alloc(13, 0xff);

function totalOf(mosaic: Buffer): Sql {
  return sql`coalesce(
    (select count from counters where collection = ${Collection.accountsByMosaic} and key = ${mosaic}), 0)`;
}

function rowsOf(balances: Sql, total: Sql, direction: Sql): Sql<BalanceRow> {
  return sql`
    select t.total, p.amount, p.id, p.document
    from (select ${total} as total) t
    left join (select b.id, b.amount, d.document from (${balances}) b join accounts d on d.id = b.id) p on true
    order by p.amount ${direction}, p.id ${direction}`;
}
