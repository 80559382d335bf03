import type { Logger } from "pino";
import { Subscriber } from "zeromq";
import { Backoff } from "./backoff.js";
import { BROKER_TOPIC, type BrokerMessage, BrokerMessageError, decodeBrokerMessage } from "./zmq-message.js";

export interface BrokerSubscriberOptions {
  /** Endpoint of the node's broker, such as `tcp://127.0.0.1:7902`. */
  readonly url: string;
  readonly log: Logger;
  /** Kinds of messages to receive; default all. */
  readonly kinds?: readonly BrokerMessage["kind"][];
  /** Called for each message, in order. While a returned promise is pending, nothing more is read. */
  readonly onMessage: (message: BrokerMessage) => void | Promise<void>;
  /** Called when the connection is opened, and when it is lost: messages in between are lost. */
  readonly onConnected?: () => void;
  readonly onDisconnected?: () => void;
  /** Delay between two attempts to connect, in ms: the first, and the maximum; default 250 and 10,000. */
  readonly reconnectMs?: { readonly first: number; readonly longest: number };
}

/** Maximum number of queued messages in this process; further ones are lost, as with any slow subscriber. */
const MAX_QUEUED_MESSAGES = 200_000;
/** The largest frame is a transaction; even a full aggregate is far smaller. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** A broker that is silent for this long is pinged, in ms; it has the same time to respond. */
const HEARTBEAT_MS = 10_000;
const KEEP_ALIVE = 1;

/**
 * Receives messages from the publisher of a node's broker over ZeroMQ. It connects, and reconnects, automatically,
 * also after oversized frames; messages published meanwhile are lost. Invalid messages are skipped with a log line.
 */
export class BrokerSubscriber {
  readonly #socket: Subscriber;
  readonly #options: BrokerSubscriberOptions;
  readonly #reading: Promise<unknown>;
  readonly #backoff: Backoff;
  #connected = false;
  /** Reconnects if the driver does not. */
  #revival: NodeJS.Timeout | undefined;

  /** @throws Error of the driver when `url` is invalid */
  constructor(options: BrokerSubscriberOptions) {
    this.#options = options;
    const { first, longest } = options.reconnectMs ?? { first: 250, longest: 10_000 };
    this.#backoff = new Backoff({ initialMs: first, maxMs: longest });
    this.#socket = new Subscriber({
      linger: 0,
      receiveHighWaterMark: MAX_QUEUED_MESSAGES,
      maxMessageSize: MAX_FRAME_BYTES,
      reconnectInterval: first,
      reconnectMaxInterval: longest,
      tcpKeepalive: KEEP_ALIVE,
      heartbeatInterval: HEARTBEAT_MS,
      heartbeatTimeout: HEARTBEAT_MS,
    });
    const kinds = options.kinds ?? (Object.keys(BROKER_TOPIC) as BrokerMessage["kind"][]);
    this.#socket.subscribe(...kinds.map((kind) => BROKER_TOPIC[kind]));
    // before it connects: a later watcher may miss the handshake
    const watching = this.#watchConnection();
    this.#socket.connect(options.url);
    this.#reading = Promise.all([this.#read(), watching]);
  }

  /** Whether messages can be received now. */
  get isConnected(): boolean {
    return this.#connected;
  }

  /** Resolves when no further message will be delivered. */
  async close(): Promise<void> {
    this.#connected = false;
    clearTimeout(this.#revival);
    this.#socket.close();
    await this.#reading;
  }

  async #read(): Promise<void> {
    for await (const frames of this.#socket) {
      this.#backoff.reset();
      const message = this.#decode(frames);
      try {
        if (message) await this.#options.onMessage(message);
      } catch (error) {
        this.#options.log.error(
          { err: error, kind: message?.kind },
          "Processing a message of the node's broker failed",
        );
      }
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#socket.events) {
      clearTimeout(this.#revival);
      if (type === "handshake") this.#setConnected(true);
      if (type === "disconnect") this.#setConnected(false);
      if (type === "disconnect" || type.startsWith("handshake:error")) this.#reviveUnlessRetried();
    }
  }

  /**
   * After a connection that was merely lost, the driver retries at once, which is the next event. After a frame above
   * the limit, or a protocol violation, it drops the address for good without another event.
   */
  #reviveUnlessRetried(): void {
    if (this.#socket.closed) return;
    const { url, log } = this.#options;
    const retryMs = Math.round(this.#backoff.next());
    this.#revival = setTimeout(() => {
      if (this.#socket.closed) return;
      const limit = MAX_FRAME_BYTES;
      log.warn(
        { url, limit, retryMs },
        "The node's broker sent a frame above the limit or a malformed one; reconnecting",
      );
      try {
        this.#socket.disconnect(url);
      } catch {
        // The driver has dropped the address already.
      }
      this.#socket.connect(url);
    }, retryMs);
  }

  #decode(frames: readonly Buffer[]): BrokerMessage | undefined {
    try {
      return decodeBrokerMessage(frames);
    } catch (error) {
      if (!(error instanceof BrokerMessageError)) throw error;
      const { what, problem } = error;
      const sizes = frames.slice(0, 8).map(({ length }) => length);
      this.#options.log.warn({ what, problem, frameSizes: sizes }, "Rejected a message of the node's broker");
      return undefined;
    }
  }

  #setConnected(connected: boolean): void {
    if (this.#connected === connected || this.#socket.closed) return;
    this.#connected = connected;
    const { log, url, onConnected, onDisconnected } = this.#options;
    if (connected) {
      log.info({ url }, "Connected to the node's broker");
      onConnected?.();
    } else {
      log.warn({ url }, "Lost the connection to the node's broker");
      onDisconnected?.();
    }
  }
}
