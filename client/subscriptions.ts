import type { ConnectionStatus } from "./connection-status.js";
import { GatewayError } from "./gateway-error.js";
import type { Message, Topic } from "./messages.js";

/** The part of a WebSocket that is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

export type SocketClass = new (url: string) => Socket;

export interface SubscribeOptions {
  /** Sequence of the first wanted event; by default, only live messages are received. */
  readonly from?: number;
  /**
   * Receives errors: a {@link GatewayError} when the topic is invalid, or events were deleted before they could be
   * received, so the subscription continues with the oldest one (code `EventsMissed`); otherwise what the handler threw,
   * in an `Error` as its `cause` if it is none. By default they are ignored.
   */
  readonly onError?: (error: GatewayError | Error) => void;
}

/** A topic that is received until it is closed, over as many connections as necessary. */
export interface Subscription {
  /** Sequence of the next event that may be received: `from` of a later subscription that is to continue here. */
  readonly next: number | undefined;
  close(): void;
}

interface Entry {
  next: number | undefined;
  readonly receive: (message: Message) => void;
  readonly onError: (error: GatewayError | Error) => void;
}

interface Incoming {
  readonly uid?: string;
  readonly topic?: string;
  readonly sequence?: number;
  readonly data?: { code: string; message: string; oldest?: number; request?: { subscribe?: unknown } };
}

/** A connection that the gateway has not greeted within this time is given up, in ms. */
const GREETING_MS = 5_000;
/** A topic with a message every 15 s, which shows that the connection works. */
const HEARTBEAT = "heartbeat";

/** Times of a connection, in ms. */
export interface ConnectionTimes {
  /** Before the first attempt to reconnect. */
  readonly retryMs: number;
  /** Maximum of that time, which doubles with each attempt in vain. */
  readonly maxRetryMs: number;
  /** A connection without any message for this time is lost. */
  readonly silenceMs: number;
}

/**
 * Subscriptions over one WebSocket, which is open while there are any. After a lost connection it reconnects, with
 * growing delays, and resumes each topic after its last message: nothing is lost and nothing is received twice.
 */
export class Subscriptions {
  readonly #url: string;
  readonly #Socket: SocketClass;
  readonly #entries = new Map<string, Entry>();
  #socket: Socket | undefined;
  #uid: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #times: ConnectionTimes;
  readonly #status: ConnectionStatus;
  #delayMs: number;
  /** Gives up a connection from which nothing comes. */
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Whether the gateway sends heartbeats. */
  #beats = true;

  /** @param url of `/ws` */
  constructor(url: string, Socket: SocketClass, times: ConnectionTimes, status: ConnectionStatus) {
    this.#status = status;
    this.#times = times;
    this.#delayMs = times.retryMs;
    this.#url = url;
    this.#Socket = Socket;
  }

  /** @throws Error when the topic is subscribed already */
  add(topic: Topic, receive: (message: Message) => void, { from, onError = () => {} }: SubscribeOptions): Subscription {
    if (this.#entries.has(topic)) throw new Error(`${topic} is subscribed already`);
    const entry: Entry = { next: from, receive, onError };
    this.#entries.set(topic, entry);
    if (this.#uid !== undefined) this.#subscribe(topic, entry);
    else if (!this.#socket && this.#timer === undefined) this.#connect();
    return {
      get next() {
        return entry.next;
      },
      close: () => this.#remove(topic, entry),
    };
  }

  #remove(topic: string, entry: Entry): void {
    if (this.#entries.get(topic) !== entry) return;
    this.#entries.delete(topic);
    if (this.#uid !== undefined) this.#send({ unsubscribe: topic });
    if (this.#entries.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#disconnect();
    this.#status.state = "idle";
  }

  #connect(): void {
    this.#timer = undefined;
    const socket = new this.#Socket(`${this.#url}?sequence`);
    this.#socket = socket;
    this.#beats = true;
    this.#giveUpAfter(GREETING_MS);
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)));
    socket.onclose = () => this.#reconnect();
    // Not every implementation closes it then: that of Node 22 does not.
    socket.onerror = () => this.#reconnect();
    this.#status.state = "connecting";
  }

  /** Drops the connection: what it still delivers is ignored. */
  #disconnect(): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = undefined;
    this.#uid = undefined;
    socket.onmessage = null;
    socket.onclose = null;
    // That of the package `ws` reports that it was closed early.
    socket.onerror = () => {};
    socket.close();
  }

  #reconnect(): void {
    this.#disconnect();
    if (this.#entries.size === 0 || this.#timer !== undefined) return;
    // Clients that lost the same gateway must not all return at the same moment.
    this.#timer = setTimeout(() => this.#connect(), this.#delayMs * (0.5 + Math.random() / 2));
    this.#delayMs = Math.min(this.#times.maxRetryMs, 2 * this.#delayMs);
    this.#status.state = "lost";
  }

  #giveUpAfter(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#reconnect(), ms);
  }

  #receive({ uid, topic, sequence, data }: Incoming): void {
    if (this.#beats) this.#giveUpAfter(this.#times.silenceMs);
    if (uid !== undefined) this.#begin(uid, sequence);
    else if (topic === "error" && data) this.#fail(data);
    else if (topic !== undefined && sequence !== undefined) this.#deliver(topic, sequence, data);
  }

  #begin(uid: string, newest: number | undefined): void {
    this.#uid = uid;
    this.#send({ subscribe: HEARTBEAT });
    for (const [topic, entry] of this.#entries) {
      // From here on nothing is missed, even if the connection is lost before the first message.
      if (newest !== undefined) entry.next ??= newest + 1;
      this.#subscribe(topic, entry);
    }
    this.#status.state = "open";
  }

  #subscribe(topic: string, { next }: Entry): void {
    this.#send({ subscribe: topic, ...(next !== undefined && { from: next }) });
  }

  #send(request: object): void {
    this.#socket?.send(JSON.stringify({ uid: this.#uid, ...request }));
  }

  #deliver(topic: string, sequence: number, data: unknown): void {
    this.#delayMs = this.#times.retryMs;
    const entry = this.#entries.get(topic);
    if (!entry || sequence < (entry.next ?? 0)) return;
    entry.next = sequence + 1;
    try {
      entry.receive({ topic, data, sequence } as Message);
    } catch (error) {
      entry.onError(error instanceof Error ? error : new Error(String(error), { cause: error }));
    }
  }

  /** An error about a topic that is out of range continues it with the oldest event; others end its subscription. */
  #fail({ code, message, oldest, request }: NonNullable<Incoming["data"]>): void {
    if (code === "ServiceUnavailable") {
      this.#reconnect();
      return;
    }
    const topic = String(request?.subscribe);
    if (topic === HEARTBEAT) {
      // An earlier version of the gateway.
      this.#beats = false;
      clearTimeout(this.#silence);
      return;
    }
    const entry = this.#entries.get(topic);
    if (!entry) return;
    if (oldest === undefined) {
      entry.onError(new GatewayError(code, message));
    } else {
      entry.next = oldest;
      entry.onError(new GatewayError("EventsMissed", message));
      this.#subscribe(topic, entry);
    }
  }
}
