import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import type { EventSource } from "../services/event-source.js";
import type { EventSubscription } from "../services/event-subscription.js";
import { keyOf, keysOf } from "../services/event-topics.js";
import { type EventLog, readMissed } from "./missed-events.js";

/**
 * Events of a topic from a sequence on: what was missed, read page by page at the reader's pace, then the live ones,
 * without a gap or a double. Throws as {@link readMissed} and {@link EventSubscription} do. `return()` ends it.
 */
export class ResumedSubscription implements AsyncIterableIterator<StoredEvent> {
  readonly #log: EventLog;
  readonly #topic: EventTopic;
  readonly #key: string;
  readonly #live: EventSubscription;
  #missed: StoredEvent[] = [];
  /** The next one to read. */
  #from: number;
  #isLive = false;

  /** @param from sequence of the first event that is wanted */
  constructor(log: EventLog & { readonly events: EventSource }, topic: EventTopic, from: number) {
    this.#log = log;
    this.#topic = topic;
    this.#key = keyOf(topic);
    this.#from = from;
    this.#live = log.events.subscribe(topic);
  }

  /** Reads the first page, so that a start that is not possible is refused before anything is given. */
  async open(): Promise<this> {
    try {
      await this.#read();
      return this;
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<StoredEvent>> {
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
    return this.#live.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<void> {
    // What comes before the question is in the answer.
    this.#live.discard();
    const { events, through, isLast } = await readMissed(this.#log, [this.#topic], this.#from);
    if (this.#isLive) return;
    this.#missed = events.filter((event) => keysOf(event).has(this.#key));
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
