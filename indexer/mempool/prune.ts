import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../database/database.js";

/**
 * Limits of rows that strangers can cause without paying: a node's caches of 20 MB hold fewer transactions. Statuses are
 * deleted after some days, too.
 */
const MAX_ROWS = { statuses: 1_000_000, statusDays: 30, awaited: 200_000, announcements: 200_000, rejections: 200_000 };

/**
 * Deletes rows above the limits, the oldest first; of those with a deadline the ones that end last, so that a flood with
 * far deadlines pushes out itself.
 */
export async function prune(db: Db, log: Logger, max: Partial<typeof MAX_ROWS> = {}): Promise<void> {
  const { statuses, statusDays, awaited, announcements, rejections } = { ...MAX_ROWS, ...max };
  await sql`
    delete from transaction_statuses where recorded_at < now() - make_interval(days => ${statusDays})`.execute(db);
  await deleteOldest(db, "transaction_statuses", "recorded_at", statuses, log);
  await deleteLast(db, "awaited_transactions", awaited, log);
  await deleteLast(db, "announcements", announcements, log);
  await deleteOldest(db, "rejected_announcements", "id", rejections, log);
}

/** Deletes the lowest rows by an indexed column, so that at most about `max` remain. */
async function deleteOldest(db: Db, table: string, column: string, max: number, log: Logger): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(column)} <= (
      select ${sql.ref(column)} from ${sql.table(table)} order by ${sql.ref(column)} desc offset ${max} limit 1)`.execute(
    db,
  );
  logDeleted(log, table, Number(numAffectedRows), max);
}

/** Deletes the rows that end last, so that at most `max` remain. */
async function deleteLast(db: Db, table: string, max: number, log: Logger): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (deadline, hash) >= (
      select deadline, hash from ${sql.table(table)} order by deadline, hash offset ${max} limit 1)`.execute(db);
  logDeleted(log, table, Number(numAffectedRows), max);
}

function logDeleted(log: Logger, table: string, deleted: number, max: number): void {
  if (deleted > 0) log.warn({ table, deleted, max }, "Deleted some of too many rows");
}
