import type { StoredEvent } from "../../database/queries/events.js";
import { ApiError } from "./errors.js";

/** What may wait for one subscriber. */
export interface BufferLimits {
  readonly events: number;
  /** Of their data. */
  readonly bytes: number;
}

/** A reader let more events pile up than may wait for it; what it missed is not known to it. */
export class EventBufferOverflowError extends ApiError {
  constructor({ events, bytes }: BufferLimits) {
    const limit = `${events} events or ${bytes} bytes`;
    super("TooManyRequests", `more than ${limit} waited for a subscriber that does not take them`);
    this.name = "EventBufferOverflowError";
  }
}

/** Events were deleted before they could be read, so a subscriber would miss them without noticing. */
export class EventsMissedError extends ApiError {
  /** First and last sequence that were missed. */
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super("ServiceUnavailable", `events ${from} to ${to} are gone from the database before they were read`);
    this.name = "EventsMissedError";
    this.from = from;
    this.to = to;
  }
}

interface Waiter {
  readonly resolve: (result: IteratorResult<StoredEvent>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What one subscriber reads: events in order, with a bounded number that wait. When the bound is passed, or events
 * were missed, what waits is still given, and then the error. `return()` ends it.
 */
export class EventSubscription implements AsyncIterableIterator<StoredEvent> {
  readonly #limits: BufferLimits;
  readonly #onEnd: () => void;
  readonly #waiting: StoredEvent[] = [];
  readonly #waiters: Waiter[] = [];
  #waitingBytes = 0;
  #error: Error | undefined;
  #ended = false;

  /**
   * @param limits what may wait; one event alone may exceed the bytes
   * @param onEnd called once, when nothing more is taken
   */
  constructor(limits: BufferLimits, onEnd: () => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** Hands over the next event. */
  push(event: StoredEvent): void {
    if (this.#ended) return;
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve({ value: event, done: false });
    else if (this.#hasRoom(event)) this.#keep(event);
    else this.fail(new EventBufferOverflowError(this.#limits));
  }

  #hasRoom({ data }: StoredEvent): boolean {
    const { events, bytes } = this.#limits;
    const { length } = this.#waiting;
    return length < events && (length === 0 || this.#waitingBytes + data.length <= bytes);
  }

  #keep(event: StoredEvent): void {
    this.#waiting.push(event);
    this.#waitingBytes += event.data.length;
  }

  /** Ends it with an error, which comes after what waits. */
  fail(error: Error): void {
    if (this.#ended) return;
    const waiter = this.#waiters.shift();
    if (waiter) waiter.reject(error);
    else this.#error = error;
    this.#end();
  }

  /** Throws away what waits; what comes later is given. */
  discard(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }

  next(): Promise<IteratorResult<StoredEvent>> {
    const event = this.#waiting.shift();
    if (event) {
      this.#waitingBytes -= event.data.length;
      return Promise.resolve({ value: event, done: false });
    }
    if (this.#error) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<StoredEvent>> {
    this.discard();
    this.#error = undefined;
    this.#end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ value: undefined, done: true });
    this.#onEnd();
  }
}
