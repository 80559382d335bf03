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
export function endWhenSilent(client: pg.Client, { afterMs, isServerAlive }: SilenceLimit): void {
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
        else if (!internals.readyForQuery) stream.destroy(new SilentDatabaseError(afterMs));
      });
    });
    listenOn();
  });
}
