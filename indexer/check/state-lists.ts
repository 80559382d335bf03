import { type RawBuilder, sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import type { Database, Db } from "../../database/database.js";
import { Collection } from "../../database/lists/collections.js";
import { STATE_TABLES } from "../state/tables.js";
import type { Findings } from "./findings.js";
import { type CheckedList, checkLevels, checkSpans } from "./state-counts.js";

/** The form of a part of a list's key in a row: bytes, or a number that takes one byte in the key. */
type KeyForm = "bytes" | "small";

/** Definition of a list: the rows of a table by the values of some columns. */
interface ListSource {
  readonly table: keyof Database;
  /** The column with the id of the entries. */
  readonly id: string;
  readonly key: readonly (readonly [column: string, form: KeyForm])[];
  readonly where?: RawBuilder<boolean>;
  /** Several rows may represent one entry. */
  readonly isRepeated?: boolean;
}

const NUMBER_BYTES: Readonly<Record<Exclude<KeyForm, "bytes">, number>> = { small: 1 };
/** Maximum number of reported differences per list. */
const MOST_OF_A_LIST = 100;
/** Columns of numbers by which rows of state are listed; all others contain bytes. */
const SMALL_COLUMNS = new Set(["registration_type", "alias_type", "metadata_type", "entry_type"]);

function rows(table: keyof Database, ...key: ListSource["key"]): ListSource {
  return { table, id: "id", key };
}

/** Every list of state, by its number: defined here a second time, so that a mistake in the first shows. */
const LISTS: ReadonlyMap<Collection, ListSource> = new Map<Collection, ListSource>([
  [Collection.accountsByMosaic, rows("account_balances", ["mosaic_id", "bytes"])],
  ...stateLists(),
]);

function stateLists(): [Collection, ListSource][] {
  return Object.values(STATE_TABLES).flatMap(({ table, all, lists }) => [
    ...(all === undefined ? [] : [[all, rows(table)] as [Collection, ListSource]]),
    ...lists.map(([collection, column]): [Collection, ListSource] => {
      const form = SMALL_COLUMNS.has(column) ? "small" : "bytes";
      return [collection, { ...rows(table, [column, form]), where: sql<boolean>`${sql.ref(column)} is not null` }];
    }),
  ]);
}

/** A list of state whose key is known. */
export interface OneList {
  readonly collection: number;
  readonly key: Buffer;
}

/** Counts all lists of state, or one, and compares them with the counters and spans. One statement is one snapshot. */
export async function checkStateLists(db: Db, findings: Findings, only?: OneList): Promise<void> {
  for (const [collection, source] of LISTS) {
    if (only && only.collection !== collection) continue;
    await checkCounters(db, findings, collection, source, only?.key);
    await checkSpans(db, findings, spansOf(collection, source, only?.key));
    findings.countChecked("lists", 1);
  }
  if (only) return;
  await checkLevels(db, findings);
  for (const table of ["counters", "spans"] as const) {
    const { rows: unknown } = await sql<{ collection: number }>`
      select distinct collection from ${sql.table(table)}
      where collection <> all(${[...LISTS.keys()]}::int2[])`.execute(db);
    for (const { collection } of unknown) {
      findings.add({ table, key: `collection=${collection}`, problem: "is not a list" });
    }
  }
}

function spansOf(collection: Collection, source: ListSource, key: Buffer | undefined): CheckedList {
  return { collection, entries: entries(source, key), key, nameOf: (one) => nameOf(collection, one) };
}

/** The same for random lists of state, and the levels of balances for random mosaics. */
export async function checkSomeStateLists(db: Db, findings: Findings, count: number): Promise<void> {
  const { rows: lists } = await sql<OneList>`
    select collection, key from counters order by random() limit ${count}`.execute(db);
  for (const list of lists) await checkStateLists(db, findings, list);
  const { rows: mosaics } = await sql<{ mosaic_id: Buffer }>`
    select mosaic_id from (select distinct mosaic_id from balance_levels) m order by random() limit ${count}`.execute(
    db,
  );
  for (const { mosaic_id } of mosaics) await checkLevels(db, findings, mosaic_id);
}

async function checkCounters(db: Db, findings: Findings, collection: number, source: ListSource, key?: Buffer) {
  const ofKey = key ? sql`and key = ${key}` : sql``;
  const { rows: wrong } = await sql<{ key: Buffer; stored: number | null; expected: number | null }>`
    select key, c.count as stored, e.count as expected
    from (select key, count from counters where collection = ${collection} ${ofKey}) c
    full join (select key, count(*) as count from (${entries(source, key)}) l group by key) e using (key)
    where c.count is distinct from e.count
    limit ${MOST_OF_A_LIST}`.execute(db);
  for (const row of wrong) {
    const difference = { table: "counters", key: nameOf(collection, row.key) };
    if (row.stored === null)
      findings.add({ ...difference, problem: `is missing: the list has ${row.expected} entries` });
    else if (row.expected === null) findings.add({ ...difference, problem: "belongs to a list without entries" });
    else findings.add({ ...difference, column: "count", problem: `is ${row.stored}, not ${row.expected}` });
  }
}

/** A query of `key` and `id` of every entry, optionally for one key. */
function entries({ table, id, key: parts, where, isRepeated }: ListSource, key?: Buffer): RawBuilder<unknown> {
  const conditions = [where ?? sql<boolean>`true`, ...(key ? keyConditions(parts, key) : [])];
  const distinct = isRepeated ? sql`distinct` : sql``;
  return sql`select ${distinct} ${keyExpression(parts)} as key, ${sql.ref(id)} as id
    from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`;
}

function keyExpression(parts: ListSource["key"]): RawBuilder<unknown> {
  if (parts.length === 0) return sql`''::bytea`;
  const expressions = parts.map(([column, form]) => {
    if (form === "bytes") return sql.ref(column);
    return sql`decode(lpad(to_hex(${sql.ref(column)}::int4), ${sql.lit(2 * NUMBER_BYTES[form])}, '0'), 'hex')`;
  });
  return sql.join(expressions, sql` || `);
}

/** The columns' own values, so that an index can be used. */
function keyConditions(parts: ListSource["key"], key: Buffer): RawBuilder<boolean>[] {
  let left = key;
  return [...parts].reverse().map(([column, form]) => {
    const bytes = form === "bytes" ? left : left.subarray(left.length - NUMBER_BYTES[form]);
    left = left.subarray(0, left.length - bytes.length);
    const value = form === "bytes" ? sql`${bytes}` : sql`${bytes.readUIntBE(0, bytes.length)}`;
    return sql<boolean>`${sql.ref(column)} = ${value}`;
  });
}

function nameOf(collection: number, key: Buffer): string {
  const name = Object.entries(Collection).find(([, number]) => number === collection)?.[0];
  return `collection=${collection} (${name})${key.length > 0 ? ` key=${hex(key)}` : ""}`;
}
