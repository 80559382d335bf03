import type { Socket } from "node:net";
import type pg from "pg";

/** When a connection with a running statement counts as lost, although nothing closed it. */
export interface SilenceLimit {
  /** Time without a byte in either direction while a statement runs, in ms. */
  readonly afterMs: number;
  /**
   * Called then: true lets the statement run until the next silence of the same length. Without it, the connection is
   * closed at once.
   */
  readonly isServerAlive?: (() => Promise<boolean>) | undefined;
  /** The connections to the same server: all of them are closed with the first if the server is silent on all. */
  readonly server?: WatchedServer | undefined;
}

/** TCP keep-alive begins after this idle time, in ms; the default of operating systems is two hours. */
export const KEEP_ALIVE_AFTER_MS = 10_000;

/** The server did not answer a statement in time; the connection was closed. */
export class SilentDatabaseError extends Error {
  override readonly name = "SilentDatabaseError";
  readonly code = "ETIMEDOUT";

  constructor(ms: number) {
    super(`The database did not answer within ${ms} ms, and the connection was ended`);
  }
}

/** Everything that waits for one server: statements on its connections, and connections being opened. */
export class WatchedServer {
  readonly #afterMs: number;
  readonly #onSilence: () => void;
  readonly #waiting = new Set<(error: Error) => void>();
  /** When a byte was received last, in ms of `performance.now()`. */
  receivedAt = performance.now();

  /** @param afterMs waiting time after which the server is suspected, in ms */
  constructor(afterMs: number, onSilence: () => void) {
    this.#afterMs = afterMs;
    this.#onSilence = onSilence;
  }

  /** @param fail ends what waits for the server @returns to be called when it no longer waits */
  watch(fail: (error: Error) => void): () => void {
    this.#waiting.add(fail);
    return () => this.#waiting.delete(fail);
  }

  /**
   * Something has waited for the whole time: if nothing was received on any other connection for half of it,
   * everything that waits fails now. (Half, since others may have received something just before the server became
   * silent.)
   */
  suspect(): void {
    if (performance.now() - this.receivedAt < this.#afterMs / 2) return;
    this.#onSilence();
    const error = new SilentDatabaseError(this.#afterMs);
    for (const fail of [...this.#waiting]) fail(error);
  }

  /** The same promise, unless the server becomes silent before. @param undo receives a late result */
  async wait<Result>(result: Promise<Result>, undo: (late: Result) => void): Promise<Result> {
    let hasEnded = false;
    let unwatch = () => undefined as unknown;
    const silence = new Promise<never>((_resolve, reject) => {
      unwatch = this.watch((error) => {
        hasEnded = true;
        reject(error);
      });
    });
    const inTime = result.then((value) => {
      if (hasEnded) undo(value);
      return value;
    });
    return Promise.race([inTime, silence]).finally(unwatch);
  }
}

/** Members of the driver that its type declarations lack. */
interface Internals {
  /** Replaced when TLS begins. */
  readonly connection: { readonly stream: Socket };
  /** False while a statement runs. */
  readonly readyForQuery: boolean;
}

/**
 * Closes a connection whose server becomes silent while a statement runs: a frozen server, or a network cut without a
 * reset, sends no error, and the server's own limits do not help. All statements of the connection then fail with
 * {@link SilentDatabaseError}.
 */
export function endWhenSilent(client: pg.Client, { afterMs, isServerAlive, server }: SilenceLimit): void {
  const internals = client as unknown as Internals;
  client.once("connect", () => {
    const { stream } = internals.connection;
    const listenOn = () => {
      if (!stream.destroyed) stream.setTimeout(afterMs);
    };
    stream.on("timeout", () => {
      const { bytesRead } = stream;
      // After a blocked event loop, the response may have arrived but not been read.
      setImmediate(async () => {
        if (internals.readyForQuery) return;
        if (stream.bytesRead !== bytesRead || (await isServerAlive?.())) listenOn();
        else if (!internals.readyForQuery) {
          server?.suspect();
          stream.destroy(new SilentDatabaseError(afterMs));
        }
      });
    });
    listenOn();
    if (!server) return;
    server.receivedAt = performance.now();
    const unwatch = server.watch((error) => {
      if (!internals.readyForQuery) stream.destroy(error);
    });
    stream.once("close", unwatch);
  });
}
