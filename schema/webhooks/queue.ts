import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { ChannelName } from "../../catapult/structs/message.js";
import type { Db } from "../../database/database.js";
import type { EventTopic } from "../../database/queries/events.js";
import type { WebhookTable } from "../../database/tables/webhooks.js";
import type { StableDeposit } from "../balances/deposits.js";
import { EventBufferOverflowError, EventsMissedError, ResumeRangeError } from "../errors/errors.js";
import type { Delivery, EventFeed } from "../feed/event-feed.js";
import type { EventReader } from "../feed/event-reader.js";
import type { PublishedEvent } from "../feed/published-event.js";
import { DEPOSIT, DepositMessages } from "./deposit-messages.js";

/** Undelivered messages per webhook: further events stay in the log as long as it keeps them. */
const MAX_OPEN = 100_000;
/** Ids named by one `dropped` message. */
const IDS_AT_ONCE = 1_000;
/** Channels whose events a fork takes back. */
export const BLOCK_CHANNELS: ReadonlySet<string> = new Set<ChannelName | typeof DEPOSIT>([
  ...(["block", "confirmedAdded"] as const),
  DEPOSIT,
]);

/** The id of a message, the same in each attempt. */
export function messageId(webhookId: number, number: number): string {
  return `symbol_${webhookId}_${number}`;
}

/** Parses a stored topic; deposits come with confirmed transactions. */
export function storedTopic(text: string): EventTopic {
  const [name, address] = text.split("/") as [ChannelName | typeof DEPOSIT, string | undefined];
  const channel = name === DEPOSIT ? "confirmedAdded" : name;
  return address === undefined ? { channel } : { channel, address: Buffer.from(address, "hex") };
}

interface NewMessage {
  readonly type: string;
  readonly height: number | null;
  readonly body: string;
  readonly isWaiting: boolean;
}

export interface QueueOptions {
  readonly db: Db;
  readonly events: Pick<EventReader, "events">;
  /** How often waiting messages are checked, in ms. */
  readonly pollMs: number;
  /** Messages were stored, or have become pending. */
  readonly onStored: () => void;
}

/** Turns the events of a webhook into messages, until it is removed or the signal is aborted. */
export async function fillQueue(options: QueueOptions, webhookId: number, signal: AbortSignal): Promise<void> {
  const { db, events, pollMs, onStored } = options;
  while (!signal.aborted) {
    const hook = await db
      .selectFrom("webhooks")
      .select(["topics", "queued_through"])
      .where("id", "=", webhookId)
      .executeTakeFirst();
    if (!hook) return;
    let before = hook.queued_through;
    try {
      const feed = await events.events(withDrops(hook.topics.map(storedTopic)), before + 1, signal);
      for await (const { deliveries, through } of withPauses(feed, pollMs)) {
        const isStored = await storeMessages(db, webhookId, deliveries, { before, through: through ?? before });
        if (!isStored) break;
        before = through ?? before;
        onStored();
      }
    } catch (error) {
      if (error instanceof ResumeRangeError) await skip(db, webhookId, before, error);
      else if (!(error instanceof EventsMissedError || error instanceof EventBufferOverflowError)) throw error;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Batches of a feed; none whenever a while has passed without one. Leaving it ends the feed. */
async function* withPauses(
  feed: EventFeed,
  ms: number,
): AsyncGenerator<{ readonly deliveries: readonly Delivery[]; readonly through: number | undefined }> {
  try {
    let next: ReturnType<EventFeed["next"]> | undefined;
    for (;;) {
      // Not before the last batch was stored: nothing would handle its rejection meanwhile.
      next ??= feed.next();
      const result = await Promise.race([next, sleep(ms, undefined)]);
      if (result?.done) return;
      if (result) next = undefined;
      const deliveries = result?.value ?? [];
      yield { deliveries, through: deliveries.at(-1)?.event.sequence ?? feed.completeThrough };
    }
  } finally {
    await feed.return();
  }
}

/**
 * Stores the messages of events, in one transaction that sees the head too. A message that waits becomes pending when
 * its block has its confirmations or is final; a fork deletes it. Of dropped blocks whose messages may have been
 * delivered, a `dropped` message follows.
 * @param before sequence up to which events were stored
 * @param through the same with these
 * @returns false when there are too many messages, the webhook was removed, or another process has continued it
 */
async function storeMessages(
  db: Db,
  webhookId: number,
  deliveries: readonly Delivery[],
  { before, through }: { readonly before: number; readonly through: number },
): Promise<boolean> {
  const transaction = db.transaction().setIsolationLevel("repeatable read");
  return transaction.execute(async (trx) => {
    const hook = await lockedAt(trx, webhookId, before);
    if (!hook) return false;
    if (deliveries.length > 0 && (await openMessages(trx, webhookId)) >= MAX_OPEN) return false;
    const messages = new Messages(trx, hook);
    const isWanted = new Set(hook.topics);
    const deposits = new DepositMessages(trx, isWanted);
    for (const { event, keys } of deliveries) {
      if (event.channel === "droppedBlocks") await messages.drop(event.height);
      if (keys.some((key) => isWanted.has(key))) await messages.add(makeMessage(event, hook));
      for (const deposit of await deposits.of(event, keys)) await messages.add(makeDepositMessage(event, deposit));
    }
    await messages.write();
    await trx.updateTable("webhooks").set({ queued_through: through }).where("id", "=", webhookId).execute();
    await release(trx, hook, through);
    return true;
  });
}

/** Continues where the log begins, with a message about what was missed; where it ends, if the index was rebuilt. */
async function skip(db: Db, webhookId: number, before: number, { oldest, next }: ResumeRangeError): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const hook = await lockedAt(trx, webhookId, before);
    if (!hook) return;
    const through = (before + 1 < oldest ? oldest : next) - 1;
    const messages = new Messages(trx, hook);
    if (through > before) await messages.add(missed(before + 1, through));
    await messages.write();
    await trx.updateTable("webhooks").set({ queued_through: through }).where("id", "=", webhookId).execute();
  });
}

/** The locked row of a webhook; undefined if it was removed, or another process has continued it. */
function lockedAt(trx: Db, webhookId: number, queuedThrough: number) {
  return trx
    .selectFrom("webhooks")
    .selectAll()
    .where("id", "=", webhookId)
    .where("queued_through", "=", queuedThrough)
    .forUpdate()
    .executeTakeFirst();
}

async function openMessages(db: Db, webhookId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from webhook_messages where webhook_id = ${webhookId} and state in ('waiting', 'pending')
      limit ${MAX_OPEN}) m`.execute(db);
  return rows[0]?.count ?? 0;
}

function withDrops(topics: readonly EventTopic[]): EventTopic[] {
  const others = topics.filter(({ channel }) => channel !== "droppedBlocks");
  return [...others, { channel: "droppedBlocks" }];
}

function makeMessage(event: PublishedEvent, hook: Pick<WebhookTable, "confirmations" | "awaits_finality">): NewMessage {
  const { channel, height, data } = event;
  const isOfBlock = BLOCK_CHANNELS.has(channel);
  return {
    type: channel,
    height: isOfBlock ? height : null,
    // The data is JSON already.
    body: `${renderHead(channel, event)},"data":${data}}`,
    isWaiting: isOfBlock && (hook.confirmations > 0 || hook.awaits_finality),
  };
}

/**
 * A message that always waits: its body ends with its confirmations, which are known when it is sent, see `release`.
 */
function makeDepositMessage(event: PublishedEvent, deposit: StableDeposit): NewMessage {
  const data = JSON.stringify(deposit).slice(0, -1);
  return { type: DEPOSIT, height: event.height, body: `${renderHead(DEPOSIT, event)},"data":${data}`, isWaiting: true };
}

/** The beginning of a body. */
function renderHead(type: string, { sequence, height }: PublishedEvent): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date().toISOString()}","sequence":"${sequence}","height":"${height}"`;
}

function missed(from: number, to: number): NewMessage {
  const data = { fromSequence: String(from), toSequence: String(to) };
  return own("missed", data);
}

function own(type: string, data: unknown): NewMessage {
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  return { type, height: null, body, isWaiting: false };
}

/**
 * Makes waiting messages pending whose blocks have their confirmations or are final, if all drops are known that the
 * head knows of, and completes the bodies of deposits.
 */
async function release(
  trx: Db,
  { id, confirmations, awaits_finality }: { id: number; confirmations: number; awaits_finality: boolean },
  through: number,
): Promise<void> {
  const limit = awaits_finality ? sql`h.finalized_height` : sql`h.height - ${confirmations}::int4`;
  await sql`
    update webhook_messages m set state = 'pending', queued_at = now(), next_attempt_at = now(),
      body = m.body || case when m.type = ${DEPOSIT} then format(
        ',"confirmations":%s,"isFinal":%s}}', h.height - m.height, (m.height <= h.finalized_height)::text) else '' end
    from head h
    where m.webhook_id = ${id} and m.state = 'waiting' and m.height <= ${limit}
      and h.event_sequence <= ${through}::int8`.execute(trx);
}

/** New messages of a webhook, numbered in their order. */
class Messages {
  readonly #db: Db;
  readonly #webhookId: number;
  #next: number;
  #new: (NewMessage & { readonly number: number })[] = [];

  constructor(db: Db, { id, next_number }: { readonly id: number; readonly next_number: number }) {
    this.#db = db;
    this.#webhookId = id;
    this.#next = next_number;
  }

  async add(message: NewMessage): Promise<void> {
    this.#new.push({ ...message, number: this.#next });
    this.#next += 1;
  }

  /** The blocks above `kept` were dropped. */
  async drop(kept: number): Promise<void> {
    await this.write();
    const above = sql`webhook_id = ${this.#webhookId} and height > ${kept}`;
    await sql`delete from webhook_messages where ${above} and attempts = 0 and state in ('waiting', 'pending')`.execute(
      this.#db,
    );
    const { rows } = await sql<{ number: number }>`
      with dropped as (
        update webhook_messages set is_dropped = true where ${above} and not is_dropped returning number)
      select number from dropped order by number`.execute(this.#db);
    const ids = rows.map(({ number }) => messageId(this.#webhookId, number));
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      await this.add(own("dropped", { height: String(kept), ids: ids.slice(start, start + IDS_AT_ONCE) }));
    }
  }

  async write(): Promise<void> {
    const added = this.#new;
    if (added.length === 0) return;
    this.#new = [];
    await sql`
      insert into webhook_messages (webhook_id, number, type, height, body, state)
      select ${this.#webhookId}, * from unnest(
        ${added.map(({ number }) => number)}::int8[], ${added.map(({ type }) => type)}::text[],
        ${added.map(({ height }) => height)}::int8[], ${added.map(({ body }) => body)}::text[],
        ${added.map(({ isWaiting }) => (isWaiting ? "waiting" : "pending"))}::text[])`.execute(this.#db);
    await this.#db.updateTable("webhooks").set({ next_number: this.#next }).where("id", "=", this.#webhookId).execute();
  }
}
