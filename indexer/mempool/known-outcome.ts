import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Backoff } from "../../catapult/wire/backoff.js";
import type { Db } from "../../database/database.js";

/**
 * SQLSTATE of a transaction number that the server has not assigned yet: it is another server than the one that did.
 */
const UNKNOWN_TRANSACTION = "22023";

/**
 * Runs `work` in one database transaction, and knows afterwards whether it was committed. If the answer to COMMIT is
 * lost with the connection, the server is asked for the outcome of the transaction, until it responds or `signal` is
 * aborted: work that cannot be recognized when repeated must not be retried in doubt.
 * @throws errors of `work` or the database; nothing was written then, unless `signal` is aborted
 */
export async function transactWithKnownOutcome<T>(
  db: Db,
  signal: AbortSignal,
  work: (trx: Db) => Promise<T>,
): Promise<T> {
  let attempt: { readonly transactionId: string; readonly result: T } | undefined;
  try {
    return await db.transaction().execute(async (trx) => {
      const result = await work(trx);
      const { rows } = await sql<{ id: string }>`select txid_current()::text as id`.execute(trx);
      attempt = { transactionId: rows[0]!.id, result };
      return result;
    });
  } catch (error) {
    if (attempt && (await wasCommitted(db, attempt.transactionId, signal))) return attempt.result;
    throw error;
  }
}

async function wasCommitted(db: Db, transactionId: string, signal: AbortSignal): Promise<boolean> {
  const backoff = new Backoff({ initialMs: 50, maxMs: 5_000 });
  while (!signal.aborted) {
    try {
      const { rows } = await sql<{ status: string | null }>`
        select txid_status(${transactionId}::bigint) as status`.execute(db);
      // A server that still waits for the lost client will end the transaction by itself.
      if (rows[0]?.status !== "in progress") return rows[0]?.status === "committed";
    } catch (error) {
      if ((error as { code?: unknown }).code === UNKNOWN_TRANSACTION) return false;
    }
    await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
  }
  return false;
}
