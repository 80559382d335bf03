import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Database, Db } from "../../database/database.js";
import { BUCKET_SIZE, Collection } from "../../database/lists/collections.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import { checkCounts } from "./count-check.js";
import type { Findings } from "./findings.js";

/** A collection of lists of state: the rows of a table by the values of a column, or all of them. */
interface StateLists {
  readonly collection: number;
  readonly table: keyof Database;
  readonly column?: string;
  /** Whether the column has numbers, each one byte of a key; others have bytes. */
  readonly isSmall?: boolean;
}

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
    await checkLists(db, findings, lists, only?.key);
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

/** Counts the entries of lists, or of one, and those of each of their buckets. */
async function checkLists(db: Db, findings: Findings, lists: StateLists, only?: Buffer): Promise<void> {
  const where = sql`collection = ${lists.collection} ${only ? sql`and key = ${only}` : sql``}`;
  const entries = stateEntries(lists, only);
  const listName = ({ key }: Pick<OneList, "key">) => nameOf(lists, key);
  await checkCounts(db, findings, { table: "counters", key: ["key"], where, entries, nameOf: listName });
  const low = sql`get_byte(id, 10) * 256 + get_byte(id, 11)`;
  const start = sql`substring(id for 10) || decode(lpad(to_hex((${low}) / ${sql.lit(BUCKET_SIZE)} * ${sql.lit(BUCKET_SIZE)}), 4, '0'), 'hex')`;
  await checkCounts<{ readonly key: Buffer; readonly start: Buffer }>(db, findings, {
    table: "list_buckets",
    key: ["key", "start"],
    where,
    entries: sql`select key, ${start} as start from (${entries}) of_lists`,
    nameOf: (bucket) => `${listName(bucket)} start=${hex(bucket.start)}`,
  });
}

/** Counts the balances of each bucket of each mosaic, or of one (8 bytes). */
async function checkHistogram(db: Db, findings: Findings, mosaicId?: Buffer): Promise<void> {
  const where = mosaicId ? sql`mosaic_id = ${mosaicId}` : sql`true`;
  const digits = sql`length(ltrim((amount::int8)::bit(64)::text, '0'))`;
  const bucket = sql`((amount::int8 >> greatest(0, ${digits} - 5)) << greatest(0, ${digits} - 5))::numeric`;
  await checkCounts<{ readonly mosaic_id: Buffer; readonly bucket: string }>(db, findings, {
    table: "balance_histogram",
    key: ["mosaic_id", "bucket"],
    where,
    entries: sql`select mosaic_id, ${bucket} as bucket from account_balances where ${where}`,
    nameOf: ({ mosaic_id, bucket }) => `mosaic_id=${hex(mosaic_id)} bucket=${bucket}`,
  });
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
