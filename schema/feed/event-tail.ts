import type { PublishedEvent } from "./published-event.js";

/** Limits of the events that are kept; a single one may exceed the bytes. */
export interface TailLimits {
  readonly events: number;
  readonly bytes: number;
}

/** The newest events in memory, without a gap. */
export class EventTail {
  readonly #limits: TailLimits;
  #events: PublishedEvent[] = [];
  #bytes = 0;
  #last = 0;

  constructor(limits: TailLimits) {
    this.#limits = limits;
  }

  /** Sequence of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Sequence of the oldest one; of the next one if there are none. */
  get first(): number {
    return this.#events[0]?.sequence ?? this.#last + 1;
  }

  /** Adds the next event. */
  append(event: PublishedEvent): void {
    this.#events.push(event);
    this.#bytes += event.size;
    this.#last = event.sequence;
    const { events, bytes } = this.#limits;
    while (this.#events.length > 1 && (this.#events.length > events || this.#bytes > bytes)) {
      this.#bytes -= this.#events.shift()!.size;
    }
  }

  /** The events from a sequence on; undefined when it begins later. */
  from(sequence: number): readonly PublishedEvent[] | undefined {
    if (sequence < this.first) return undefined;
    let first = this.#events.length;
    while (first > 0 && this.#events[first - 1]!.sequence >= sequence) first -= 1;
    return this.#events.slice(first);
  }

  /** Forgets all events, and continues after a sequence. */
  restart(last: number): void {
    this.#events = [];
    this.#bytes = 0;
    this.#last = last;
  }
}
