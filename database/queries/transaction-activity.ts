import { sql } from "kysely";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../database.js";
import { flaggedTypes, idKey, KeyKind, keyNumber, type NamedKey } from "../lists/collections.js";
import { embeddedIs, type Sql, withoutEmbeddedFlagSql } from "../tables/embedded-flag.js";
import type { ActivityRequest } from "./activity.js";
import { heightsAtTimes } from "./blocks.js";
import { DAY_MS, DAY_TIMESTAMP, DailyMeasure, type DayParts, dividedByDays, isOfDays } from "./daily-sums.js";
import { readEpochAdjustment } from "./network.js";

/** Transactions that count: all given conditions must match. */
export interface ActivityFilter {
  readonly types?: readonly number[] | undefined;
  /** 24 bytes: transactions that concern it. */
  readonly address?: Buffer | undefined;
  /** Transfers of this mosaic, also those that name it by an alias. */
  readonly mosaicId?: bigint | undefined;
}

/** Activity of transactions in a time interval with at least one. */
export interface TransactionActivity {
  /** Start of the interval, in ms since the epoch adjustment. */
  readonly timestamp: number;
  readonly transactions: number;
  /** Including embedded ones, like the transfers and the volume. */
  readonly totalTransactions: number;
  readonly transfers: number;
  /** Atomic units of the mosaic; undefined without one. */
  readonly volume: bigint | undefined;
  /** Atomic units of the currency that transactions paid; undefined with a mosaic: see {@link readActivityDetails}. */
  readonly fees: bigint | undefined;
}

/** The sums of more transactions outside whole days are not computed. */
export const MAX_COUNTED = 200_000;
/** Signers of whole days, counted each day, of which accounts are counted. */
export const MAX_SIGNERS = 1_000_000;

/**
 * Sums over the transactions of each time interval, in ascending order. UTC days that are completely in an interval are
 * read from sums by day, unless the filter has an address, or a mosaic and types; of others every transaction that
 * matches is read.
 * @returns undefined if these are more than {@link MAX_COUNTED}
 */
export async function readTransactionActivity(
  db: Db,
  filter: ActivityFilter,
  request: ActivityRequest,
): Promise<TransactionActivity[] | undefined> {
  const hasSums = !filter.address && (filter.mosaicId === undefined || !filter.types);
  const parts = await partsOf(db, request, hasSums);
  const isTop = embeddedIs("t.type", false);
  const { rows } = await sql<Record<Exclude<keyof TransactionActivity, "fees" | "volume">, number> & Sums>`
    with found as materialized (${foundIn(parts, filter)}),
    parts as (
      select ${computeStart(sql`b.timestamp`, request)} as timestamp,
        count(*) filter (where ${isTop}) as transactions, count(*) as total,
        count(*) filter (where ${withoutEmbeddedFlagSql("t.type")} = ${TRANSACTION_TYPE.transfer}) as transfers,
        sum(t.size::numeric * b.fee_multiplier) filter (where ${isTop}) as fees, sum(${volumeOf(filter)}) as volume
      from found t join blocks b on b.height = (t.id >> 32)::int4
      group by 1
      union all
      select ${computeStart(DAY_TIMESTAMP, request)}, ${sumsOfDays(filter)} and ${isOfDays(measureOf(filter), parts)}
      group by 1)
    select timestamp, coalesce(sum(transactions), 0)::int8 as transactions, sum(total)::int8 as "totalTransactions",
      coalesce(sum(transfers), 0)::int8 as transfers, coalesce(sum(fees), 0)::numeric as fees,
      coalesce(sum(volume), 0)::numeric as volume, (select count(*) from found) > ${MAX_COUNTED} as "isCut"
    from parts group by 1 having sum(total) > 0 order by 1`.execute(db);
  if (rows[0]?.isCut) return undefined;
  return rows.map(({ isCut: _, fees, volume, ...row }) => ({
    ...row,
    fees: filter.mosaicId === undefined ? BigInt(fees) : undefined,
    volume: filter.mosaicId === undefined ? undefined : BigInt(volume),
  }));
}

interface Sums {
  readonly fees: string;
  readonly volume: string;
  readonly isCut: boolean;
}

/** What cannot be added up. */
export interface ActivityDetails {
  /** Accounts that signed. */
  readonly activeAccounts: number;
  /** See `TransactionActivity`. */
  readonly fees: bigint;
}

/**
 * The details of each time interval by its start. Signers of whole days are read from sums by day if there is no filter;
 * otherwise every transaction that matches is read.
 * @returns undefined if there are more than {@link MAX_COUNTED} such transactions, or {@link MAX_SIGNERS} signers of days
 */
export async function readActivityDetails(
  db: Db,
  filter: ActivityFilter,
  request: ActivityRequest,
): Promise<ReadonlyMap<number, ActivityDetails> | undefined> {
  const isOfAll = Object.values(filter).every((one) => one === undefined);
  const parts = await partsOf(db, request, isOfAll);
  const { rows } = await sql<{ timestamp: number; activeAccounts: number; fees: string; isCut: boolean }>`
    with found as materialized (${foundIn(parts, filter)}),
    days as materialized (
      select ${computeStart(DAY_TIMESTAMP, request)} as timestamp, ${withoutEmbeddedFlagSql("d.key")} as signer from daily_sums d
      where d.mosaic = 0 and ${isOfDays(DailyMeasure.signers, parts)} limit ${MAX_SIGNERS + 1}),
    parts as (
      select ${computeStart(sql`b.timestamp`, request)} as timestamp, ${withoutEmbeddedFlagSql("t.signer")} as signer,
        case when ${embeddedIs("t.type", false)} then t.size::numeric * b.fee_multiplier end as fee
      from found t join blocks b on b.height = (t.id >> 32)::int4
      union all
      select timestamp, signer, null from days)
    select timestamp, count(*) as "activeAccounts", coalesce(sum(fee), 0)::numeric as fees,
      (select count(*) from found) > ${MAX_COUNTED} or (select count(*) from days) > ${MAX_SIGNERS} as "isCut"
    from (select timestamp, signer, sum(fee) as fee from parts group by 1, 2) signers group by 1`.execute(db);
  if (rows[0]?.isCut) return undefined;
  return new Map(
    rows.map(({ timestamp, activeAccounts, fees }) => [timestamp, { activeAccounts, fees: BigInt(fees) }]),
  );
}

/**
 * The number of accounts that harvested the blocks of each time interval, by its start. Whole days are read from sums by
 * day.
 * @returns undefined if there are more than {@link MAX_COUNTED} blocks outside whole days, or {@link MAX_SIGNERS} sums
 */
export async function readHarvesters(
  db: Db,
  request: ActivityRequest,
): Promise<ReadonlyMap<number, number> | undefined> {
  const { rest, ...days } = await partsOf(db, request, true);
  const ranges = rest.map(({ first, last }) => sql`height between ${first}::int4 and ${last}::int4`);
  const { rows } = await sql<{ timestamp: number; count: number; isCut: boolean }>`
    with found as materialized (
      select timestamp, harvester from blocks
      where ${ranges.length > 0 ? sql.join(ranges, sql` or `) : sql`false`}
      limit ${MAX_COUNTED + 1}),
    days as materialized (
      select ${computeStart(DAY_TIMESTAMP, request)} as timestamp, d.key as account from daily_sums d
      where d.mosaic = 0 and ${isOfDays(DailyMeasure.harvests, days)} limit ${MAX_SIGNERS + 1})
    select timestamp, count(distinct account) as count,
      (select count(*) from found) > ${MAX_COUNTED} or (select count(*) from days) > ${MAX_SIGNERS} as "isCut"
    from (
      select ${computeStart(sql`f.timestamp`, request)} as timestamp, f.harvester as account from found f
      union all
      select timestamp, account from days) p
    group by 1`.execute(db);
  if (rows[0]?.isCut) return undefined;
  return new Map(rows.map(({ timestamp, count }) => [timestamp, count]));
}

/** Whether each UTC day is in one interval. */
export async function hasWholeDays(db: Db, { intervalMs, shiftMs }: ActivityRequest): Promise<boolean> {
  const epoch = await readEpochAdjustment(db);
  return epoch !== undefined && intervalMs % DAY_MS === 0 && (shiftMs + epoch) % DAY_MS === 0;
}

/** The heights of a request; with whole days only if each of them is in one interval. */
async function partsOf(db: Db, request: ActivityRequest, hasSums: boolean): Promise<DayParts> {
  const { first, last } = await heightsAtTimes(db, request.fromTimestamp, request.toTimestamp);
  if (first === undefined || last === undefined || first > last) return { fromDay: 0, toDay: 0, rest: [] };
  if (hasSums && (await hasWholeDays(db, request))) return dividedByDays(db, { first, last });
  return { fromDay: 0, toDay: 0, rest: [{ first, last }] };
}

/** Transactions outside whole days, at most one more than are counted. */
function foundIn({ rest }: DayParts, filter: ActivityFilter): Sql {
  const columns = sql`select t.id, t.type, t.signer, t.size from transactions t where`;
  if (rest.length === 0) return sql`${columns} false`;
  const limit = sql`limit ${MAX_COUNTED + 1}`;
  const ranges = rest.map(({ first, last }) => {
    return sql`(${columns} ${conditions(filter, entityNumber(first), entityNumber(last + 1))} ${limit})`;
  });
  return sql.join(ranges, sql` union all `);
}

/** Start of the interval of a timestamp. */
function computeStart(timestamp: Sql, { intervalMs, shiftMs }: ActivityRequest): Sql {
  return sql`floor((${timestamp} - ${shiftMs}::int8)::numeric / ${intervalMs}::int8)::int8 * ${intervalMs}::int8
    + ${shiftMs}::int8`;
}

function measureOf({ mosaicId }: ActivityFilter): number {
  return mosaicId === undefined ? DailyMeasure.types : DailyMeasure.transfers;
}

/** Transactions, all of them, transfers, fees and volume from `daily_sums`, up to the condition on its rows. */
function sumsOfDays({ types, mosaicId }: ActivityFilter): Sql {
  const isTop = embeddedIs("d.key", false);
  const counts = sql`sum(d.count) filter (where ${isTop}), sum(d.count)`;
  if (mosaicId !== undefined) {
    const numbers = keysOf(mosaicId).map((key) => keyNumber(key));
    return sql`${counts}, sum(d.count), 0, sum(d.amount) from daily_sums d where d.mosaic in (${sql.join(numbers)})`;
  }
  return sql`${counts}, sum(d.count) filter (where ${withoutEmbeddedFlagSql("d.key")} = ${TRANSACTION_TYPE.transfer}),
    sum(d.amount), 0 from daily_sums d
    where d.mosaic = 0 ${types ? sql`and d.key in (${sql.join(flaggedTypes(types))})` : sql``}`;
}

function conditions({ types, address, mosaicId }: ActivityFilter, low: bigint, high: bigint): Sql {
  const inSpan = (column: string) => sql`${sql.ref(column)} >= ${low}::int8 and ${sql.ref(column)} < ${high}::int8`;
  const all = [inSpan("t.id")];
  if (types) all.push(sql`t.type in (${sql.join(flaggedTypes(types))})`);
  if (address) {
    const account = anyMark(keyNumber({ kind: KeyKind.address, key: address }));
    all.push(
      sql`t.id in (select a.id from transaction_addresses a where a.account = any (${account}) and ${inSpan("a.id")})`,
    );
  }
  if (mosaicId !== undefined) {
    all.push(sql`t.id in (select m.id from transaction_mosaics m where ${isMosaic(mosaicId)} and ${inSpan("m.id")})`);
  }
  return sql.join(all, sql` and `);
}

function volumeOf({ mosaicId }: ActivityFilter): Sql {
  if (mosaicId === undefined) return sql`0`;
  return sql`(select sum(m.amount) from transaction_mosaics m where m.id = t.id and ${isMosaic(mosaicId)})`;
}

/** A mosaic has one of two keys in a transfer: see `KeyKind`. */
function isMosaic(mosaicId: bigint): Sql {
  return sql`m.mosaic = any (${sql.join(
    keysOf(mosaicId).map((key) => anyMark(keyNumber(key))),
    sql` || `,
  )})`;
}

function keysOf(mosaicId: bigint): NamedKey[] {
  return [KeyKind.id, KeyKind.aliasedMosaic].map((kind) => ({ kind, key: idKey(mosaicId) }));
}

/** A key's number with either flag; nothing for an unknown key. */
function anyMark(number: Sql): Sql {
  return sql`array[${number} * 2, ${number} * 2 + 1]`;
}
