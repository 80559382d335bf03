import { type RawBuilder, sql } from "kysely";
import { ACCOUNT_BODY } from "../../catapult/state/account.js";
import type { StateSource } from "../../catapult/state/state-codec.js";
import { bytea, int8, nullable, numeric, RowType } from "../binary/rows.js";
import { RenderedEntry } from "../bodies/bodies.js";
import { stateBodies } from "../bodies/state-bodies.js";
import type { Db } from "../database.js";
import { Collection, idKey } from "../lists/collections.js";
import type { Order, PageRequest } from "../lists/list.js";
import { describePage, type Entry, Lists, type Page } from "../lists/page.js";
import { direction } from "../lists/page-statement.js";
import { type BoundArguments, type Parameter, Statement } from "../statement.js";

/** Leading binary digits of an amount that form its bucket: amounts of a bucket differ by at most a sixteenth. */
const BUCKET_DIGITS = 5;

/** The bucket of an amount (atomic units): all but its first binary digits are replaced by zeros. */
export function balanceBucket(amount: bigint): bigint {
  const rest = BigInt(Math.max(0, amount.toString(2).length - BUCKET_DIGITS));
  return (amount >> rest) << rest;
}

/** Accounts that own some of a mosaic; with an address only that one. */
export interface HolderFilter {
  readonly mosaicId: bigint;
  readonly address?: Buffer | undefined;
}

export const ACCOUNT_BODIES = stateBodies(ACCOUNT_BODY);

/** An account that owns some of a mosaic, with both figures from one moment. */
export class Holder extends RenderedEntry<StateSource> {
  /** Atomic units. */
  readonly amount: bigint;
  /** The supply of the mosaic, atomic units; undefined while its state is unknown. */
  readonly supply: bigint | undefined;

  constructor(account: StateSource, amount: bigint, supply: bigint | undefined) {
    super(account.id, ACCOUNT_BODY.write, account);
    this.amount = amount;
    this.supply = supply;
  }
}

/** In place of the request's offset: pages are counted from the accounts after those with this amount, atomic units. */
export interface BalanceOffset {
  readonly offsetBalance?: bigint | undefined;
}

/** A page of accounts that own some of a mosaic, by id. */
export function searchHolders(db: Db, { mosaicId, address }: HolderFilter, request: PageRequest): Promise<Page<Entry>> {
  return holderLists.readPage(db, { ...countedHolders(mosaicId), address }, request);
}

/** The holders of a mosaic, as they are counted. */
const countedHolders = (mosaicId: bigint) => ({ mosaic: idKey(mosaicId), collection: Collection.accountsByMosaic });

interface Holders {
  readonly mosaic: Buffer;
  readonly collection: number;
  readonly address?: Buffer | undefined;
}

const holderLists = new Lists<Holders>(
  { table: "accounts", bodies: ACCOUNT_BODIES },
  ({ mosaic, collection, address }) => {
    const ids = sql`select b.id from account_balances b ${holders(mosaic, address)}`;
    return address ? { ids } : { lists: [{ collection, key: mosaic, ids, hasBuckets: true }] };
  },
);

function holders(mosaic: Parameter, address: Parameter | undefined): RawBuilder<unknown> {
  const ofAddress = address ? sql`and b.id = (select id from accounts where address = ${address})` : sql``;
  return sql`where b.mosaic_id = ${mosaic} ${ofAddress}`;
}

/** Pages that begin further from an end of the list, or from the offset, are found by buckets. */
const LONGEST_WALK = 1_000;

/**
 * A page of accounts by their balance of a mosaic, equal amounts by id: a walk over the index of that order, from the
 * list's end or the offset, or for deep pages from the lowest amount of a bucket.
 */
export async function searchByBalance(
  db: Db,
  { mosaicId, address }: HolderFilter,
  request: PageRequest & BalanceOffset,
): Promise<Page<Holder>> {
  const { order, pageSize, offset, offsetBalance } = request;
  const skip = (request.pageNumber - 1) * pageSize;
  const args: BalanceArguments = {
    ...{ ...countedHolders(mosaicId), address },
    ...{ order, count: pageSize, skip, isFar: skip > LONGEST_WALK },
    ...(offset ? { offset } : { offsetBalance }),
  };
  const rows = await byBalance.read(db, args);
  const data = rows.flatMap(({ id, value, amount, supply }) =>
    id === null || value === null ? [] : [new Holder({ id, value }, amount ?? 0n, supply ?? undefined)],
  );
  return { data, pagination: describePage(request, Number(rows[0]?.total ?? 0)) };
}

/** What a page by balance depends on. */
interface BalanceArguments extends Holders {
  readonly order: Order;
  readonly count: number;
  /** Entries before the page. */
  readonly skip: number;
  readonly isFar: boolean;
  /** The account after which pages begin, or the amount. */
  readonly offset?: Buffer | undefined;
  readonly offsetBalance?: bigint | undefined;
}

/** The total is in each row, so that it is present on an empty page too. */
const BALANCE_ROW = new RowType({
  total: int8,
  supply: nullable(numeric),
  amount: nullable(numeric),
  id: nullable(bytea),
  value: nullable(bytea),
});

const byBalance = new Statement<BalanceArguments, typeof BALANCE_ROW.columns>(BALANCE_ROW, (args) =>
  args.address || !args.isFar ? walkFromEnd(args) : walkFromBucket(args),
);

function walkFromEnd(args: BoundArguments<BalanceArguments>): RawBuilder<unknown> {
  const { mosaic, address, order, count, skip } = args;
  const way = direction(order);
  const edge = edgeOf(args);
  const afterEdge = edge ? sql`and (b.amount, b.id) ${order === "asc" ? sql`>` : sql`<`} ${edge}` : sql``;
  const where = sql`${holders(mosaic, address)}`;
  const balances = sql`
    select b.id, b.amount from account_balances b ${where} ${afterEdge}
    order by b.amount ${way}, b.id ${way} limit ${count}::int8 offset ${skip}::int8`;
  const total = address ? sql`(select count(*) from account_balances b ${where})` : totalOf(args);
  return rowsOf(args, balances, total);
}

/**
 * Ordinals count from the lowest amount: the page has those from `first` to `last`, and `before` entries are below
 * the bucket.
 */
function walkFromBucket(args: BoundArguments<BalanceArguments>): RawBuilder<unknown> {
  const { mosaic, order, count, skip } = args;
  const edge = edgeOf(args);
  const rank = edge ? rankOf(mosaic, edge, order === "asc") : order === "asc" ? sql`0::int8` : sql`total`;
  const ordinals =
    order === "asc"
      ? sql`select total, rank + ${skip}::int8 + 1 as first, least(total, rank + ${skip}::int8 + ${count}::int8) as last`
      : sql`select total, greatest(0, rank - ${skip}::int8 - ${count}::int8) + 1 as first, rank - ${skip}::int8 as last`;
  const balances = sql`
    select b.id, b.amount from account_balances b
    where b.mosaic_id = ${mosaic} and b.amount >= (select bucket from anchor)
    order by b.amount, b.id
    limit (select greatest(0, last - first + 1) from page) offset (select greatest(0, first - 1 - before) from page, anchor)`;
  return sql`
    with page as materialized (
        ${ordinals} from (select total, ${rank} as rank from (select ${totalOf(args)} as total) t) r),
      anchor as materialized (
        select coalesce(max(bucket), 0) as bucket, coalesce(max(before), 0) as before from (
          select bucket, sum(count) over (order by bucket) - count as before
          from balance_histogram where mosaic_id = ${mosaic}) l
        where before < (select first from page))
    ${rowsOf(args, balances, sql`(select total from page)`)}`;
}

/** Number of entries below an edge; with `isPassed` including an entry on the edge. */
function rankOf(mosaic: Parameter, edge: RawBuilder<unknown>, isPassed: boolean): RawBuilder<unknown> {
  const compare = isPassed ? sql`<=` : sql`<`;
  return sql`(
    with edge (amount, id) as materialized (select e.amount, e.id from (values ${edge}) e (amount, id)),
      bucket as materialized (
        select max(bucket) as bucket from balance_histogram
        where mosaic_id = ${mosaic} and bucket <= (select amount from edge))
    select coalesce((
        select sum(count) from balance_histogram where mosaic_id = ${mosaic} and bucket < (select bucket from bucket)), 0)::int8
      + (select count(*) from account_balances b
         where b.mosaic_id = ${mosaic} and b.amount >= (select coalesce(bucket, 0) from bucket)
           and b.amount <= (select amount from edge)
           and (b.amount, b.id) ${compare} (select amount, id from edge)))`;
}

/** The position after which pages begin, as a pair of amount and id; undefined for an end of the list. */
function edgeOf(args: BoundArguments<BalanceArguments>): RawBuilder<unknown> | undefined {
  const { mosaic, order, offset, offsetBalance } = args;
  // An account without this mosaic has the position of amount 0.
  if (offset) {
    const amount = sql`(select amount from account_balances where id = ${offset} and mosaic_id = ${mosaic})`;
    return sql`(coalesce(${amount}, 0), ${offset}::bytea)`;
  }
  return offsetBalance && sql`(${offsetBalance}::numeric, ${order === "asc" ? ABOVE_ALL_IDS : BELOW_ALL_IDS})`;
}

const BELOW_ALL_IDS = sql`''::bytea`;
const ABOVE_ALL_IDS = sql`decode(repeat('ff', 13), 'hex')`;

function totalOf({ collection, mosaic }: BoundArguments<BalanceArguments>): RawBuilder<unknown> {
  return sql`coalesce((select count from counters where collection = ${collection} and key = ${mosaic}), 0)`;
}

function rowsOf(
  { mosaic, order }: BoundArguments<BalanceArguments>,
  balances: RawBuilder<unknown>,
  total: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const way = direction(order);
  return sql`
    select t.total::int8 as total, (select supply from mosaics where mosaic_id = ${mosaic}) as supply, p.amount, p.id, p.value
    from (select ${total} as total) t
    left join (
      select b.id, b.amount, d.value from (${balances}) b
      cross join lateral (select value from accounts where id = b.id offset 0) d) p on true
    order by p.amount ${way}, p.id ${way}`;
}
