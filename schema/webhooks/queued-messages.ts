import { sql } from "kysely";
import type { Db } from "../../database/database.js";

/** A message that is being delivered. */
export interface ClaimedMessage {
  readonly number: number;
  readonly body: string;
  /** Including this one. */
  readonly attempts: number;
}

/**
 * Begins an attempt to deliver the oldest message of a webhook, if it is pending and its time has come. The attempt is
 * counted before it is made: a message that may have arrived is never forgotten.
 */
export async function claimMessage(db: Db, webhookId: number): Promise<ClaimedMessage | undefined> {
  const { rows } = await sql<ClaimedMessage>`
    update webhook_messages m set attempts = m.attempts + 1
    from (
      select number, state, next_attempt_at from webhook_messages
      where webhook_id = ${webhookId} and state in ('waiting', 'pending') order by number limit 1) oldest
    where m.webhook_id = ${webhookId} and m.number = oldest.number
      and oldest.state = 'pending' and oldest.next_attempt_at <= now()
    returning m.number, m.body, m.attempts`.execute(db);
  return rows[0];
}

export async function markDelivered(db: Db, webhookId: number, number: number): Promise<void> {
  await sql`
    update webhook_messages set state = 'delivered', ended_at = now(), problem = null
    where webhook_id = ${webhookId} and number = ${number}`.execute(db);
}

/**
 * Records that an attempt failed: the next one follows after `delayMs`, unless the message was queued more than
 * `giveUpMs` ago.
 * @returns whether it was given up
 */
export async function markFailed(
  db: Db,
  webhookId: number,
  { number, problem, delayMs, giveUpMs }: { number: number; problem: string; delayMs: number; giveUpMs: number },
): Promise<boolean> {
  const isExpired = sql`queued_at + make_interval(secs => ${giveUpMs / 1_000}) <= now()`;
  const { rows } = await sql<{ state: string }>`
    update webhook_messages set problem = ${problem},
      next_attempt_at = now() + make_interval(secs => ${delayMs / 1_000}),
      state = case when ${isExpired} then 'dead' else 'pending' end,
      ended_at = case when ${isExpired} then now() end
    where webhook_id = ${webhookId} and number = ${number} returning state`.execute(db);
  return rows[0]?.state === "dead";
}

/** Gives up all messages of a webhook that are not delivered. @returns their number */
export async function giveUpMessages(db: Db, webhookId: number, problem: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_messages set state = 'dead', ended_at = now(), problem = ${problem}
    where webhook_id = ${webhookId} and state in ('waiting', 'pending')`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Deletes delivered messages that no fork can drop any more, and those that were given up long ago.
 * @param keptMs how long a message is kept that was given up
 */
export async function pruneMessages(db: Db, keptMs: number): Promise<void> {
  await sql`
    delete from webhook_messages
    where state = 'delivered' and (height is null or height <= (select finalized_height from head) or is_dropped)
      or state = 'dead' and ended_at + make_interval(secs => ${keptMs / 1_000}) <= now()`.execute(db);
}
