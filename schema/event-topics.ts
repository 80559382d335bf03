import type { ChannelName } from "./channels.js";
import type { StoredEvent } from "./db/events.js";
import { EventSubscription } from "./event-subscription.js";

/** What can be listened to: a channel, or what in it concerns one address. */
export interface EventTopic {
  readonly channel: ChannelName;
  /** 24 bytes as transactions write it: an alias is another address than the one it stands for. */
  readonly address?: Buffer | undefined;
}

/** Who listens to what. */
export class EventTopics {
  readonly #subscriptions = new Map<string, Set<EventSubscription>>();
  readonly #bufferLimit: number;
  #size = 0;

  /** @param bufferLimit events that may wait for each subscriber */
  constructor(bufferLimit: number) {
    this.#bufferLimit = bufferLimit;
  }

  /** Number of subscriptions. */
  get size(): number {
    return this.#size;
  }

  /** A new subscription to everything that comes from now on; ending it removes it. */
  add({ channel, address }: EventTopic): EventSubscription {
    const key = address ? addressKey(channel, address) : channel;
    const listening = this.#subscriptions.get(key) ?? new Set();
    this.#subscriptions.set(key, listening);
    const subscription = new EventSubscription(this.#bufferLimit, () => {
      listening.delete(subscription);
      this.#size -= 1;
      // A later subscriber may have started a new set under the same key.
      if (listening.size === 0 && this.#subscriptions.get(key) === listening) this.#subscriptions.delete(key);
    });
    listening.add(subscription);
    this.#size += 1;
    return subscription;
  }

  /** Hands an event to everybody whom it concerns, once for each subscription. */
  publish(event: StoredEvent): void {
    const keys = new Set([event.channel, ...event.addresses.map((address) => addressKey(event.channel, address))]);
    for (const key of keys) {
      for (const subscription of this.#subscriptions.get(key) ?? []) subscription.push(event);
    }
  }

  /** Ends every subscription: with the error, or without one as at an end. */
  endAll(error?: Error): void {
    for (const listening of [...this.#subscriptions.values()]) {
      for (const subscription of [...listening]) {
        if (error) subscription.fail(error);
        else void subscription.return();
      }
    }
  }
}

function addressKey(channel: string, address: Buffer): string {
  return `${channel}/${address.toString("hex")}`;
}
