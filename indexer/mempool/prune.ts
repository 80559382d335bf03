import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../database/database.js";

/** Limits of stored data that strangers can cause without paying. */
export interface Retention {
  /** Statuses, and for how many days. */
  readonly statuses: number;
  readonly statusDays: number;
  /** Transactions whose outcome is unknown. */
  readonly awaited: number;
  /** Announcements of gateways. */
  readonly announcements: number;
  /** Rejections by gateways that are not reported yet. */
  readonly rejections: number;
}

/** A node's caches of 20 MB hold fewer transactions than these limits. */
export const DEFAULT_RETENTION: Retention = {
  statuses: 1_000_000,
  statusDays: 30,
  awaited: 200_000,
  announcements: 200_000,
  rejections: 200_000,
};

/**
 * Deletes rows above the limits, the oldest first; of those with a deadline the ones that end last, so that a flood with
 * far deadlines pushes out itself.
 */
export async function prune(db: Db, retention: Retention, log: Logger): Promise<void> {
  await sql`
    delete from transaction_statuses
    where recorded_at < now() - make_interval(days => ${retention.statusDays})`.execute(db);
  await deleteOldest(db, "transaction_statuses", "recorded_at", retention.statuses, log);
  await deleteLast(db, "awaited_transactions", retention.awaited, log);
  await deleteLast(db, "announcements", retention.announcements, log);
  await deleteOldest(db, "rejected_announcements", "id", retention.rejections, log);
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
