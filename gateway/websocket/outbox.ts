import { RenderedEvent } from "./rendered-event.js";
import type { Subscriber, Subscription, TopicEvent } from "./subscription.js";

/** Who subscribes to a topic, and as what. */
export type Subscribers = ReadonlyMap<Subscriber, readonly Subscription[]>;

interface Outgoing {
  readonly message: TopicEvent;
  readonly subscribers: Subscribers;
}

/** The time that handing out messages may take in one turn of the event loop, in ms. */
const TURN_MS = 10;

/**
 * Hands out what the feeds give in the order of the events. Each feed is in order by itself, but they run side by side: a
 * connection with several subscriptions would see the second event of one before the first of another. All feeds have
 * delivered a batch of events when the event loop's turn is over; then it is sorted and handed out, a bounded time in
 * each turn. An event that belongs to several topics is rendered once.
 */
export class Outbox {
  #outgoing: Outgoing[] = [];
  /** Events of this turn. */
  readonly #rendered = new Map<number, { readonly data: string; readonly event: RenderedEvent }>();
  #flush: NodeJS.Immediate | undefined;

  /**
   * Hands out an event of a topic at the end of this turn.
   * @param data JSON text
   * @param subscribers read when it is handed out
   */
  add(key: string, sequence: number, data: string, subscribers: Subscribers): void {
    this.#outgoing.push({ message: { key, event: this.#render(sequence, data) }, subscribers });
    this.#flush ??= setImmediate(this.#send);
  }

  /** Throws away what was not handed out yet. */
  close(): void {
    clearImmediate(this.#flush);
    this.#outgoing = [];
    this.#rendered.clear();
  }

  #render(sequence: number, data: string): RenderedEvent {
    const known = this.#rendered.get(sequence);
    // An index that was built anew begins with the same sequences.
    if (known?.data === data) return known.event;
    const event = new RenderedEvent(sequence, data);
    this.#rendered.set(sequence, { data, event });
    return event;
  }

  readonly #send = (): void => {
    this.#rendered.clear();
    const end = performance.now() + TURN_MS;
    const outgoing = this.#outgoing.sort((a, b) => a.message.event.sequence - b.message.event.sequence);
    let sent = 0;
    do {
      const { message, subscribers } = outgoing[sent]!;
      sent += 1;
      for (const [subscriber, subscriptions] of subscribers) subscriber.deliver(message, subscriptions);
    } while (sent < outgoing.length && performance.now() < end);
    this.#outgoing = outgoing.slice(sent);
    this.#flush = this.#outgoing.length > 0 ? setImmediate(this.#send) : undefined;
  };
}
