import { RenderedEvent } from "./rendered-event.js";
import type { Subscriber, Subscription, TopicEvent } from "./subscription.js";

/** The subscribers of a topic, with their subscriptions. */
export type Subscribers = ReadonlyMap<Subscriber, readonly Subscription[]>;

interface QueuedEvent {
  readonly message: TopicEvent;
  readonly subscribers: Subscribers;
}

/** Maximum time for delivering messages in one turn of the event loop, in ms. */
const TURN_MS = 10;

/**
 * Delivers the events of all topics in order. Each topic is in order by itself, but they run side by side: a connection
 * with several subscriptions could get the second event of one before the first of another. All topics have delivered
 * a batch of events by the end of the turn of the event loop; then it is sorted and delivered, for a bounded time per
 * turn. An event that belongs to several topics is rendered once.
 */
export class EventQueue {
  #events: QueuedEvent[] = [];
  /** Events of this turn. */
  readonly #rendered = new Map<number, { readonly data: string; readonly event: RenderedEvent }>();
  #flush: NodeJS.Immediate | undefined;

  /**
   * Delivers an event of a topic at the end of this turn.
   * @param data JSON text
   * @param subscribers read at delivery
   */
  add(key: string, sequence: number, data: string, subscribers: Subscribers): void {
    this.#events.push({ message: { key, event: this.#render(sequence, data) }, subscribers });
    this.#flush ??= setImmediate(this.#send);
  }

  /** Whether everything was delivered. */
  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Discards what was not delivered yet. */
  close(): void {
    clearImmediate(this.#flush);
    this.#events = [];
    this.#rendered.clear();
  }

  #render(sequence: number, data: string): RenderedEvent {
    const known = this.#rendered.get(sequence);
    // A rebuilt index begins with the same sequences.
    if (known?.data === data) return known.event;
    const event = new RenderedEvent(sequence, data);
    this.#rendered.set(sequence, { data, event });
    return event;
  }

  readonly #send = (): void => {
    this.#rendered.clear();
    const end = performance.now() + TURN_MS;
    const events = this.#events.sort((a, b) => a.message.event.sequence - b.message.event.sequence);
    let sent = 0;
    do {
      const { message, subscribers } = events[sent]!;
      sent += 1;
      for (const [subscriber, subscriptions] of subscribers) subscriber.deliver(message, subscriptions);
    } while (sent < events.length && performance.now() < end);
    this.#events = events.slice(sent);
    this.#flush = this.#events.length > 0 ? setImmediate(this.#send) : undefined;
  };
}
