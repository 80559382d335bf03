/** Limits per second for all connections of one client together. */
export interface ReceiveLimits {
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
 * read; later they are resumed one after another. Above the message rate, messages that were read wait in one queue: what
 * a message costs does not depend on the number of connections.
 */
export class ReceiveLimit {
  readonly #limits: ReceiveLimits;
  readonly #reading = new Set<Reader>();
  /** In the order in which they are resumed. */
  readonly #paused = new Set<Reader>();
  /** What waits for the rate of messages to allow one, first come, first served. */
  readonly #queue = new Set<() => void>();
  #messages: number;
  #bytes: number;
  #filledAt = performance.now();
  #readTimer: NodeJS.Timeout | undefined;
  #messageTimer: NodeJS.Timeout | undefined;

  constructor(limits: ReceiveLimits) {
    this.#limits = limits;
    this.#messages = limits.messagesPerSecond;
    this.#bytes = limits.bytesPerSecond;
  }

  /** Whether no connection uses it. */
  get isUnused(): boolean {
    return this.#reading.size + this.#paused.size === 0;
  }

  add(reader: Reader): void {
    this.#reading.add(reader);
    if (this.#paused.size > 0) this.#pause(reader);
  }

  remove(reader: Reader): void {
    this.#reading.delete(reader);
    this.#paused.delete(reader);
    if (!this.isUnused) return;
    clearTimeout(this.#readTimer);
    this.#readTimer = undefined;
  }

  /** Counts bytes that a connection has read. */
  countBytes(bytes: number): void {
    this.#fill();
    this.#bytes -= bytes;
    if (this.#bytes >= 0) return;
    for (const reader of this.#reading) this.#pause(reader);
    this.#resumeLater();
  }

  /**
   * Counts a message before it is handled.
   * @returns whether it may be handled now; otherwise `allow` is called when one may, which is counted then
   */
  takeMessage(allow: () => void): boolean {
    this.#fill();
    // Those that wait come first.
    if (this.#queue.size === 0 && this.#messages >= 1) {
      this.#messages -= 1;
      return true;
    }
    this.#queue.add(allow);
    this.#allowLater();
    return false;
  }

  /** `allow` is no longer waited for. */
  leave(allow: () => void): void {
    this.#queue.delete(allow);
    if (this.#queue.size > 0) return;
    clearTimeout(this.#messageTimer);
    this.#messageTimer = undefined;
  }

  #pause(reader: Reader): void {
    this.#reading.delete(reader);
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

  #allowLater(): void {
    if (this.#messageTimer || this.#queue.size === 0) return;
    const missing = Math.max(0, 1 - this.#messages);
    this.#messageTimer = setTimeout(this.#allowNext, Math.ceil((missing * SECOND_MS) / this.#limits.messagesPerSecond));
  }

  readonly #allowNext = (): void => {
    this.#messageTimer = undefined;
    this.#fill();
    for (const allow of this.#queue) {
      if (this.#messages < 1) break;
      this.#messages -= 1;
      this.#queue.delete(allow);
      allow();
    }
    this.#allowLater();
  };

  #resumeLater(): void {
    if (this.#readTimer || this.#paused.size === 0) return;
    const debtMs = (-this.#bytes * SECOND_MS) / this.#limits.bytesPerSecond;
    this.#readTimer = setTimeout(this.#resumeOne, Math.max(BETWEEN_MS, debtMs));
  }

  readonly #resumeOne = (): void => {
    this.#readTimer = undefined;
    this.#fill();
    const [reader] = this.#paused;
    if (reader && this.#bytes >= 0) {
      this.#paused.delete(reader);
      this.#reading.add(reader);
      reader.resume();
    }
    this.#resumeLater();
  };
}
