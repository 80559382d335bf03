import type { StoredEvent } from "../../database/queries/events.js";
import { ApiError } from "./errors.js";

/** Queue limits of one subscriber. */
export interface BufferLimits {
  readonly events: number;
  /** Of their data. */
  readonly bytes: number;
}

/** A reader's queue exceeded its limit; it has missed events. */
export class EventBufferOverflowError extends ApiError {
  constructor({ events, bytes }: BufferLimits) {
    const limit = `${events} events or ${bytes} bytes`;
    super("TooManyRequests", `more than ${limit} were queued for a subscriber that does not read them`);
    this.name = "EventBufferOverflowError";
  }
}

/** Events were deleted before they could be read, so a subscriber would miss them without noticing. */
export class EventsMissedError extends ApiError {
  /** First and last missed sequence. */
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super("ServiceUnavailable", `events ${from} to ${to} were deleted before they were read`);
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
 * The events of one subscriber, in order, with a bounded queue. When the limit is exceeded, or events were missed,
 * the queue is still delivered, and then the error. `return()` ends it.
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
   * @param limits of the queue; a single event may exceed the bytes
   * @param onEnd called once, when no more events are accepted
   */
  constructor(limits: BufferLimits, onEnd: () => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** Adds the next event. */
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

  /** Ends it with an error, which is thrown after the queue. */
  fail(error: Error): void {
    if (this.#ended) return;
    const waiter = this.#waiters.shift();
    if (waiter) waiter.reject(error);
    else this.#error = error;
    this.#end();
  }

  /** Clears the queue; later events are delivered. */
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
