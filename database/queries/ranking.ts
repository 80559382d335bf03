import { sql } from "kysely";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../database.js";
import { idKey, KeyKind, keyNumber } from "../lists/collections.js";
import { embeddedIs, type Sql, withoutEmbeddedFlagSql } from "../tables/embedded-flag.js";
import { DailyMeasure, type DayParts, dividedByDays, type HeightRange, isOfDays } from "./daily-sums.js";
import { readNetworkIdentifier } from "./network.js";

/** What accounts are ranked by. */
export type RankingField = "HARVESTED" | "SENT" | "RECEIVED" | "TRANSACTIONS" | "IMPORTANCE";

/** An account with its rank. */
export interface Ranked {
  /** 24 bytes. */
  readonly address: Buffer;
  /** Blocks, transactions, or changes that were added up; 0 for importances. */
  readonly count: number;
  /** Atomic units; an importance; for transactions their number. */
  readonly value: bigint;
}

/** Heights are inclusive. */
export interface RankingRequest {
  readonly by: RankingField;
  readonly fromHeight: number;
  readonly toHeight: number;
  /** Of what was sent or received. */
  readonly mosaicId: bigint;
  readonly first: number;
}

/** More rewards, transactions or changes outside whole days are not added up. */
export const MAX_RANKED_ROWS = 200_000;
/** Nor more sums of an account and a day. */
export const MAX_RANKED_SUMS = 1_000_000;

/**
 * The accounts with the highest values between two heights, the highest first; equal ones by address. Whole days are read
 * from sums by day.
 * @returns undefined if more than {@link MAX_RANKED_ROWS} rows or {@link MAX_RANKED_SUMS} sums would have to be read
 */
export async function readRanking(db: Db, request: RankingRequest): Promise<Ranked[] | undefined> {
  const { rows } = await sql<{ key: Buffer; count: number; value: string; isCut: boolean }>`
    with ${await readParts(db, request)},
    sums as (select account, sum(count) as count, sum(value) as value from (
      select account, count(distinct height) as count, sum(value) as value from found group by account
      union all
      select account, count, value from days) p group by account)
    select k.key, s.count::int8 as count, s.value::numeric as value,
      (select count(*) from found) > ${MAX_RANKED_ROWS} or (select count(*) from days) > ${MAX_RANKED_SUMS} as "isCut"
    from sums s join keys k on k.id = s.account
    order by s.value desc, k.key limit ${request.first}`.execute(db);
  if (rows[0]?.isCut) return undefined;
  const network = (await readNetworkIdentifier(db)) ?? 0;
  return rows.map(({ key, count, value }) => ({
    address: request.by === "TRANSACTIONS" ? addressOfPublicKey(key, network) : key,
    count,
    value: BigInt(value),
  }));
}

const NO_ROWS = sql`select 0 as account, 0 as height, 0 as value where false`;
const NO_SUMS = sql`select 0 as account, 0 as count, 0 as value where false`;

/** The rows outside whole days as `found`, and the sums of these as `days`. */
async function readParts(db: Db, request: RankingRequest): Promise<Sql> {
  const { fromHeight: first, toHeight: last } = request;
  const isOfNow = request.by === "IMPORTANCE";
  const { rest, ...days } = isOfNow
    ? { fromDay: 0, toDay: 0, rest: [{ first, last }] }
    : await dividedByDays(db, { first, last });
  const ranges = rest.map((range) => sql`(${rowsOf(request, range)} limit ${MAX_RANKED_ROWS + 1})`);
  const found = ranges.length > 0 ? sql.join(ranges, sql` union all `) : NO_ROWS;
  const sums = isOfNow || days.fromDay === days.toDay ? NO_SUMS : selectSums(request, days);
  return sql`found as materialized (${found}),
    days as materialized (${sums} limit ${MAX_RANKED_SUMS + 1})`;
}

function selectSums({ by, mosaicId }: RankingRequest, days: Omit<DayParts, "rest">): Sql {
  const of = (measure: number, mosaic: Sql = sql`0`) => sql`d.mosaic = ${mosaic} and ${isOfDays(measure, days)}`;
  const columns = sql`select d.key as account, d.count, d.amount as value from daily_sums d where`;
  if (by === "HARVESTED") return sql`${columns} ${of(DailyMeasure.harvests)}`;
  if (by === "TRANSACTIONS") {
    return sql`select ${withoutEmbeddedFlagSql("d.key")} as account, d.count, d.count as value from daily_sums d
      where ${embeddedIs("d.key", false)} and ${of(DailyMeasure.signers)}`;
  }
  const mosaic = keyNumber({ kind: KeyKind.id, key: idKey(mosaicId) });
  return sql`${columns} ${of(by === "SENT" ? DailyMeasure.sent : DailyMeasure.received, mosaic)}`;
}

/** Rows with the number of an account's key, what counts once, and a value. */
function rowsOf({ by, mosaicId }: RankingRequest, { first, last }: HeightRange): Sql {
  const inSpan = (id: string) =>
    sql`${sql.ref(id)} >= ${entityNumber(first)}::int8 and ${sql.ref(id)} < ${entityNumber(last + 1)}::int8`;
  if (by === "HARVESTED") {
    // Looked up by block: the planner cannot know how few receipts are of one block, and may compare each with each.
    return sql`select b.harvester as account, b.height, coalesce(r.amount, 0) as value
      from blocks b left join lateral (
        select amount from receipts
        where type = ${RECEIPT_TYPE.harvest_fee} and target = b.harvester
          and statement_id >= b.height::int8 << 32 and statement_id < (b.height + 1)::int8 << 32
        offset 0) r on true
      where b.height between ${first} and ${last}`;
  }
  if (by === "TRANSACTIONS") {
    return sql`select ${withoutEmbeddedFlagSql("t.signer")} as account, t.id as height, 1 as value from transactions t
      where t.type & 1 = 0 and ${inSpan("t.id")}`;
  }
  if (by === "IMPORTANCE") {
    return sql`select k.id as account, 0 as height, a.importance as value from accounts a
      join keys k on k.key = a.address and k.kind = ${sql.lit(KeyKind.address)} where a.importance_height > 0`;
  }
  const sign = by === "SENT" ? sql`-` : sql``;
  return sql`select c.account, c.height, ${sign} c.change as value from balance_changes c
    where c.mosaic = ${keyNumber({ kind: KeyKind.id, key: idKey(mosaicId) })} and ${sign} c.change > 0
      and c.height between ${first} and ${last}`;
}
