import { sql } from "kysely";
import type { Db } from "../../database/database.js";
import { type EventTopic, findEvents, type StoredEvent } from "../../database/queries/events.js";
import type { WebhookTable } from "../../database/tables/webhooks.js";
import type { ChannelName } from "../events/channels.js";

/** Events considered at a time. */
const LIMITS = { count: 500, bytes: 4 * 1024 * 1024 };
/** Undelivered messages per webhook: further events stay in the log as long as it keeps them. */
const MAX_OPEN = 100_000;
/** Ids named by one `dropped` message. */
const IDS_AT_ONCE = 1_000;
/** Channels whose events a fork takes back. */
export const BLOCK_CHANNELS: ReadonlySet<string> = new Set<ChannelName>(["block", "confirmedAdded"]);

/** The id of a message, the same in each attempt. */
export function messageId(webhookId: number, number: number): string {
  return `symbol_${webhookId}_${number}`;
}

/** Parses a stored topic. */
export function storedTopic(text: string): EventTopic {
  const [channel, address] = text.split("/") as [ChannelName, string | undefined];
  return address === undefined ? { channel } : { channel, address: Buffer.from(address, "hex") };
}

interface NewMessage {
  readonly type: string;
  readonly height: number | null;
  readonly body: string;
  readonly isWaiting: boolean;
}

/**
 * Turns the next events of a webhook into messages, in one transaction that sees events and head at the same moment.
 * A message that waits becomes pending when its block has its confirmations or is final; a fork deletes it. Of dropped
 * blocks whose messages may have been delivered, a `dropped` message follows.
 * @returns whether there may be more events
 */
export async function queueMessages(db: Db, webhookId: number): Promise<boolean> {
  const transaction = db.transaction().setIsolationLevel("repeatable read");
  return transaction.execute(async (trx) => {
    const hook = await trx
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", webhookId)
      .forUpdate()
      .executeTakeFirst();
    if (!hook || (await openMessages(trx, webhookId)) >= MAX_OPEN) return false;
    const topics = hook.topics.map(storedTopic);
    const from = hook.queued_through + 1;
    const { events, isCut, oldest, newest } = await findEvents(trx, withDrops(topics), from, LIMITS);
    const messages = new Messages(trx, hook);
    if (oldest > from && newest >= from) await messages.add(missed(from, oldest - 1));
    for (const event of events) {
      if (event.channel === "droppedBlocks") await messages.drop(event.height);
      if (topics.some((topic) => isOf(event, topic))) await messages.add(messageOf(event, hook));
    }
    await messages.write();
    const through = isCut ? (events.at(-1)?.sequence ?? newest) : Math.max(newest, hook.queued_through);
    await trx.updateTable("webhooks").set({ queued_through: through }).where("id", "=", webhookId).execute();
    // Only now are all drops known that the head knows of.
    if (!isCut) await release(trx, hook);
    return isCut;
  });
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

function isOf({ channel, addresses }: StoredEvent, topic: EventTopic): boolean {
  if (channel !== topic.channel) return false;
  const { address } = topic;
  return !address || addresses.some((one) => one.equals(address));
}

function messageOf(
  { channel, height, data, sequence }: StoredEvent,
  hook: Pick<WebhookTable, "confirmations" | "awaits_finality">,
): NewMessage {
  const fields = `"type":${JSON.stringify(channel)},"timestamp":"${new Date().toISOString()}","sequence":"${sequence}","height":"${height}"`;
  const isOfBlock = BLOCK_CHANNELS.has(channel);
  return {
    type: channel,
    height: isOfBlock ? height : null,
    // The data is JSON already.
    body: `{${fields},"data":${data}}`,
    isWaiting: isOfBlock && (hook.confirmations > 0 || hook.awaits_finality),
  };
}

function missed(from: number, to: number): NewMessage {
  const data = { fromSequence: String(from), toSequence: String(to) };
  return own("missed", data);
}

function own(type: string, data: unknown): NewMessage {
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  return { type, height: null, body, isWaiting: false };
}

/** Makes waiting messages pending whose blocks have their confirmations or are final. */
async function release(
  trx: Db,
  { id, confirmations, awaits_finality }: { id: number; confirmations: number; awaits_finality: boolean },
): Promise<void> {
  const limit = awaits_finality ? sql`finalized_height` : sql`height - ${confirmations}::int4`;
  await sql`
    update webhook_messages set state = 'pending', queued_at = now(), next_attempt_at = now()
    where webhook_id = ${id} and state = 'waiting' and height <= (select ${limit} from head)`.execute(trx);
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
