import { sql } from "kysely";
import type { Db } from "../database.js";
import type { Sql } from "../tables/embedded-flag.js";
import { readEpochAdjustment } from "./network.js";

/** What `daily_sums` adds up. The numbers are stored: their meaning never changes. */
export const DailyMeasure = {
  /** Blocks with their fees. */
  blocks: 1,
  /** Transactions with their fees, by type (flagged). */
  types: 2,
  /** The same by number of the signer's public key (flagged). */
  signers: 3,
  /** Transfers of a mosaic with their amounts; the key is the flag. */
  transfers: 4,
  /** Blocks with the rewards of their harvesters, by number of the harvester's address. */
  harvests: 5,
  /** Blocks in which an account's balance of a mosaic fell, and how far. */
  sent: 6,
  received: 7,
} as const;

export const DAY_MS = 86_400_000;

/** Heights, inclusive. */
export interface HeightRange {
  readonly first: number;
  readonly last: number;
}

/** A range of heights in parts: UTC days that are completely in it, and the rest. */
export interface DayParts {
  /** Number of the first day since 1970, and of the one after the last; equal if there is no whole day. */
  readonly fromDay: number;
  readonly toDay: number;
  /** At most two. */
  readonly rest: readonly HeightRange[];
}

/**
 * Divides a range of heights at the ends of UTC days. Days are those that are added up: the rest, such as the newest day,
 * is open. There are none while it is unknown when the network's time begins.
 */
export async function dividedByDays(db: Db, { first, last }: HeightRange): Promise<DayParts> {
  const epoch = await readEpochAdjustment(db);
  const timestampAt = (height: Sql) => sql`(select timestamp from blocks where height = ${height})`;
  const { rows } = await sql<Record<"last" | "summed" | "before" | "first" | "end" | "after", number | null>>`
    select e.last, (select timestamp from blocks where height = (select summed_height from head)) as summed,
      ${timestampAt(sql`${first - 1}::int4`)} as before, ${timestampAt(sql`${first}::int4`)} as first,
      ${timestampAt(sql`e.last`)} as "end", ${timestampAt(sql`e.last + 1`)} as after
    from (select least(${last}::int4, (select max(height) from blocks)) as last) e`.execute(db);
  const [at] = rows;
  if (at?.first == null || at.end === null || at.last === null) return { fromDay: 0, toDay: 0, rest: [] };
  const undivided = { fromDay: 0, toDay: 0, rest: [{ first, last: at.last }] };
  if (epoch === undefined || at.summed === null) return undivided;
  const computeDay = (timestamp: number) => Math.floor((timestamp + epoch) / DAY_MS);
  const isDay = (timestamp: number | null, day: number) => timestamp !== null && computeDay(timestamp) === day;
  const fromDay = computeDay(at.first) + (isDay(at.before, computeDay(at.first)) ? 1 : 0);
  const toDay = Math.min(computeDay(at.end) + (isDay(at.after, computeDay(at.end)) ? 0 : 1), computeDay(at.summed) + 1);
  if (fromDay >= toDay) return undivided;
  const { rows: edges } = await sql<{ from: number | null; to: number | null }>`
    select ${firstHeightFrom(fromDay * DAY_MS - epoch)} as "from", ${firstHeightFrom(toDay * DAY_MS - epoch)} as "to"`.execute(
    db,
  );
  const { from, to } = edges[0] ?? {};
  const rest = [
    { first, last: Math.min((from ?? at.last + 1) - 1, at.last) },
    { first: to ?? at.last + 1, last: at.last },
  ];
  return { fromDay, toDay, rest: rest.filter((range) => range.first <= range.last) };
}

function firstHeightFrom(timestamp: number): Sql {
  return sql`(select height from blocks where timestamp >= ${timestamp}::int8 order by timestamp limit 1)`;
}

/** Whether row `d` of `daily_sums` is of a measure, and of these days. */
export function isOfDays(measure: number, { fromDay, toDay }: Pick<DayParts, "fromDay" | "toDay">): Sql {
  return sql`d.measure = ${sql.lit(measure)}::int2 and d.day >= date '1970-01-01' + ${fromDay}::int4
    and d.day < date '1970-01-01' + ${toDay}::int4`;
}

/** The timestamp at which the day of row `d` begins, ms since the epoch adjustment. */
export const DAY_TIMESTAMP: Sql = sql`((d.day - date '1970-01-01')::int8 * ${sql.lit(DAY_MS)}
  - (select epoch_adjustment from head))`;
