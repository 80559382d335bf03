import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../database/database.js";
import { reportDatabaseLost } from "../database/outage.js";
import type { IndexContext } from "./chain/step/index-context.js";

/** Events deleted by one statement, and the pause before the next, so that others get a turn. */
const STEP_SIZE = 1_000;
const PAUSE_MS = 50;

/**
 * Deletes events that are older than the retention time, a few at a time, until `signal` is aborted. Only for the one
 * writer of a database. Never rejects: failures are logged and retried.
 */
export async function keepEventsPruned({ db, log, limits }: IndexContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let waitMs = limits.pruneMs;
    try {
      const deleted = await pruneEvents(db, limits.eventRetentionMs, STEP_SIZE);
      if (deleted === STEP_SIZE) waitMs = PAUSE_MS;
      if (deleted > 0) log.debug({ deleted }, "Deleted old events");
    } catch (error) {
      if (!reportDatabaseLost(log, error)) log.warn({ err: error }, "Deleting old events failed; trying again");
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Deletes the oldest events, at most `limit`, while they are older than the retention time. They are deleted in the
 * order of their sequences, so that the remaining ones have no gaps: the times of events that were written
 * concurrently are not in order.
 * @returns their number
 */
export async function pruneEvents(db: Db, retentionMs: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with oldest as (select sequence, created_at from events order by sequence limit ${limit}),
      kept as (
        select min(sequence) as sequence from oldest
        where created_at >= now() - make_interval(secs => ${retentionMs / 1_000})),
      gone as (
        delete from events where sequence in (
          select oldest.sequence from oldest, kept where kept.sequence is null or oldest.sequence < kept.sequence)
        returning sequence),
      forgotten as (delete from event_addresses where sequence <= (select max(sequence) from gone))
    select count(*) as count from gone`.execute(db);
  return rows[0]?.count ?? 0;
}
