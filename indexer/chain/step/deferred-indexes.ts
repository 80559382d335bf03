import { sql } from "kysely";
import type { Logger } from "pino";
import type { Database, Db } from "../../../database/database.js";
import type { DeferredIndexTable } from "../../../database/tables/chain.js";
import { CHAIN_TABLES } from "./chain-tables.js";

/**
 * Tables whose indexes a long fill does without. Rows of blocks are only added, and nothing but registrations of namespaces
 * is looked up in them; accounts and balances are written again with each batch, and found by their keys.
 */
export const DEFERRED_TABLES: readonly (keyof Database)[] = [
  ...CHAIN_TABLES.filter((table) => table !== "namespace_registrations"),
  "raw_blocks",
  "accounts",
  "account_balances",
];

/** Tables that grow during a backfill. */
const FILLED_TABLES: readonly (keyof Database)[] = [
  ...DEFERRED_TABLES,
  "keys",
  "list_counters",
  "counters",
  "skip_pointers",
  "daily_sums",
];

/**
 * Number of tables vacuumed, and of indexes created, at a time: most are small enough that PostgreSQL uses one process
 * for each.
 */
const LANES = 2;
/** Memory of the database server for creating one index. */
const SORTING_MEMORY = "128MB";

/**
 * Drops the indexes of these tables that no constraint needs, because creating them for all rows at the end costs far
 * less than maintaining them with each row. Their definitions are stored in the same transaction, so that they are
 * never lost.
 */
export async function deferIndexes(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ name: string }>`
      insert into deferred_indexes (name, definition)
      select c.relname, pg_get_indexdef(i.indexrelid)
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace and t.relname = any(${[...DEFERRED_TABLES]}::text[])
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      returning name`.execute(trx);
    for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(trx);
  });
}

/**
 * Marks copied rows as visible to all, so that lists can be read from indexes alone, and updates statistics for the
 * query planner. PostgreSQL would do it automatically some time later.
 * @param db with at least two connections
 */
export async function vacuumFilled(db: Db): Promise<void> {
  await inLanes(FILLED_TABLES, async (table) => {
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  });
}

/** Does the work on each item, some at a time; stops early when `signal` is aborted. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>, signal?: AbortSignal): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    while (waiting.length > 0 && !signal?.aborted) await work(waiting.shift() as T);
  };
  // A lane that fails leaves the rest to the other one, whose end is awaited: nothing is left running.
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const one of lanes) if (one.status === "rejected") throw one.reason;
}

/**
 * Creates the deferred indexes, two at a time, on tables that are vacuumed before; does nothing if none is missing.
 * Stops early, to continue another time, when `signal` is aborted.
 * @param db with at least two connections
 */
export async function createDeferredIndexes(
  { db, log }: { readonly db: Db; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const missing = await db.selectFrom("deferred_indexes").selectAll().orderBy("name").execute();
  if (missing.length === 0) return;
  log.info({ indexes: missing.length }, "Creating the deferred indexes");
  // Before the indexes: a killed process repeats it, as long as any is missing.
  await vacuumFilled(db);
  let created = 0;
  const create = async (index: DeferredIndexTable): Promise<void> => {
    const startedAt = performance.now();
    await createIndex(db, index);
    created += 1;
    const ms = Math.round(performance.now() - startedAt);
    log.info({ index: index.name, ms, left: missing.length - created }, "Created an index");
  };
  await inLanes(missing, create, signal);
}

async function createIndex(db: Db, { name, definition }: DeferredIndexTable): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local maintenance_work_mem = ${sql.lit(SORTING_MEMORY)}`.execute(trx);
    await sql.raw(definition).execute(trx);
    await trx.deleteFrom("deferred_indexes").where("name", "=", name).execute();
  });
}
