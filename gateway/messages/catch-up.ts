import { ResumeRangeError } from "../../schema/events/missed-events.js";
import type { ApiError } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";
import type { MissedPage, MissedReader } from "./missed.js";
import type { RenderedEvent } from "./rendered-event.js";
import type { Subscription, TopicEvent } from "./subscription.js";

/** A client that catches up on missed events. */
export interface Resuming {
  readonly clientKey: string;
  /** False when it has disconnected. */
  readonly isOpen: boolean;
  /** Aborted when it has disconnected. */
  readonly signal: AbortSignal;
  send(event: RenderedEvent, subscriptions: readonly Subscription[]): void;
  /** Resolves when it has read everything, or has disconnected. */
  flushed(): Promise<void>;
  /** The subscription cannot be resumed. */
  reject(subscription: Subscription, error: ApiError): void;
  /**
   * The subscription is complete up to a sequence: from now on later live messages are to be sent, others are
   * duplicates.
   */
  complete(subscription: Subscription, sequence: number): void;
}

interface Behind {
  readonly subscription: Subscription;
  /** Settles when its live messages are delivered. */
  readonly opened: Promise<void>;
  /** Sequence of the first message that is wanted and was not sent. */
  next: number;
}

/**
 * Resumes subscriptions of one connection that were made together: reads missed events page by page at the client's
 * pace, in the order of their sequences over all of them; then live ones that arrived meanwhile. Every message is
 * sent exactly once.
 */
export class CatchUp {
  readonly #reader: MissedReader;
  readonly #client: Resuming;
  readonly #half: number | undefined;
  readonly #behind = new Map<Subscription, Behind>();
  /** Live messages since a page was requested: earlier ones are in it. */
  #live: TopicEvent[] | undefined;

  /**
   * @param half sequence of an event that the client has received for at least one of its subscriptions: it is sent
   *   again if it belongs to several
   */
  constructor(reader: MissedReader, client: Resuming, half?: number) {
    this.#reader = reader;
    this.#client = client;
    this.#half = half;
  }

  /** Number of subscriptions that are not caught up. */
  get size(): number {
    return this.#behind.size;
  }

  /** Adds a subscription; only before {@link run}. */
  add(subscription: Subscription, from: number, opened: Promise<void>): void {
    this.#behind.set(subscription, { subscription, opened, next: from });
  }

  /** Removes a subscription: it was cancelled, or rejected. */
  drop(subscription: Subscription): void {
    this.#behind.delete(subscription);
  }

  /** Takes a live message for one or more of its subscriptions. */
  take(message: TopicEvent): void {
    if (this.#live?.at(-1) !== message) this.#live?.push(message);
  }

  /** Sends all missed events, and those that arrived meanwhile, unless the client disconnects. Never rejects. */
  async run(): Promise<void> {
    await Promise.all([...this.#behind.values()].map(({ opened }) => opened));
    await this.#checkGreatest();
    while (this.#behind.size > 0 && this.#client.isOpen) {
      await this.#client.flushed();
      const live: TopicEvent[] = [];
      this.#live = live;
      try {
        if (await this.#sendPage()) this.#finish(live);
      } catch (error) {
        this.#reject(error);
      } finally {
        this.#live = undefined;
      }
    }
  }

  /** Pages are read from the smallest start on, which would not show whether the greatest one is in range. */
  async #checkGreatest(): Promise<void> {
    const sorted = [...this.#behind.values()].sort((a, b) => b.next - a.next);
    const [greatest] = sorted;
    if (!greatest || sorted.at(-1)?.next === greatest.next) return;
    try {
      await this.#reader.read(this.#client, [greatest.subscription.topic], greatest.next, () => undefined);
    } catch (error) {
      this.#reject(error);
    }
  }

  /** @returns true when nothing is left except live messages that arrived meanwhile */
  #sendPage(): Promise<boolean> {
    const topics = new Map([...this.#behind.keys()].map(({ topic }) => [topic.key, topic]));
    const from = Math.min(...[...this.#behind.values()].map(({ next }) => next));
    return new Promise((resolve, reject) => {
      const use = (page: MissedPage): Promise<void> => {
        this.#send(page);
        resolve(page.isLast);
        // The page takes memory until the client has read it.
        return this.#client.flushed();
      };
      this.#reader.read(this.#client, [...topics.values()], from, use).catch(reject);
    });
  }

  #send({ events, through }: MissedPage): void {
    const byKey = new Map<string, Behind[]>();
    for (const behind of this.#behind.values()) {
      const { key } = behind.subscription.topic;
      const sameKey = byKey.get(key);
      if (sameKey) sameKey.push(behind);
      else byKey.set(key, [behind]);
    }
    for (const { event, keys } of events) {
      const behind = keys.flatMap((key) => byKey.get(key) ?? []).filter(({ next }) => event.sequence >= next);
      if (behind.length === 0 || (behind.length === 1 && event.sequence === this.#half)) continue;
      this.#client.send(
        event,
        behind.map(({ subscription }) => subscription),
      );
    }
    for (const behind of this.#behind.values()) behind.next = Math.max(behind.next, through + 1);
  }

  #finish(live: readonly TopicEvent[]): void {
    for (const { key, event } of live) {
      const wanting = [...this.#behind.values()].filter(
        ({ subscription, next }) => subscription.topic.key === key && event.sequence >= next,
      );
      if (wanting.length === 0) continue;
      this.#client.send(
        event,
        wanting.map(({ subscription }) => subscription),
      );
      for (const behind of wanting) behind.next = event.sequence + 1;
    }
    for (const { subscription, next } of this.#behind.values()) this.#client.complete(subscription, next - 1);
    this.#behind.clear();
  }

  /** Ends the subscriptions that cannot be resumed: those that start out of range, or all. */
  #reject(error: unknown): void {
    if (!this.#client.isOpen) return;
    const rejection = toApiError(error);
    for (const [subscription, { next }] of [...this.#behind]) {
      if (rejection instanceof ResumeRangeError && next >= rejection.oldest && next <= rejection.next) continue;
      this.#behind.delete(subscription);
      this.#client.reject(subscription, rejection);
    }
  }
}
