/** Limits per second for all connections of one client together. */
export interface IntakeLimits {
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** A connection whose reading can be paused. */
export interface Reader {
  pause(): void;
  resume(): void;
}

const SECOND_MS = 1_000;
/** Delay between resuming two connections, in ms, so that the first one's bytes are counted before. */
const BETWEEN_MS = 1;

/**
 * Meters what the connections of one client send. When the client has sent more bytes than allowed, none of them is
 * read; later they are resumed one after another. Above the message rate, messages that were read are delayed.
 */
export class Intake {
  readonly #limits: IntakeLimits;
  readonly #readers = new Set<Reader>();
  /** In the order in which they are resumed. */
  readonly #paused = new Set<Reader>();
  #messages: number;
  #bytes: number;
  #filledAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: IntakeLimits) {
    this.#limits = limits;
    this.#messages = limits.messagesPerSecond;
    this.#bytes = limits.bytesPerSecond;
  }

  /** Whether no connection uses it. */
  get isUnused(): boolean {
    return this.#readers.size === 0;
  }

  add(reader: Reader): void {
    this.#readers.add(reader);
    if (this.#paused.size > 0) this.#pause(reader);
  }

  remove(reader: Reader): void {
    this.#readers.delete(reader);
    this.#paused.delete(reader);
    if (this.#readers.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Counts bytes that a connection has read. */
  countBytes(bytes: number): void {
    this.#fill();
    this.#bytes -= bytes;
    if (this.#bytes >= 0) return;
    for (const reader of this.#readers) this.#pause(reader);
    this.#schedule();
  }

  /**
   * Counts a message before it is handled.
   * @returns 0 if it may be handled now, otherwise when to try again, in ms
   */
  takeMessage(): number {
    this.#fill();
    const { messagesPerSecond } = this.#limits;
    if (this.#messages < 1) return Math.ceil(((1 - this.#messages) * SECOND_MS) / messagesPerSecond);
    this.#messages -= 1;
    return 0;
  }

  #pause(reader: Reader): void {
    if (this.#paused.has(reader)) return;
    this.#paused.add(reader);
    reader.pause();
  }

  #fill(): void {
    const now = performance.now();
    const seconds = (now - this.#filledAt) / SECOND_MS;
    const { messagesPerSecond, bytesPerSecond } = this.#limits;
    this.#messages = Math.min(messagesPerSecond, this.#messages + seconds * messagesPerSecond);
    this.#bytes = Math.min(bytesPerSecond, this.#bytes + seconds * bytesPerSecond);
    this.#filledAt = now;
  }

  #schedule(): void {
    if (this.#timer || this.#paused.size === 0) return;
    const debtMs = (-this.#bytes * SECOND_MS) / this.#limits.bytesPerSecond;
    this.#timer = setTimeout(this.#resumeOne, Math.max(BETWEEN_MS, debtMs));
  }

  readonly #resumeOne = (): void => {
    this.#timer = undefined;
    this.#fill();
    const [reader] = this.#paused;
    if (reader && this.#bytes >= 0) {
      this.#paused.delete(reader);
      reader.resume();
    }
    this.#schedule();
  };
}
