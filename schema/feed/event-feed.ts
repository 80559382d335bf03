import type { EventTopic } from "../../database/queries/events.js";
import { EventBufferOverflowError } from "../errors/errors.js";
import { keyOf, type PublishedEvent } from "./published-event.js";

/** Events that a consumer takes at one time: as many as both limits allow, and at least one. */
const BATCH = { events: 100, bytes: 65_536 };
/** Size of the events that wait for a consumer by default. */
const WAITING_BYTES = 16 * 1024 * 1024;

/** An event, and the consumer's topics that it belongs to. */
export interface Delivery {
  readonly event: PublishedEvent;
  /** Keys of topics. */
  readonly keys: readonly string[];
}

/** A part of the rows. */
export interface EventPage {
  /** The events in order. */
  readonly events: readonly PublishedEvent[];
  /** No event of the topics up to this sequence is missing. */
  readonly through: number;
}

/** Where a consumer's events come from: rows, and the tail of the newest events in memory. */
export interface EventLog {
  /** Sequence of the newest event in the tail. */
  readonly readThrough: number;
  /** Sequence up to which every event was passed to all who follow. */
  readonly publishedThrough: number;
  /** The events of the tail from a sequence on; undefined when it begins later. */
  tailFrom(sequence: number): readonly PublishedEvent[] | undefined;
  /** From now on `feed.push` gets every new event of the topic; not any more. */
  follow(key: string, feed: EventFeed): void;
  unfollow(key: string, feed: EventFeed): void;
  /**
   * Reads the next events of topics from rows. The page counts as one of the client's until `use` has ended.
   * @throws ApiError ResumeRangeError when they were deleted
   */
  readPage(
    reader: { readonly client: string; readonly signal: AbortSignal },
    topics: readonly EventTopic[],
    from: number,
    use: (page: EventPage) => Promise<void>,
  ): Promise<void>;
  /** Called when the feed has ended. */
  forget(feed: EventFeed): void;
}

/** Settings of a consumer. */
export interface FeedOptions {
  /** Key of the client on whose behalf it reads. */
  readonly client?: string | undefined;
  /** Size of the events that may wait for it. */
  readonly waitingBytes?: number | undefined;
  /** Called when more wait: it gets those, and then an {@link EventBufferOverflowError}. */
  readonly onOverflow?: (() => void) | undefined;
}

interface WantedTopic {
  readonly topic: EventTopic;
  /** Sequence of its first wanted event. */
  from: number;
}

/**
 * The events of some topics for one consumer, in batches: first from rows, at its own pace, then live.
 *
 * Invariant: of the wanted events, those before `#next` were put into the queue, each once, in order of their sequences,
 * and none from `#next` on. While it follows the tail, `push` gets every new event of its topics in order, and an event
 * before `#next` has no effect.
 */
export class EventFeed implements AsyncIterableIterator<readonly Delivery[]> {
  readonly #log: EventLog;
  readonly #options: FeedOptions;
  /** The topics by key. */
  readonly #topics = new Map<string, WantedTopic>();
  #queue: PublishedEvent[] = [];
  #queueBytes = 0;
  #next: number;
  #followsTail = false;
  /** Changes with each topic that is added. */
  #revision = 0;
  #error: unknown;
  #isClosed = false;
  /** While it has no topic, and waits for one. */
  #wake: (() => void) | undefined;
  /** While it follows the tail, and waits for an event. */
  #deliver:
    | ((result: IteratorResult<readonly Delivery[]> | Promise<IteratorResult<readonly Delivery[]>>) => void)
    | undefined;
  /** Of the page whose events are in the queue: they were taken. */
  #endPage: (() => void) | undefined;
  /** While a page is read, and waits for its turn: ends both. */
  #stopReading: (() => void) | undefined;
  #ended: AbortController | undefined;

  constructor(log: EventLog, options: FeedOptions) {
    this.#log = log;
    this.#options = options;
    this.#next = log.readThrough + 1;
  }

  /** While `next` waits for new events: the sequence up to which the consumer has all; otherwise undefined. */
  get completeThrough(): number | undefined {
    return this.#deliver ? this.#position - 1 : undefined;
  }

  /**
   * Adds a topic: its events from a sequence on, by default all new ones. If that is before those which were taken, the
   * feed continues there, and later events of its other topics wait until they are reached again.
   */
  add(topic: EventTopic, from = this.#log.readThrough + 1): void {
    if (this.#isClosed || this.#error !== undefined) return;
    this.#revision += 1;
    const key = keyOf(topic.channel, topic.address);
    const reached = this.#followsTail ? Math.max(this.#next, this.#log.readThrough + 1) : this.#next;
    if (this.#topics.size === 0 || from < reached) this.#goTo(from);
    const known = this.#topics.get(key);
    if (known) known.from = Math.min(known.from, from);
    else this.#topics.set(key, { topic, from });
    if (this.#followsTail) this.#log.follow(key, this);
    else this.#wakeUp();
  }

  /** Removes a topic. */
  remove(topic: EventTopic): void {
    const key = keyOf(topic.channel, topic.address);
    if (this.#topics.delete(key) && this.#followsTail) this.#log.unfollow(key, this);
  }

  /** Takes a new event of the tail. */
  push(event: PublishedEvent): void {
    if (!this.#followsTail || event.sequence < this.#next) return;
    this.#enqueue(event);
    if (this.#deliver) {
      const batch = this.#take();
      if (batch.length > 0) this.#settle(() => ({ value: batch, done: false }));
      return;
    }
    const { waitingBytes = WAITING_BYTES, onOverflow } = this.#options;
    if (this.#queueBytes > waitingBytes && this.#queue.length > 1) {
      this.fail(new EventBufferOverflowError(waitingBytes));
      onOverflow?.();
    }
  }

  /** Ends it with an error, which is thrown after the events that wait. */
  fail(error: unknown): void {
    if (this.#isClosed || this.#error !== undefined) return;
    this.#error = error;
    this.#leaveTail();
    this.#abandonPage();
    this.#wakeUp();
  }

  /** The next events; throws what it was ended with. */
  next(): Promise<IteratorResult<readonly Delivery[]>> {
    const isWaiting = this.#followsTail && this.#queue.length === 0;
    if (!isWaiting) return this.#nextPart();
    this.#endPage?.();
    return new Promise((resolve) => {
      this.#deliver = resolve;
    });
  }

  async #nextPart(): Promise<IteratorResult<readonly Delivery[]>> {
    for (;;) {
      while (this.#queue.length > 0) {
        const batch = this.#take();
        if (batch.length > 0) return { value: batch, done: false };
      }
      this.#endPage?.();
      if (this.#isClosed) return { value: undefined, done: true };
      if (this.#error !== undefined) {
        const error = this.#error;
        await this.return();
        throw error;
      }
      if (this.#followsTail) return this.next();
      if (this.#topics.size === 0) await this.#woken();
      else await this.#continue();
    }
  }

  async return(): Promise<IteratorResult<readonly Delivery[]>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#leaveTail();
      this.#queue = [];
      this.#abandonPage();
      this.#endPage?.();
      this.#log.forget(this);
      this.#wakeUp();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The same events one after another. */
  oneByOne(): AsyncIterableIterator<PublishedEvent> {
    let batch: readonly Delivery[] = [];
    let taken = 0;
    // No generator: its return() would wait for the next event.
    const events: AsyncIterableIterator<PublishedEvent> = {
      next: async () => {
        while (taken === batch.length) {
          const { value, done } = await this.next();
          if (done) return { value: undefined, done };
          batch = value;
          taken = 0;
        }
        return { value: batch[taken++]!.event, done: false };
      },
      return: async () => {
        await this.return();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]: () => events,
    };
    return events;
  }

  /** No wanted event before it is missing in what was put into the queue, as far as that is certain. */
  get #position(): number {
    return this.#followsTail ? Math.max(this.#next, this.#log.publishedThrough + 1) : this.#next;
  }

  /**
   * Puts the next events into the queue, from the rows or from the tail, and passes from the rows to the tail: the one
   * place where that happens. Once it has the tail it does not wait, so that no event comes between.
   */
  async #continue(): Promise<void> {
    const newest = this.#log.tailFrom(this.#next);
    if (!newest) return this.#readPage();
    for (const event of newest) {
      // The others follow when these were taken.
      if (this.#queueBytes >= BATCH.bytes) return;
      this.#next = event.sequence + 1;
      if (this.#wantedKeys(event).length > 0) this.#enqueue(event);
    }
    this.#followsTail = true;
    for (const key of this.#topics.keys()) this.#log.follow(key, this);
  }

  /** Resolves when the events of the next page are in the queue, or it has ended. */
  #readPage(): Promise<void> {
    this.#ended ??= new AbortController();
    const { signal } = this.#ended;
    const { client = "" } = this.#options;
    const topics = [...this.#topics.values()].map(({ topic }) => topic);
    const revision = this.#revision;
    return new Promise<void>((resolve) => {
      this.#stopReading = resolve;
      const use = async ({ events, through }: EventPage): Promise<void> => {
        if (this.#isClosed || this.#error !== undefined) return;
        // Otherwise it lacks a topic that was added since.
        if (this.#revision === revision) {
          for (const event of events) this.#enqueue(event);
          this.#next = through + 1;
        }
        resolve();
        // The page takes memory until its events were taken.
        await new Promise<void>((taken) => {
          this.#endPage = taken;
        });
      };
      this.#log.readPage({ client, signal }, topics, this.#next, use).catch((error) => {
        this.fail(error);
        resolve();
      });
    });
  }

  /** Continues at a sequence with all topics, which still get each event once; without a topic it may be anywhere. */
  #goTo(from: number): void {
    const position = this.#queue[0]?.sequence ?? this.#position;
    this.#leaveTail();
    this.#queue = [];
    this.#queueBytes = 0;
    for (const wanted of this.#topics.values()) wanted.from = Math.max(wanted.from, position);
    this.#next = this.#topics.size === 0 ? from : Math.min(from, position);
  }

  #enqueue(event: PublishedEvent): void {
    this.#next = event.sequence + 1;
    this.#queue.push(event);
    this.#queueBytes += event.size;
  }

  #leaveTail(): void {
    if (!this.#followsTail) return;
    this.#followsTail = false;
    for (const key of this.#topics.keys()) this.#log.unfollow(key, this);
  }

  #take(): readonly Delivery[] {
    const [only] = this.#queue;
    if (only && this.#queue.length === 1) {
      this.#queue.pop();
      this.#queueBytes = 0;
      const keys = this.#wantedKeys(only);
      return keys.length > 0 ? [{ event: only, keys }] : [];
    }
    const batch: Delivery[] = [];
    let count = 0;
    let bytes = 0;
    for (const event of this.#queue) {
      if (count >= BATCH.events || bytes >= BATCH.bytes) break;
      count += 1;
      bytes += event.size;
      const keys = this.#wantedKeys(event);
      if (keys.length > 0) batch.push({ event, keys });
    }
    if (count === this.#queue.length) this.#queue = [];
    else this.#queue.splice(0, count);
    this.#queueBytes -= bytes;
    return batch;
  }

  #wantedKeys({ channel, keys, sequence }: PublishedEvent): readonly string[] {
    const wanted = (key: string) => sequence >= (this.#topics.get(key)?.from ?? Number.POSITIVE_INFINITY);
    if (keys.size === 1 && this.#topics.has(channel)) return wanted(channel) ? [channel] : [];
    if (keys.size <= this.#topics.size) return [...keys].filter(wanted);
    return [...this.#topics.keys()].filter((key) => keys.has(key) && wanted(key));
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #abandonPage(): void {
    this.#ended?.abort();
    this.#stopReading?.();
  }

  /** @param result called after the wait has ended: what it does may wake the consumer too */
  #settle(result: () => IteratorResult<readonly Delivery[]> | Promise<IteratorResult<readonly Delivery[]>>): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    deliver?.(result());
  }

  /** Something else than an event has happened. */
  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
    this.#settle(() => this.#nextPart());
  }
}
