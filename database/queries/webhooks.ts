import { sql } from "kysely";
import type { Db } from "../database.js";
import type { WebhookTable } from "../tables/webhooks.js";

/** A webhook with what became of its messages. */
export interface WebhookStatus extends Omit<WebhookTable, "id" | "created_at" | "next_number"> {
  readonly id: number;
  readonly created_at: Date;
  /** Messages that are not delivered yet. */
  readonly open: number;
  /** Messages that were given up. */
  readonly dead: number;
  /** Why the oldest undelivered one could not be delivered. */
  readonly problem: string | null;
}

/** All webhooks by id. */
export async function readWebhooks(db: Db): Promise<WebhookStatus[]> {
  const { rows } = await sql<WebhookStatus>`
    select w.id, w.url, w.topics, w.confirmations, w.awaits_finality, w.secret, w.created_at, w.queued_through,
      (select count(*) from webhook_messages m where m.webhook_id = w.id and m.state in ('waiting', 'pending')) as open,
      (select count(*) from webhook_messages m where m.webhook_id = w.id and m.state = 'dead') as dead,
      (select m.problem from webhook_messages m where m.webhook_id = w.id and m.state = 'pending'
       order by m.number limit 1) as problem
    from webhooks w order by w.id`.execute(db);
  return rows;
}

/** Number of webhooks whose oldest undelivered message was not accepted so far. */
export async function countFailingWebhooks(db: Db): Promise<number> {
  const { rows } = await sql<{ failing: number }>`
    select count(*)::int4 as failing from webhooks w where 0 < (select m.attempts from webhook_messages m
      where m.webhook_id = w.id and m.state in ('waiting', 'pending') order by m.number limit 1)`.execute(db);
  return rows[0]!.failing;
}

/** Stores a webhook, which receives events from now on. @returns its id; undefined if there are `max` already */
export async function insertWebhook(
  db: Db,
  webhook: Pick<WebhookTable, "url" | "topics" | "confirmations" | "awaits_finality" | "secret">,
  max: number,
): Promise<number | undefined> {
  const { url, topics, confirmations, awaits_finality, secret } = webhook;
  return db.transaction().execute(async (trx) => {
    await sql`lock table webhooks in share row exclusive mode`.execute(trx);
    const { rows } = await sql<{ id: number }>`
      insert into webhooks (url, topics, confirmations, awaits_finality, secret, queued_through)
      select ${url}, ${topics}::text[], ${confirmations}::int4, ${awaits_finality}::boolean, ${secret}::bytea,
        coalesce((select event_sequence from head), 0)
      where (select count(*) from webhooks) < ${max}
      returning id`.execute(trx);
    return rows[0]?.id;
  });
}

/** Removes a webhook and its messages. @returns whether it existed */
export async function deleteWebhook(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("webhooks").where("id", "=", id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Makes the next attempt of all undelivered messages due now.
 * @returns their number; undefined when there is no such webhook
 */
export async function makeMessagesDue(db: Db, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ isThere: boolean; count: number }>`
    with due as (
      update webhook_messages set next_attempt_at = now()
      where webhook_id = ${id} and state = 'pending' returning number)
    select exists(select from webhooks where id = ${id}) as "isThere", (select count(*) from due) as count`.execute(db);
  return rows[0]?.isThere ? rows[0].count : undefined;
}

/**
 * Sends messages again that were given up: all of a webhook, or one; not those whose block was dropped since.
 * @returns their number; undefined when there is no such webhook
 */
export async function replayMessages(db: Db, id: number, number?: number): Promise<number | undefined> {
  const one = number === undefined ? sql`` : sql`and number = ${number}`;
  const { rows } = await sql<{ isThere: boolean; count: number }>`
    with again as (
      update webhook_messages set state = 'pending', queued_at = now(), next_attempt_at = now(), ended_at = null
      where webhook_id = ${id} and state = 'dead' and not is_dropped ${one} returning number)
    select exists(select from webhooks where id = ${id}) as "isThere", (select count(*) from again) as count`.execute(
    db,
  );
  return rows[0]?.isThere ? rows[0].count : undefined;
}
