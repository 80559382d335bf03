import { Bucket } from "../../schema/limits/rate-limit.js";
import type { FairQueue } from "../clients/fair-queue.js";

/** Limits per second for all connections of one client together. */
export interface InboxLimits {
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
}

/** A connection of an inbox. */
export interface InboxConnection {
  readonly isOpen: boolean;
  handle(message: Buffer): void;
  /** Ends the connection: a message could not be handled, by a fault of ours. */
  fail(): void;
  /** Stops reading. It is called for two reasons, which may overlap: each is ended by `resume`. */
  pause(): void;
  resume(): void;
  /** No message is handled until more arrive, or the client's rate allows it. */
  onPaused(): void;
}

/** Number of waiting messages of one connection at which it is no longer read. */
const READ_AHEAD = 16;
/** Delay between resuming two connections, in ms, so that the first one's bytes are counted before. */
const BETWEEN_MS = 1;

/**
 * What the connections of one client send. Messages are handled in the client's turns and no faster than its rate; its
 * connections take turns, and each one's messages are handled in order. When the client has sent more bytes than allowed,
 * none of its connections is read; later they are resumed one after another.
 */
export class Inbox {
  readonly #client: string;
  readonly #turns: FairQueue;
  readonly #messages: Bucket;
  readonly #bytes: Bucket;
  readonly #reading = new Set<InboxConnection>();
  /** Not read because the client has sent too many bytes; in the order in which they are resumed. */
  readonly #paused = new Set<InboxConnection>();
  /** Not read because too many of their messages wait. */
  readonly #full = new Set<InboxConnection>();
  /** Messages that wait; in the order in which connections are served next. */
  readonly #waiting = new Map<InboxConnection, Buffer[]>();
  #isHandling = false;
  #isResuming = false;

  constructor(client: string, turns: FairQueue, { messagesPerSecond, bytesPerSecond }: InboxLimits) {
    this.#client = client;
    this.#turns = turns;
    this.#messages = new Bucket({ perSecond: messagesPerSecond, burst: messagesPerSecond });
    this.#bytes = new Bucket({ perSecond: bytesPerSecond, burst: bytesPerSecond });
  }

  /** Whether it has no connection. */
  get isUnused(): boolean {
    return this.#reading.size + this.#paused.size === 0;
  }

  /** A connection was opened. */
  add(connection: InboxConnection): void {
    this.#reading.add(connection);
    if (this.#paused.size > 0) this.#pause(connection);
  }

  /** A connection was closed: its messages are dropped. */
  remove(connection: InboxConnection): void {
    this.#reading.delete(connection);
    this.#paused.delete(connection);
    this.#full.delete(connection);
    this.#waiting.delete(connection);
  }

  /** Counts bytes that a connection has read. */
  countBytes(bytes: number): void {
    this.#bytes.spend(bytes);
    if (this.#bytes.wait(0) === 0) return;
    for (const connection of this.#reading) this.#pause(connection);
    if (!this.#isResuming) void this.#resumeAll();
  }

  /** A connection has received a message. */
  receive(connection: InboxConnection, message: Buffer): void {
    const messages = this.#waiting.get(connection) ?? [];
    messages.push(message);
    this.#waiting.set(connection, messages);
    if (messages.length >= READ_AHEAD && !this.#full.has(connection)) {
      this.#full.add(connection);
      connection.pause();
    }
    if (!this.#isHandling) void this.#handleAll();
  }

  #pause(connection: InboxConnection): void {
    this.#reading.delete(connection);
    this.#paused.add(connection);
    connection.pause();
  }

  async #resumeAll(): Promise<void> {
    this.#isResuming = true;
    while (this.#paused.size > 0) {
      await sleep(Math.max(BETWEEN_MS, this.#bytes.wait(0) * 1_000));
      const [connection] = this.#paused;
      if (!connection || this.#bytes.wait(0) > 0) continue;
      this.#paused.delete(connection);
      this.#reading.add(connection);
      connection.resume();
    }
    this.#isResuming = false;
  }

  async #handleAll(): Promise<void> {
    this.#isHandling = true;
    while (this.#waiting.size > 0) {
      const seconds = this.#messages.wait(1);
      if (seconds > 0) await sleep(Math.ceil(seconds * 1_000));
      else {
        await this.#turns.turn(this.#client);
        this.#handleNext();
      }
    }
    this.#isHandling = false;
  }

  #handleNext(): void {
    const [next] = this.#waiting;
    if (!next) return;
    const [connection, messages] = next;
    this.#waiting.delete(connection);
    const message = connection.isOpen ? messages.shift() : undefined;
    if (message && messages.length > 0) this.#waiting.set(connection, messages);
    else if (this.#full.delete(connection)) connection.resume();
    if (message) this.#handle(connection, message);
  }

  #handle(connection: InboxConnection, message: Buffer): void {
    this.#messages.spend(1);
    try {
      connection.handle(message);
      if (!this.#waiting.has(connection) || this.#messages.wait(1) > 0) connection.onPaused();
    } catch (error) {
      connection.fail();
      // The error ends this connection alone, and the process reports the error as a rejection that nothing handles.
      void Promise.reject(error);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
