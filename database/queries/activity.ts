import { sql } from "kysely";
import { entityNumber, MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import type { Holding } from "../balances/balance-changes.js";
import { ENTITY_IDS, type IdForm } from "../bodies/id-form.js";
import type { Db } from "../database.js";
import { Collection, decodeList, idKey, KeyKind, keyNumber, listNumber, TYPE_RANGE } from "../lists/collections.js";
import { totalOf } from "../lists/rank.js";
import { embeddedIs, withoutEmbeddedFlagSql } from "../tables/embedded-flag.js";
import { listsOfType } from "./transactions.js";

/** The requested time intervals; timestamps in ms since the epoch adjustment. */
export interface ActivityRequest {
  /** Inclusive. */
  readonly fromTimestamp: number;
  /** Exclusive. */
  readonly toTimestamp: number;
  /** Length of an interval, in ms. */
  readonly intervalMs: number;
  /** Intervals begin at multiples of their length plus this, in ms; from 0 to less than the length. */
  readonly shiftMs: number;
}

/** The blocks of a time interval that contains some. */
export interface BlockInterval {
  /** Start of the interval, in ms since the epoch adjustment. */
  readonly timestamp: number;
  readonly firstHeight: number;
  readonly lastHeight: number;
}

/** Activity in a time interval that contains blocks. */
export interface Activity extends BlockInterval {
  readonly transactions: number;
  /** Including embedded ones. */
  readonly totalTransactions: number;
  /** Atomic units of the currency that transactions paid. */
  readonly fees: bigint;
}

/** Sums over the blocks of each non-empty time interval, in ascending order: read from an index alone. */
export async function readActivity(db: Db, request: ActivityRequest): Promise<Activity[]> {
  const { fromTimestamp, toTimestamp, intervalMs, shiftMs } = request;
  const number = sql`floor((timestamp - ${shiftMs}::int8)::numeric / ${intervalMs}::int8)::int8`;
  const { rows } = await sql<Record<Exclude<keyof Activity, "fees">, number> & { fees: string }>`
    select ${number} * ${intervalMs}::int8 + ${shiftMs}::int8 as timestamp,
      min(height) as "firstHeight", max(height) as "lastHeight",
      sum(transactions_count) as transactions, sum(total_transactions_count) as "totalTransactions",
      sum(total_fee)::numeric as fees
    from blocks where timestamp >= ${fromTimestamp} and timestamp < ${toTimestamp}
    group by 1 order by 1`.execute(db);
  return rows.map((row) => ({ ...row, fees: BigInt(row.fees) }));
}

/** The non-empty time intervals, in ascending order: only their ends are looked up, however long they are. */
export async function readBlockIntervals(db: Db, request: ActivityRequest): Promise<BlockInterval[]> {
  const { fromTimestamp, toTimestamp, intervalMs, shiftMs } = request;
  const begin = Math.floor((fromTimestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
  const inInterval = sql`timestamp >= greatest(i.start, ${fromTimestamp}::int8)
    and timestamp < least(i.start + ${intervalMs}::int8, ${toTimestamp}::int8)`;
  const { rows } = await sql<BlockInterval>`
    select i.start as timestamp, f.height as "firstHeight", l.height as "lastHeight"
    from generate_series(${begin}::int8, ${toTimestamp - 1}::int8, ${intervalMs}::int8) i (start)
    cross join lateral (select height from blocks where ${inInterval} order by timestamp limit 1) f
    cross join lateral (select height from blocks where ${inInterval} order by timestamp desc limit 1) l
    order by 1`.execute(db);
  return rows;
}

/** For each range of heights (inclusive), how many accounts its blocks named first: counted in an index. */
export async function countNewAccounts(
  db: Db,
  spans: readonly Pick<BlockInterval, "firstHeight" | "lastHeight">[],
): Promise<number[]> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from accounts where address_height between s.first and s.last) as count
    from unnest(
      ${spans.map(({ firstHeight }) => firstHeight)}::int8[],
      ${spans.map(({ lastHeight }) => lastHeight)}::int8[]) with ordinality s (first, last, ordinal)
    order by s.ordinal`.execute(db);
  return rows.map(({ count }) => count);
}

/** Activity of transactions of one type in a time interval. */
export interface TypeActivity {
  readonly type: number;
  readonly transactions: number;
  /** Including embedded ones. */
  readonly totalTransactions: number;
  /** Atomic units of the currency paid by top-level transactions. */
  readonly fees: bigint;
}

/** The sum of the fees of transactions `t`: the rule of `computeFee` in SQL. */
const FEES = sql`sum(t.size::int8 * (select b.fee_multiplier from blocks b where b.height = (t.id >> 32)::int4))`;

/**
 * The same by type, for each range of heights (inclusive), the most frequent type first. Reads every transaction of
 * the ranges: callers limit their number.
 */
export async function readTypeActivity(
  db: Db,
  spans: readonly { readonly firstHeight: number; readonly lastHeight: number }[],
): Promise<TypeActivity[][]> {
  const { rows } = await sql<Omit<TypeActivity, "fees"> & { ordinal: number; fees: string }>`
    select s.ordinal::int4 as ordinal, ${withoutEmbeddedFlagSql("t.type")} as type,
      count(*) filter (where ${embeddedIs("t.type", false)}) as transactions,
      count(*) as "totalTransactions",
      coalesce(${FEES} filter (where ${embeddedIs("t.type", false)}), 0)::numeric as fees
    from unnest(
      ${spans.map(({ firstHeight }) => entityNumber(firstHeight))}::int8[],
      ${spans.map(({ lastHeight }) => entityNumber(lastHeight + 1))}::int8[]) with ordinality s (low, high, ordinal)
    -- Without offset 0 the planner joins all transactions of the chain with all ranges.
    cross join lateral (select id, type, size from transactions where id >= s.low and id < s.high offset 0) t
    group by 1, 2
    order by 1, "totalTransactions" desc, 2`.execute(db);
  const found = spans.map((): TypeActivity[] => []);
  for (const { ordinal, fees, ...activity } of rows) found[ordinal - 1]?.push({ ...activity, fees: BigInt(fees) });
  return found;
}

/** Harvesting income of an account in a time interval. */
export interface Income {
  /** Start of the interval, in ms since the epoch adjustment. */
  readonly timestamp: number;
  /** Blocks with income. */
  readonly blocks: number;
  /** Atomic units of the currency: its share of fees and inflation. */
  readonly amount: bigint;
}

/**
 * Harvesting income of an account (24 bytes) in each time interval, in ascending order; intervals without any are
 * omitted.
 */
export async function readIncome(db: Db, address: Buffer, request: ActivityRequest): Promise<Income[]> {
  const { fromTimestamp, toTimestamp, intervalMs, shiftMs } = request;
  const edge = (timestamp: number) => sql`coalesce(
    (select height::int8 << 32 from blocks where timestamp >= ${timestamp} order by timestamp limit 1),
    ${entityNumber(MAX_STORED_HEIGHT)}::int8)`;
  const number = sql`floor((b.timestamp - ${shiftMs}::int8)::numeric / ${intervalMs}::int8)::int8`;
  const { rows } = await sql<{ timestamp: number; blocks: number; amount: string }>`
    select ${number} * ${intervalMs}::int8 + ${shiftMs}::int8 as timestamp,
      count(distinct b.height) as blocks, sum(r.amount) as amount
    from receipts r join blocks b on b.height = (r.statement_id >> 32)::int4
    where r.target = ${keyNumber({ kind: KeyKind.address, key: address })} and r.type = ${RECEIPT_TYPE.harvest_fee}
      and r.statement_id >= ${edge(fromTimestamp)} and r.statement_id < ${edge(toTimestamp)}
    group by 1 order by 1`.execute(db);
  return rows.map(({ timestamp, blocks, amount }) => ({ timestamp, blocks, amount: BigInt(amount) }));
}

/**
 * A balance before a span of time, and the sums of its changes in each interval of the span that has one, by the start of
 * the interval (ms since the epoch adjustment); atomic units.
 */
export async function readChangesByInterval(
  db: Db,
  { address, mosaicId }: Holding,
  { fromTimestamp, toTimestamp, intervalMs, shiftMs }: ActivityRequest,
): Promise<{ readonly before: bigint; readonly changes: ReadonlyMap<number, bigint> }> {
  const number = sql`floor((b.timestamp - ${shiftMs}::int8)::numeric / ${intervalMs}::int8)::int8`;
  const { rows } = await sql<{ timestamp: number | null; change: string }>`
    select case when b.timestamp >= ${fromTimestamp} then ${number} * ${intervalMs}::int8 + ${shiftMs}::int8 end
        as timestamp,
      sum(c.change)::numeric as change
    from balance_changes c join blocks b on b.height = c.height
    where c.mosaic = ${keyNumber({ kind: KeyKind.id, key: idKey(mosaicId) })} and c.account = ${keyNumber({ kind: KeyKind.address, key: address })}
      and b.timestamp < ${toTimestamp}
    group by 1`.execute(db);
  const changes = new Map(rows.map(({ timestamp, change }) => [timestamp, BigInt(change)]));
  const before = changes.get(null) ?? 0n;
  changes.delete(null);
  return { before, changes: changes as Map<number, bigint> };
}

/** Number of transactions of a type. */
export interface TypeCount {
  readonly type: number;
  readonly count: number;
}

/**
 * Number of transactions of each type in a range of heights (inclusive), the most frequent first. Read from counters
 * and skip pointers, so the cost does not depend on the length of the range.
 */
export async function countTypes(
  db: Db,
  span: { readonly fromHeight?: number | undefined; readonly toHeight?: number | undefined },
  embedded: boolean,
): Promise<TypeCount[]> {
  const collections = embedded
    ? [Collection.transactionsByTypeTop, Collection.transactionsByTypeEmbedded]
    : [Collection.transactionsByTypeTop];
  const ofCollections = collections.map(
    (collection) => sql`list >= ${listNumber(collection, 0)} and list < ${listNumber(collection, TYPE_RANGE)}`,
  );
  const { rows: found } = await sql<{ list: number }>`
    select list from list_counters where ${sql.join(ofCollections, sql` or `)}`.execute(db);
  const types = [...new Set(found.map(({ list }) => decodeList(list).key))];
  if (types.length === 0) return [];
  const edge = (height: number) => sql`${entityNumber(Math.min(height, MAX_STORED_HEIGHT))}::int8`;
  const bounds = {
    low: span.fromHeight === undefined ? undefined : edge(span.fromHeight),
    high: span.toHeight === undefined ? undefined : edge(span.toHeight + 1),
  };
  const counts = types.map((type) => {
    const total = totalOf(listsOfType(type, embedded), ENTITY_IDS as IdForm, bounds);
    return sql`select ${sql.lit(type)}::int4 as type, ${total} as count`;
  });
  const { rows } = await sql<TypeCount>`
    select type, count from (${sql.join(counts, sql` union all `)}) c where count > 0
    order by count desc, type`.execute(db);
  return rows;
}

/** Timestamp of the newest block in ms since the epoch adjustment; undefined before the first. */
export async function newestTimestamp(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom("blocks")
    .select("timestamp")
    .orderBy("timestamp", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.timestamp;
}
