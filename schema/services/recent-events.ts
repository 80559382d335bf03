import type { StoredEvent } from "../../database/queries/events.js";

/** Total size of the data that is kept, in bytes; the newest event may exceed it. */
const KEPT_BYTES = 1024 * 1024;

/**
 * The events that were read last, so that subscriptions which resume from the same place share them, and what is
 * rendered of them.
 */
export class RecentEvents {
  /** By sequence, the one used last at the end. */
  readonly #events = new Map<number, StoredEvent>();
  #bytes = 0;

  /** The same event as read before, if it is still kept. */
  share(event: StoredEvent): StoredEvent {
    const known = this.#events.get(event.sequence);
    if (known) this.#remove(known);
    // A rebuilt index begins with the same sequences.
    const shared = known?.data === event.data ? known : event;
    this.#events.set(shared.sequence, shared);
    this.#bytes += shared.data.length;
    for (const oldest of this.#events.values()) {
      if (this.#bytes <= KEPT_BYTES || oldest === shared) break;
      this.#remove(oldest);
    }
    return shared;
  }

  #remove({ sequence, data }: StoredEvent): void {
    this.#events.delete(sequence);
    this.#bytes -= data.length;
  }
}
