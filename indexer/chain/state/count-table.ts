import { type RawBuilder, sql } from "kysely";
import type { Database, Db } from "../../../database/database.js";
import { bucketStart, type CollectionKey } from "../../../database/lists/collections.js";

/** A table of counts: its key columns with their types, and a column `count` that is never 0. */
export interface CountTable {
  readonly table: keyof Database;
  readonly keyColumns: readonly (readonly [name: string, type: string])[];
}

/** Change of a count; `key` has the values of the key columns. */
export interface CountChange {
  readonly key: readonly unknown[];
  readonly change: number;
}

interface Count {
  readonly key: readonly unknown[];
  readonly count: number;
}

/**
 * Adds changes to the counts of a table. Counts of 0 are deleted.
 * @param changes each key occurs once
 * @throws RangeError when a count would be below 0
 */
export async function changeCounts(trx: Db, table: CountTable, changes: readonly CountChange[]): Promise<void> {
  const wanted = changes.filter(({ change }) => change !== 0);
  if (wanted.length === 0) return;
  const before = await readCounts(trx, table, wanted);
  const after = wanted.map(({ key, change }, index) => ({ key, count: (before[index] ?? 0) + change }));
  const wrong = after.find(({ count }) => count < 0);
  if (wrong)
    throw new RangeError(`${table.table}: the count of ${wrong.key.map(nameOf).join(" ")} would be ${wrong.count}`);
  await upsert(
    trx,
    table,
    after.filter(({ count }) => count > 0),
  );
  await remove(
    trx,
    table,
    after.filter(({ count }) => count === 0),
  );
}

/** Current counts, 0 if there is none, in the order of `keys`. */
async function readCounts(trx: Db, table: CountTable, keys: readonly Pick<Count, "key">[]): Promise<number[]> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(c.count, 0) as count
    from unnest(${arrays(table, keys)}) with ordinality given (${names(table)}, index)
    left join ${sql.table(table.table)} c on ${isSameKey(table, "c", "given")}
    order by given.index`.execute(trx);
  return rows.map(({ count }) => count);
}

async function upsert(trx: Db, table: CountTable, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    insert into ${sql.table(table.table)} (${names(table)}, count)
    select * from unnest(${arrays(table, counts)}, ${counts.map(({ count }) => count)}::int8[])
    on conflict (${names(table)}) do update set count = excluded.count`.execute(trx);
}

async function remove(trx: Db, table: CountTable, keys: readonly Pick<Count, "key">[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from ${sql.table(table.table)} c using unnest(${arrays(table, keys)}) gone (${names(table)})
    where ${isSameKey(table, "c", "gone")}`.execute(trx);
}

function names({ keyColumns }: CountTable): RawBuilder<unknown> {
  return sql.join(keyColumns.map(([name]) => sql.ref(name)));
}

function arrays({ keyColumns }: CountTable, keys: readonly Pick<Count, "key">[]): RawBuilder<unknown> {
  return sql.join(keyColumns.map(([, type], index) => sql`${keys.map(({ key }) => key[index])}::${sql.raw(type)}[]`));
}

function isSameKey({ keyColumns }: CountTable, left: string, right: string): RawBuilder<unknown> {
  const rules = keyColumns.map(([name]) => sql`${sql.ref(`${left}.${name}`)} = ${sql.ref(`${right}.${name}`)}`);
  return sql.join(rules, sql` and `);
}

function nameOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}

const COUNTERS: CountTable = {
  table: "counters",
  keyColumns: [
    ["collection", "int2"],
    ["key", "bytea"],
  ],
};
const LIST_BUCKETS: CountTable = { table: "list_buckets", keyColumns: [...COUNTERS.keyColumns, ["start", "bytea"]] };

/** Added and removed entries of lists of state. */
export class CountChanges {
  readonly #lists = new Map<string, CountChange>();
  readonly #buckets = new Map<string, CountChange>();

  /** @param id of the entry */
  add({ collection, key }: CollectionKey, id: Buffer, change: 1 | -1): void {
    const name = `${collection} ${key.toString("latin1")}`;
    const start = bucketStart(id);
    addTo(this.#lists, name, [collection, key], change);
    addTo(this.#buckets, `${name} ${start.toString("latin1")}`, [collection, key, start], change);
  }

  /**
   * Writes the sums to the counters and buckets.
   * @throws RangeError when a list would have less than no entries
   */
  async write(trx: Db): Promise<void> {
    await changeCounts(trx, COUNTERS, [...this.#lists.values()]);
    await changeCounts(trx, LIST_BUCKETS, [...this.#buckets.values()]);
  }
}

function addTo(changes: Map<string, CountChange>, name: string, key: CountChange["key"], change: number): void {
  changes.set(name, { key, change: (changes.get(name)?.change ?? 0) + change });
}
