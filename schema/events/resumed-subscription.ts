import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import type { Context } from "../graph/context.js";
import type { EventSource } from "../services/event-source.js";
import type { EventSubscription } from "../services/event-subscription.js";
import { keyOf, keysOf } from "../services/event-topics.js";
import { type EventLog, readMissed } from "./missed-events.js";

type ResumableLog = EventLog & { readonly events: EventSource } & Pick<Context, "keepPage" | "closed">;

/**
 * Events of a topic from a sequence on: first missed ones, page by page at the reader's pace, then live ones, without
 * gaps and duplicates. Throws like {@link readMissed} and {@link EventSubscription}. `return()` ends it.
 */
export class ResumedSubscription implements AsyncIterableIterator<StoredEvent> {
  readonly #log: ResumableLog;
  readonly #topic: EventTopic;
  readonly #key: string;
  readonly #live: EventSubscription;
  #missed: StoredEvent[] = [];
  /** The next one to read. */
  #from: number;
  #isLive = false;
  /** Of the page that is kept: its events were sent. */
  #endPage: () => void = () => undefined;
  readonly #ended = new AbortController();

  /** @param from sequence of the first wanted event */
  constructor(log: ResumableLog, topic: EventTopic, from: number) {
    this.#log = log;
    this.#topic = topic;
    this.#key = keyOf(topic);
    this.#from = from;
    this.#live = log.events.subscribe(topic);
  }

  /** Reads the first page, so that an invalid start is rejected before the first event. */
  async open(): Promise<this> {
    const { closed } = this.#log;
    const leave = () => void this.return();
    closed?.addEventListener("abort", leave);
    try {
      if (closed?.aborted) await this.return();
      await this.#read();
      return this;
    } catch (error) {
      await this.return();
      throw error;
    } finally {
      closed?.removeEventListener("abort", leave);
    }
  }

  async next(): Promise<IteratorResult<StoredEvent>> {
    // The last event of the page was sent.
    if (this.#missed.length === 0) this.#endPage();
    try {
      while (this.#missed.length === 0 && !this.#isLive) await this.#read();
    } catch (error) {
      await this.return();
      throw error;
    }
    const missed = this.#missed.shift();
    return missed ? { value: missed, done: false } : this.#nextLive();
  }

  return(): Promise<IteratorResult<StoredEvent>> {
    this.#missed = [];
    this.#isLive = true;
    this.#ended.abort();
    this.#endPage();
    return this.#live.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads a page in a place of the client's, which is given back when its events were sent, or the subscription ends. */
  #read(): Promise<void> {
    this.#endPage();
    const keep = this.#log.keepPage ?? ((_signal, work) => work());
    return new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        await this.#readPage();
        const isSent = new Promise<void>((sent) => {
          this.#endPage = sent;
        });
        resolve();
        if (this.#missed.length > 0) await isSent;
      };
      keep(this.#ended.signal, work).catch((error) => (this.#ended.signal.aborted ? resolve() : reject(error)));
    });
  }

  async #readPage(): Promise<void> {
    // Events before the query are in its result.
    this.#live.discard();
    const { events, through, isLast } = await readMissed(this.#log, [this.#topic], this.#from);
    if (this.#ended.signal.aborted) return;
    const { recent } = this.#log.events;
    this.#missed = events.filter((event) => keysOf(event).has(this.#key)).map((event) => recent.share(event));
    this.#from = through + 1;
    this.#isLive = isLast;
  }

  async #nextLive(): Promise<IteratorResult<StoredEvent>> {
    for (;;) {
      const result = await this.#live.next();
      if (result.done || result.value.sequence >= this.#from) return result;
    }
  }
}
