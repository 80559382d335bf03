import type { EventTopic, StoredEvent } from "../../database/queries/events.js";
import { type BufferLimits, EventSubscription } from "./event-subscription.js";

/** Subscriptions by topic. */
export class EventTopics {
  readonly #subscriptions = new Map<string, Set<EventSubscription>>();
  readonly #limits: BufferLimits;
  #size = 0;

  /** @param limits of the queue of each subscriber */
  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  /** Number of subscriptions. */
  get size(): number {
    return this.#size;
  }

  /** A new subscription to all later events; ending it removes it. */
  add(topic: EventTopic): EventSubscription {
    const key = keyOf(topic);
    const listening = this.#subscriptions.get(key) ?? new Set();
    this.#subscriptions.set(key, listening);
    const subscription = new EventSubscription(this.#limits, () => {
      listening.delete(subscription);
      this.#size -= 1;
      // A later subscriber may have started a new set under the same key.
      if (listening.size === 0 && this.#subscriptions.get(key) === listening) this.#subscriptions.delete(key);
    });
    listening.add(subscription);
    this.#size += 1;
    return subscription;
  }

  /** Delivers an event to all subscriptions that it belongs to, once each. @returns their number */
  publish(event: StoredEvent): number {
    let count = 0;
    for (const key of keysOf(event)) {
      for (const subscription of this.#subscriptions.get(key) ?? []) {
        subscription.push(event);
        count += 1;
      }
    }
    return count;
  }

  /** Ends every subscription: with the error, or normally without one. */
  endAll(error?: Error): void {
    for (const listening of [...this.#subscriptions.values()]) {
      for (const subscription of [...listening]) {
        if (error) subscription.fail(error);
        else void subscription.return();
      }
    }
  }
}

/** The same text for the same topic. */
export function keyOf({ channel, address }: EventTopic): string {
  return address ? `${channel}/${address.toString("hex")}` : channel;
}

/** The keys of every topic that an event belongs to, without duplicates. */
export function keysOf({ channel, addresses }: StoredEvent): Set<string> {
  return new Set([channel, ...addresses.map((address) => keyOf({ channel, address }))]);
}
