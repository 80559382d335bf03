import { Socket } from "node:net";
import pg from "pg";
import { KEEP_ALIVE_AFTER_MS } from "./binary/silence.js";
import { EVENTS_CHANNEL } from "./tables/events.js";

const APPLICATION_NAME = "symbol-gateway events";

export interface EventListenerOptions {
  /** Connection string of the primary server: a standby does not support LISTEN. */
  readonly url: string;
  /** Timeout for connecting and for each query, in ms. */
  readonly timeoutMs: number;
  /** Called when PostgreSQL notifies of new events, with the sequence of the newest. */
  readonly onWake: (newest: number) => void;
  /** Called at most once, when the connection is lost without `close`. */
  readonly onLost: (error: Error) => void;
  /** Closes the connection, also while it is being opened. */
  readonly signal: AbortSignal;
}

/** A separate connection that LISTENs for new events. It never reconnects: when it is lost, open another. */
export class EventListener {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #onLost: (error: Error) => void;
  readonly #signal: AbortSignal;
  #hasEnded = false;

  private constructor({ url, timeoutMs, onWake, onLost, signal }: EventListenerOptions) {
    this.#socket = new Socket();
    this.#onLost = onLost;
    this.#signal = signal;
    signal.addEventListener("abort", this.close);
    this.#client = new pg.Client({
      connectionString: url,
      application_name: APPLICATION_NAME,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      stream: () => this.#socket,
    });
    this.#client.on("error", (error) => this.#lost(error));
    this.#client.on("end", () => this.#lost(new Error("The database closed the connection that listens for events")));
    this.#client.on("notification", ({ channel, payload }) => {
      if (channel === EVENTS_CHANNEL) onWake(Number(payload));
    });
  }

  /**
   * Connects and listens.
   * @throws Error of the driver when the server is unreachable, times out or rejects the connection
   */
  static async open(options: EventListenerOptions): Promise<EventListener> {
    options.signal.throwIfAborted();
    const listener = new EventListener(options);
    try {
      await listener.#client.connect();
      await listener.#client.query(`LISTEN ${EVENTS_CHANNEL}`);
      return listener;
    } catch (error) {
      listener.close();
      throw error;
    }
  }

  /**
   * Sequence of the newest event, 0 before the first; queried on this connection, so it also proves that the
   * connection works.
   * @throws Error of the driver when there is no response in time
   */
  async newestSequence(): Promise<number> {
    const { rows } = await this.#client.query<{ event_sequence: string }>("SELECT event_sequence FROM head");
    return Number(rows[0]?.event_sequence ?? 0);
  }

  /** Closes the connection at once: nothing is pending on it, and its other side may be silent. */
  readonly close = (): void => {
    this.#hasEnded = true;
    this.#signal.removeEventListener("abort", this.close);
    this.#socket.destroy();
  };

  #lost(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onLost(error);
  }
}
