import { sql } from "kysely";
import type { Logger } from "pino";
import type { Database, Db } from "../../database/database.js";
import { COPIED_TABLES } from "./copy-tables.js";

/** Tables that grow when a range is filled. */
export const FILLED_TABLES: readonly (keyof Database)[] = [...COPIED_TABLES, "counters", "milestones"];

/** Memory that the making of one index may take in the database's server. */
const SORTING_MEMORY = "256MB";

/**
 * Leaves out the indexes of some tables that no constraint needs, because making them of all rows at the end costs far
 * less than keeping them with each row. They are noted in the same transaction, so that they are never forgotten.
 */
export async function deferIndexes(db: Db, tables: readonly (keyof Database)[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ name: string }>`
      insert into deferred_indexes (name, definition)
      select c.relname, pg_get_indexdef(i.indexrelid)
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace and t.relname = any(${[...tables]}::text[])
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      returning name`.execute(trx);
    for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(trx);
  });
}

/**
 * Marks what was copied as seen by everybody, so that lists can be read from indexes alone, and notes how much there is
 * of what, so that queries are planned by that. PostgreSQL would do it by itself some time later.
 */
export async function vacuum(db: Db, tables: readonly (keyof Database)[]): Promise<void> {
  await sql`vacuum (analyze) ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db);
}

/**
 * Makes the indexes that were left out, one after the other, of tables that are vacuumed before; does nothing where none
 * is missing. Ends early, to go on another time, when `signal` is aborted.
 * @returns how many it made
 */
export async function makeDeferredIndexes(
  { db, log }: { readonly db: Db; readonly log: Logger },
  signal: AbortSignal,
): Promise<number> {
  const missing = await db.selectFrom("deferred_indexes").selectAll().orderBy("name").execute();
  if (missing.length === 0) return 0;
  log.info({ indexes: missing.length }, "Making the indexes that were left out while the index was filled");
  // Before the indexes: who is killed in between does it again, as long as any is missing.
  await vacuum(db, FILLED_TABLES);
  for (const [done, { name, definition }] of missing.entries()) {
    if (signal.aborted) return done;
    const startedAt = performance.now();
    await db.transaction().execute(async (trx) => {
      await sql`set local maintenance_work_mem = ${sql.lit(SORTING_MEMORY)}`.execute(trx);
      await sql.raw(definition).execute(trx);
      await trx.deleteFrom("deferred_indexes").where("name", "=", name).execute();
    });
    const ms = Math.round(performance.now() - startedAt);
    log.info({ index: name, ms, left: missing.length - done - 1 }, "Made an index");
  }
  return missing.length;
}
