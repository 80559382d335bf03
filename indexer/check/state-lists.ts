import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Database, Db } from "../../database/database.js";
import { BUCKET_SIZE, Collection } from "../../database/lists/collections.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import type { Findings } from "./findings.js";

/** A collection of lists of state: the rows of a table by the values of a column, or all of them. */
interface StateLists {
  /** Its number. */
  readonly collection: number;
  readonly table: keyof Database;
  readonly column?: string;
  /** Whether the column has numbers, each one byte of a key; others have bytes. */
  readonly isSmall?: boolean;
}

/** Maximum number of reported differences per list. */
const MAX_OF_A_LIST = 100;

/** All lists of state. */
export const STATE_LISTS: readonly StateLists[] = [
  { collection: Collection.accountsByMosaic, table: "account_balances", column: "mosaic_id" },
  ...Object.values(STATE_TABLES).flatMap(({ table, all, lists }) => [
    ...(all === undefined ? [] : [{ collection: all, table }]),
    ...lists.flatMap(({ counted, column, isSmall }) =>
      counted === undefined ? [] : [{ collection: counted, column, isSmall, table }],
    ),
  ]),
];

/** A list of state whose key is known. */
export interface OneList {
  readonly collection: number;
  readonly key: Buffer;
}

/**
 * Counts all lists of state, or one, and compares them with the counters and buckets. One statement is one snapshot.
 */
export async function checkStateLists(db: Db, findings: Findings, only?: OneList): Promise<void> {
  for (const lists of STATE_LISTS) {
    if (only && only.collection !== lists.collection) continue;
    await checkCounters(db, findings, lists, only?.key);
    await checkBuckets(db, findings, lists, only?.key);
    findings.countChecked("lists", 1);
  }
  if (only) return;
  await checkHistogram(db, findings);
  for (const table of ["counters", "list_buckets"] as const) {
    const { rows: unknown } = await sql<{ collection: number }>`
      select distinct collection from ${sql.table(table)}
      where collection <> all(${STATE_LISTS.map(({ collection }) => collection)}::int2[])`.execute(db);
    for (const { collection } of unknown) {
      findings.add({ table, key: `collection=${collection}`, problem: "is not a list" });
    }
  }
}

/** The same for random lists of state, and the histograms for random mosaics. */
export async function checkSomeStateLists(db: Db, findings: Findings, count: number): Promise<void> {
  const { rows: lists } = await sql<OneList>`
    select collection, key from counters order by random() limit ${count}`.execute(db);
  for (const list of lists) await checkStateLists(db, findings, list);
  const { rows: mosaics } = await sql<{ mosaic_id: Buffer }>`
    select mosaic_id from (select distinct mosaic_id from balance_histogram) m order by random() limit ${count}`.execute(
    db,
  );
  for (const { mosaic_id } of mosaics) await checkHistogram(db, findings, mosaic_id);
}

async function checkCounters(db: Db, findings: Findings, lists: StateLists, key?: Buffer) {
  const ofKey = key ? sql`and key = ${key}` : sql``;
  const { rows: wrong } = await sql<{ key: Buffer; stored: number | null; expected: number | null }>`
    select key, c.count as stored, e.count as expected
    from (select key, count from counters where collection = ${lists.collection} ${ofKey}) c
    full join (select key, count(*) as count from (${stateEntries(lists, key)}) l group by key) e using (key)
    where c.count is distinct from e.count
    limit ${MAX_OF_A_LIST}`.execute(db);
  for (const row of wrong) findings.addCount({ table: "counters", key: nameOf(lists, row.key) }, row);
}

interface CountRow {
  readonly key: Buffer;
  readonly bucket: string;
  readonly stored: number | null;
  readonly expected: number | null;
}

/** Counts the entries of each bucket of a list, and compares. One statement is one snapshot. */
async function checkBuckets(db: Db, findings: Findings, lists: StateLists, only?: Buffer) {
  const ofKey = only ? sql`and key = ${only}` : sql``;
  const low = sql`get_byte(id, 10) * 256 + get_byte(id, 11)`;
  const start = sql`substring(id for 10) || decode(lpad(to_hex((${low}) / ${sql.lit(BUCKET_SIZE)} * ${sql.lit(BUCKET_SIZE)}), 4, '0'), 'hex')`;
  const { rows } = await sql<CountRow>`
    select key, upper(encode(start, 'hex')) as bucket, s.count as stored, e.count as expected
    from (select key, start, count from list_buckets where collection = ${lists.collection} ${ofKey}) s
    full join (select key, ${start} as start, count(*) as count from (${stateEntries(lists, only)}) l group by 1, 2) e using (key, start)
    where s.count is distinct from e.count
    limit ${MAX_OF_A_LIST}`.execute(db);
  for (const row of rows) {
    findings.addCount({ table: "list_buckets", key: `${nameOf(lists, row.key)} start=${row.bucket}` }, row);
  }
}

/**
 * Counts the balances of each bucket of each mosaic, or of one (8 bytes), and compares. One statement is one snapshot.
 */
async function checkHistogram(db: Db, findings: Findings, mosaicId?: Buffer): Promise<void> {
  const ofMosaic = mosaicId ? sql`where mosaic_id = ${mosaicId}` : sql``;
  const digits = sql`length(ltrim((amount::int8)::bit(64)::text, '0'))`;
  const bucket = sql`((amount::int8 >> greatest(0, ${digits} - 5)) << greatest(0, ${digits} - 5))::numeric`;
  const { rows } = await sql<CountRow>`
    select mosaic_id as key, bucket::text as bucket, l.count as stored, b.count as expected
    from (select mosaic_id, bucket, count from balance_histogram ${ofMosaic}) l
    full join (
      select mosaic_id, ${bucket} as bucket, count(*) as count from account_balances ${ofMosaic} group by 1, 2) b
      using (mosaic_id, bucket)
    where l.count is distinct from b.count
    limit ${MAX_OF_A_LIST}`.execute(db);
  for (const row of rows) {
    findings.addCount({ table: "balance_histogram", key: `mosaic_id=${hex(row.key)} bucket=${row.bucket}` }, row);
  }
}

/** A query of `key` and `id` of every entry, optionally for one key. */
export function stateEntries({ table, column, isSmall }: StateLists, key?: Buffer): RawBuilder<unknown> {
  if (column === undefined) return sql`select ''::bytea as key, id from ${sql.table(table)}`;
  const value = sql.ref(column);
  // The column's own values, so that an index can be used.
  const condition = key ? sql`${value} = ${isSmall ? key.readUInt8() : key}` : sql`${value} is not null`;
  return sql`select ${isSmall ? sql`decode(lpad(to_hex(${value}::int4), 2, '0'), 'hex')` : value} as key, id
    from ${sql.table(table)} where ${condition}`;
}

function nameOf({ collection, table, column }: StateLists, key: Buffer): string {
  const name = column === undefined ? table : `${table} by ${column}`;
  return `collection=${collection} (${name})${key.length > 0 ? ` key=${hex(key)}` : ""}`;
}
