import type { Writable } from "node:stream";
import { ApiError, EventBufferOverflowError, EventsMissedError, ResumeRangeError } from "../../schema/errors/errors.js";
import { toApiError } from "../../schema/errors/failure.js";
import { type EventTopic, parseTopic, type Topic, toEventTopic } from "../../schema/events/topic.js";
import type { Delivery, EventFeed } from "../../schema/feed/event-feed.js";
import { keyOf } from "../../schema/feed/published-event.js";
import type { Services } from "../../schema/graph/context.js";
import type { FairQueue } from "../clients/fair-queue.js";
import { type Framing, RenderedEvent } from "./rendered-event.js";

/** Minimum bytes of one connection that are written per turn. */
const TURN_BYTES = 64 * 1024;
/** Minimum that a message counts in a turn, in bytes: skipping it takes time too. */
const MIN_TURN_BYTES = 64;
/** Number of consecutive checks in which a client may take nothing. */
const MAX_STALLS = 2;

/** Shared services of all recipients. */
export interface SubscriberServices extends Pick<Services, "db" | "events"> {
  readonly turns: FairQueue;
}

/** Limits of one recipient. */
export interface SubscriberLimits {
  readonly subscriptionsPerConnection: number;
  /** Bytes that wait while the client does not read. */
  readonly bufferedBytes: number;
}

/** Counters that recipients update. */
export interface SubscriberCounters {
  subscriptions: number;
  messagesSent: number;
}

/** The connection that a recipient belongs to. */
export interface SubscriberConnection {
  readonly stream: Pick<Writable, "writableLength" | "writableNeedDrain" | "once">;
  readonly framing: Framing;
  readonly clientKey: string;
  readonly isOpen: boolean;
  /** Writes the parts of one message to the stream, together. */
  write(parts: readonly Buffer[]): void;
  /** The subscription to a topic, as the client spelled it, has ended, because it cannot be fulfilled. */
  onRejected(error: ApiError, topic: string): void;
  /** The client reads too slowly. */
  onOverflow(): void;
  /** Messages may have been missed. */
  onMissed(): void;
}

export interface SubscriberOptions {
  readonly owner: SubscriberConnection;
  readonly services: SubscriberServices;
  readonly limits: SubscriberLimits;
  readonly counters: SubscriberCounters;
  /**
   * Sequence of an event that the client has received for at least one of its subscriptions: it is sent again if it
   * belongs to several.
   */
  readonly resendFrom?: number | undefined;
}

/** A topic that the client has subscribed to. */
interface Subscription {
  readonly asked: Topic;
  /** The text as the client spelled it; messages repeat it. */
  readonly text: string;
  /** Sequence of the first wanted event that was not sent; by default live events only. */
  from: number | undefined;
  /** Once it is open. */
  topic?: EventTopic;
}

/** What one connection of `/ws` or `/events` receives: the events of its subscriptions as messages, at its own pace. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  /** The subscriptions by the client's spelling. */
  readonly #subscriptions = new Map<string, Subscription>();
  /** Open ones, by the keys of their topics: a client may spell a topic in several ways. */
  readonly #byKey = new Map<string, readonly Subscription[]>();
  /** Not yet open. */
  #asked: Subscription[] = [];
  #opening: Promise<void> | undefined;
  #feed: EventFeed | undefined;
  #isWriting = false;
  #wake: (() => void) | undefined;
  /** Bytes of events since the last check. */
  #written = 0;
  #lengthBefore = 0;
  #stalls = 0;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /**
   * Subscribes to a topic, which has no effect if it is subscribed already; {@link open} opens it.
   * @param from sequence of the first wanted event; without it, live events only
   * @throws ApiError for an invalid topic, or one too many
   */
  subscribe(text: string, from?: number): void {
    if (this.#subscriptions.has(text)) return;
    const subscription = { asked: parseTopic(text), text, from };
    const limit = this.#options.limits.subscriptionsPerConnection;
    if (this.#subscriptions.size >= limit) {
      throw new ApiError("TooManyRequests", `a connection may have at most ${limit} subscriptions`);
    }
    this.#subscriptions.set(text, subscription);
    this.#asked.push(subscription);
  }

  /** @throws ApiError for an invalid topic */
  unsubscribe(text: string): void {
    const known = this.#subscriptions.get(text);
    if (known) this.#forget(known);
    else parseTopic(text);
  }

  /** Opens what was subscribed since the last call, together, so that past events arrive in order. */
  async open(): Promise<void> {
    const before = this.#opening;
    const opening = (async () => {
      await before;
      await this.#openRequested();
    })();
    this.#opening = opening;
    await opening;
    if (this.#opening === opening) this.#opening = undefined;
  }

  /** Sends a message that belongs to no event. */
  send(bytes: Buffer): void {
    if (!this.#owner.isOpen) return;
    this.#options.counters.messagesSent += 1;
    this.#owner.write([bytes]);
    if (this.#owner.stream.writableLength > this.#options.limits.bufferedBytes) this.#owner.onOverflow();
  }

  /** Sequence up to which every event was sent; undefined while some are not. */
  get completeThrough(): number | undefined {
    if (this.#opening || this.#isWriting) return undefined;
    const through = this.#feed?.completeThrough;
    // An event that the client may have half of, and that this process has not read yet, is still to be sent again.
    return through !== undefined && through < (this.#options.resendFrom ?? 0) ? undefined : through;
  }

  /** Sends bytes that keep the connection alive, unless messages wait. */
  keepAlive(bytes: Buffer): void {
    if (this.#owner.isOpen && !this.#isWriting && !this.#owner.stream.writableNeedDrain) this.#owner.write([bytes]);
  }

  /** To be called periodically. @returns whether messages wait, of which the client took none in several calls */
  isStalled(): boolean {
    const { writableNeedDrain, writableLength } = this.#owner.stream;
    // Pings and answers are written whether it reads or not, and add to the length only.
    const hasProgress = !writableNeedDrain || this.#written > 0 || writableLength < this.#lengthBefore;
    this.#stalls = hasProgress ? 0 : this.#stalls + 1;
    this.#written = 0;
    this.#lengthBefore = writableLength;
    return this.#stalls >= MAX_STALLS;
  }

  /** Nothing more is sent. */
  end(): void {
    void this.#feed?.return();
    this.#wake?.();
    for (const subscription of this.#subscriptions.values()) this.#forget(subscription);
  }

  get #owner(): SubscriberConnection {
    return this.#options.owner;
  }

  async #openRequested(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    const { events, db } = this.#options.services;
    const resumed: { readonly one: Subscription; readonly topic: EventTopic; readonly from: number }[] = [];
    for (const one of asked) {
      if (!this.#has(one)) continue;
      try {
        const topic = await toEventTopic(db, one.asked);
        if (one.from === undefined) this.#add(one, topic);
        else resumed.push({ one, topic, from: one.from });
      } catch (error) {
        this.#reject(one, toApiError(error));
      }
    }
    if (resumed.length === 0) return;
    const starts = resumed.map(({ from }) => from);
    try {
      const range = await events.range(Math.min(...starts), Math.max(...starts));
      for (const { one, topic, from } of resumed) {
        if (from < range.oldest || from > range.next) this.#reject(one, new ResumeRangeError(range));
        else this.#add(one, topic);
      }
    } catch (error) {
      for (const { one } of resumed) this.#reject(one, toApiError(error));
    }
  }

  #has(one: Subscription): boolean {
    return this.#subscriptions.get(one.text) === one;
  }

  #add(one: Subscription, topic: EventTopic): void {
    if (!this.#has(one)) return;
    if (!this.#feed) {
      this.#feed = this.#openFeed();
      void this.#run(this.#feed);
    }
    one.topic = topic;
    const { from } = one;
    one.from ??= 0;
    const key = keyOf(topic.channel, topic.address);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), one]);
    this.#options.counters.subscriptions += 1;
    this.#feed.add(topic, from);
  }

  #openFeed(): EventFeed {
    const { services, limits } = this.#options;
    return services.events.open({
      client: this.#owner.clientKey,
      waitingBytes: limits.bufferedBytes,
      onOverflow: () => this.#owner.onOverflow(),
    });
  }

  async #run(feed: EventFeed): Promise<void> {
    try {
      for await (const batch of feed) {
        if (!this.#writeAtOnce(batch)) await this.#writeInTurns(batch);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#feed = undefined;
    if (!this.#owner.isOpen || error instanceof EventBufferOverflowError) return;
    if (error instanceof EventsMissedError) {
      this.#owner.onMissed();
      return;
    }
    const rejection = toApiError(error);
    for (const one of [...this.#subscriptions.values()]) if (one.topic) this.#reject(one, rejection);
  }

  /** Writes a batch if that is cheap, and the client takes it now. */
  #writeAtOnce([delivery, ...more]: readonly Delivery[]): boolean {
    if (!delivery || more.length > 0 || delivery.keys.length > 1 || this.#owner.stream.writableNeedDrain) return false;
    const event = RenderedEvent.of(delivery.event);
    const [one, ...others] = this.#byKey.get(delivery.keys[0]!) ?? [];
    if (!one || others.length > 0 || !event.isSmall || (one.from ?? 0) > event.sequence) return false;
    const { owner, resendFrom } = this.#options;
    if (event.sequence === resendFrom || !owner.isOpen) return false;
    one.from = event.sequence + 1;
    this.#write(event.framed(one.text, owner.framing));
    return true;
  }

  /** Writes a batch in the client's turns, when it has taken what was written before. */
  async #writeInTurns(batch: readonly Delivery[]): Promise<void> {
    this.#isWriting = true;
    const messages = this.#messagesOf(batch);
    const { stream, clientKey } = this.#owner;
    for (let isDone = false; !isDone && this.#owner.isOpen; ) {
      if (stream.writableNeedDrain) await this.#drained();
      await this.#options.services.turns.turn(clientKey);
      isDone = this.#writeSome(messages);
    }
    this.#isWriting = false;
  }

  /** @returns whether there are no more */
  #writeSome(messages: Generator<readonly Buffer[], void>): boolean {
    for (let left = TURN_BYTES; left > 0 && this.#owner.isOpen && !this.#owner.stream.writableNeedDrain; ) {
      const { value, done } = messages.next();
      if (done) return true;
      left -= Math.max(MIN_TURN_BYTES, this.#write(value));
    }
    return false;
  }

  *#messagesOf(batch: readonly Delivery[]): Generator<readonly Buffer[], void> {
    const { owner, resendFrom } = this.#options;
    for (const { event, keys } of batch) {
      const { sequence } = event;
      const wanting = keys.flatMap((key) => (this.#byKey.get(key) ?? []).filter(({ from = 0 }) => from <= sequence));
      const isSent = sequence === resendFrom && wanting.length === 1;
      for (const one of wanting) {
        one.from = sequence + 1;
        if (!isSent && this.#has(one)) yield RenderedEvent.of(event).framed(one.text, owner.framing);
      }
    }
  }

  /** @returns number of bytes */
  #write(parts: readonly Buffer[]): number {
    this.#options.counters.messagesSent += 1;
    this.#owner.write(parts);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#written += bytes;
    return bytes;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#owner.stream.once("drain", resolve);
    });
  }

  #reject(one: Subscription, error: ApiError): void {
    if (!this.#has(one)) return;
    this.#forget(one);
    this.#owner.onRejected(error, one.text);
  }

  #forget(one: Subscription): void {
    this.#subscriptions.delete(one.text);
    const { topic } = one;
    if (!topic) return;
    this.#options.counters.subscriptions -= 1;
    const key = keyOf(topic.channel, topic.address);
    const left = (this.#byKey.get(key) ?? []).filter((other) => other !== one);
    if (left.length > 0) {
      this.#byKey.set(key, left);
      return;
    }
    this.#byKey.delete(key);
    this.#feed?.remove(topic);
  }
}

/** The text of a message with an error: its code, what is wrong, the valid range if it is one, and what it answers. */
export function errorMessage(error: ApiError, request: Readonly<Record<string, unknown>>): string {
  const { code, message } = error;
  const range = error instanceof ResumeRangeError && { oldest: error.oldest, next: error.next };
  return JSON.stringify({ topic: "error", data: { code, message, ...range, request } });
}
