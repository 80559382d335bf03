import { type RawBuilder, sql } from "kysely";
import { entityNumber } from "../../catapult/json/entity-id.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../../database/database.js";
import { DailyMeasure, type HeightRange } from "../../database/queries/daily-sums.js";
import type { Findings } from "./findings.js";

type Sql = RawBuilder<unknown>;

/** Rows with `height`, `mosaic`, `key`, and the `amount` of each that is counted. */
type Counted = (within: HeightRange) => Sql;

const MAX_OF_A_MEASURE = 100;

function isWithin({ first, last }: HeightRange, id: string): Sql {
  return sql`${sql.ref(id)} between ${entityNumber(first)}::int8 and ${entityNumber(last + 1)}::int8 - 1`;
}

/** Embedded transactions pay nothing. */
function transactionsBy(key: string): Counted {
  return (within) => sql`
    select t.id / 4294967296 as height, 0 as mosaic, ${sql.ref(key)} as key,
      case t.type % 2 when 0 then p.fee_multiplier::numeric * t.size else 0 end as amount
    from transactions t join blocks p on p.height = t.id / 4294967296 where ${isWithin(within, "t.id")}`;
}

function balances(amount: Sql): Counted {
  return ({ first, last }) => sql`
    select height, mosaic, account as key, ${amount} as amount from balance_changes
    where ${amount} > 0 and height between ${first} and ${last}`;
}

/** Every measure: defined here a second time, so that a mistake in the first shows. */
const MEASURES: Readonly<Record<keyof typeof DailyMeasure, Counted>> = {
  blocks: ({ first, last }) => sql`
    select height, 0 as mosaic, 0 as key, total_fee as amount from blocks where height between ${first} and ${last}`,
  types: transactionsBy("t.type"),
  signers: transactionsBy("t.signer"),
  transfers: (within) => sql`
    select m.id / 4294967296 as height, m.mosaic / 2 as mosaic, m.mosaic % 2 as key, m.amount
    from transaction_mosaics m where ${isWithin(within, "m.id")}`,
  harvests: (within) => sql`
    with paid as (
      select r.statement_id / 4294967296 as height, r.target, sum(r.amount) as amount
      from receipts r where r.type = ${RECEIPT_TYPE.harvest_fee} and ${isWithin(within, "r.statement_id")} group by 1, 2)
    select b.height, 0 as mosaic, b.harvester as key, coalesce(p.amount, 0) as amount
    from blocks b left join paid p on p.height = b.height and p.target = b.harvester
    where b.height between ${within.first} and ${within.last}`,
  sent: balances(sql`-change`),
  received: balances(sql`change`),
};

/** A day has some thousand blocks. */
const BLOCKS_OF_A_DAY = 100;

/**
 * Adds up the rows of all days that are added up, or of some random ones, and compares them with the sums by day. What is
 * compared is final.
 * @param sample number of blocks that would take as long as the days
 */
export async function checkDailySums(db: Db, findings: Findings, sample?: number): Promise<void> {
  const { rows } = await sql<{ last: number; days: number; unknown: number | null }>`
    select (select summed_height from head) as last, count(*) filter (where measure = ${DailyMeasure.blocks}) as days,
      min(measure) filter (where measure <> all (${Object.values(DailyMeasure)}::int2[])) as unknown
    from daily_sums`.execute(db);
  const { last = 0, days = 0, unknown = null } = rows[0] ?? {};
  if (unknown !== null) findings.add({ table: "daily_sums", key: `measure=${unknown}`, problem: "is not a measure" });
  const count = Math.ceil((sample ?? Number.POSITIVE_INFINITY) / BLOCKS_OF_A_DAY);
  for (const day of count < days ? await someDays(db, last, count) : [undefined]) {
    for (const name of Object.keys(MEASURES) as (keyof typeof MEASURES)[]) {
      await checkMeasure(db, findings, name, { first: 1, last }, day);
    }
    findings.countChecked(day ? "days" : "sums of all days", 1);
  }
}

interface CheckedDay extends HeightRange {
  /** The day, in ISO 8601. */
  readonly day: string;
}

/** Days of random blocks, and the heights of their blocks. */
async function someDays(db: Db, last: number, count: number): Promise<CheckedDay[]> {
  const { rows } = await sql<CheckedDay>`
    with days as (
      select distinct floor((b.timestamp + h.epoch_adjustment) / 86400000.0)::int8 as number
      from (select random() * ${last}::int4 as ordinal from generate_series(1, ${count}::int4)) r
      join blocks b on b.height = 1 + floor(r.ordinal)::int4 cross join head h where h.epoch_adjustment is not null)
    select (date '1970-01-01' + d.number::int4)::text as day, min(b.height) as first, max(b.height) as last
    from days d cross join head h join blocks b on b.timestamp >= d.number * 86400000 - h.epoch_adjustment
      and b.timestamp < (d.number + 1) * 86400000 - h.epoch_adjustment
    group by 1`.execute(db);
  return rows;
}

interface Wrong extends Record<"day" | "mosaic" | "key", string> {
  readonly stored: number | null;
  readonly storedAmount: string | null;
  readonly expected: number | null;
  readonly expectedAmount: string | null;
}

async function checkMeasure(
  db: Db,
  findings: Findings,
  name: keyof typeof MEASURES,
  all: HeightRange,
  on?: CheckedDay,
): Promise<void> {
  const { rows: wrong } = await sql<Wrong>`
    with counted as (
      select to_timestamp((b.timestamp + h.epoch_adjustment) / 1000) at time zone 'UTC' as time, c.*
      from (${MEASURES[name](on ?? all)}) c join blocks b on b.height = c.height
      cross join head h where h.epoch_adjustment is not null),
    added as (
      select time::date as day, mosaic, key, count(*) as count, sum(amount) as amount from counted group by 1, 2, 3)
    select day::text, mosaic::text, key::text, s.count as stored, s.amount::text as "storedAmount",
      a.count as expected, a.amount::text as "expectedAmount"
    from (
      select * from daily_sums where measure = ${DailyMeasure[name]}
        and ${on ? sql`day = ${on.day}::date` : sql`true`}) s
    full join added a using (day, mosaic, key)
    where (s.count, s.amount) is distinct from (a.count, a.amount)
    limit ${MAX_OF_A_MEASURE}`.execute(db);
  for (const { day, mosaic, key, stored, storedAmount, expected, expectedAmount } of wrong) {
    const row = { table: "daily_sums", key: `measure=${name} day=${day} mosaic=${mosaic} key=${key}` };
    const is = (column: string, is: unknown, not: unknown) =>
      is !== not && findings.add({ ...row, column, problem: `is ${is}, not ${not}` });
    if (stored === null)
      findings.add({ ...row, problem: `is missing: the rows are ${expected} with ${expectedAmount}` });
    else if (expected === null) findings.add({ ...row, problem: "belongs to no rows" });
    else {
      is("count", stored, expected);
      is("amount", storedAmount, expectedAmount);
    }
  }
}
