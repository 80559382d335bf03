import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Db } from "../../database/database.js";
import { SPAN_SIZE } from "../../database/lists/collections.js";
import type { Findings } from "./findings.js";

/** Maximum number of reported differences per list. */
const MOST_OF_A_LIST = 100;

/** A list of state. */
export interface CheckedList {
  readonly collection: number;
  /** Its name in reported differences. */
  readonly nameOf: (key: Buffer) => string;
  /** A query of `key` and `id` of every entry. */
  readonly entries: RawBuilder<unknown>;
  /** Limits the check to one key, if given. */
  readonly key?: Buffer | undefined;
}

interface CountRow {
  readonly key: Buffer;
  readonly place: string;
  readonly stored: number | null;
  readonly expected: number | null;
}

/** Counts the entries of each span of a list, and compares. One statement is one snapshot. */
export async function checkSpans(db: Db, findings: Findings, list: CheckedList): Promise<void> {
  const { collection, entries, nameOf, key } = list;
  const ofKey = key ? sql`and key = ${key}` : sql``;
  const low = sql`get_byte(id, 10) * 256 + get_byte(id, 11)`;
  const start = sql`substring(id for 10) || decode(lpad(to_hex((${low}) / ${sql.lit(SPAN_SIZE)} * ${sql.lit(SPAN_SIZE)}), 4, '0'), 'hex')`;
  const { rows } = await sql<CountRow>`
    select key, upper(encode(start, 'hex')) as place, s.count as stored, e.count as expected
    from (select key, start, count from spans where collection = ${collection} ${ofKey}) s
    full join (select key, ${start} as start, count(*) as count from (${entries}) l group by 1, 2) e using (key, start)
    where s.count is distinct from e.count
    limit ${MOST_OF_A_LIST}`.execute(db);
  for (const row of rows) report(findings, "spans", `${nameOf(row.key)} start=${row.place}`, row);
}

/**
 * Counts the balances of each level of each mosaic, or of one (8 bytes), and compares. One statement is one snapshot.
 */
export async function checkLevels(db: Db, findings: Findings, mosaicId?: Buffer): Promise<void> {
  const ofMosaic = mosaicId ? sql`where mosaic_id = ${mosaicId}` : sql``;
  const digits = sql`length(ltrim((amount::int8)::bit(64)::text, '0'))`;
  const level = sql`((amount::int8 >> greatest(0, ${digits} - 5)) << greatest(0, ${digits} - 5))::numeric`;
  const { rows } = await sql<CountRow>`
    select mosaic_id as key, level::text as place, l.count as stored, b.count as expected
    from (select mosaic_id, level, count from balance_levels ${ofMosaic}) l
    full join (
      select mosaic_id, ${level} as level, count(*) as count from account_balances ${ofMosaic} group by 1, 2) b
      using (mosaic_id, level)
    where l.count is distinct from b.count
    limit ${MOST_OF_A_LIST}`.execute(db);
  for (const row of rows) {
    report(findings, "balance_levels", `mosaic_id=${hex(row.key)} level=${row.place}`, row);
  }
}

function report(findings: Findings, table: string, key: string, { stored, expected }: CountRow): void {
  if (stored === null) findings.add({ table, key, problem: `is missing: there are ${expected} entries` });
  else if (expected === null) findings.add({ table, key, problem: "has no entries" });
  else findings.add({ table, key, column: "count", problem: `is ${stored}, not ${expected}` });
}
