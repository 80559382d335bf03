import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { openConnection } from "../../database/connection.js";

/** Number of the advisory lock of a database's only writer. Its value has no meaning. */
const WRITER_LOCK = 7_300_190_055;

/**
 * Makes the server check every few seconds whether our machine is still there: the lock of a machine without power or
 * network is free after about 9 s.
 */
const SOON_DEAD =
  "select set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '2', false), " +
  "set_config('tcp_keepalives_count', '3', false)";

/**
 * Makes us notice as soon that the server, or the network to it, is gone; in ms of idle time before keep-alive
 * begins.
 */
const KEEP_ALIVE_AFTER_MS = 3_000;
/** No statement here takes long, in ms. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The right to write, held by a separate connection: a process that dies, or is cut off, loses it, and the next one
 * takes over.
 */
export class WriterLock {
  readonly #client: pg.Client;
  readonly #lost = new AbortController();

  private constructor(client: pg.Client) {
    this.#client = client;
    const lose = () => this.#lost.abort(new Error("The connection that held the writer lock is gone"));
    client.on("error", lose);
    client.on("end", lose);
  }

  /**
   * Waits until no other process writes to the database at `databaseUrl`, polling every `pollMs` milliseconds
   * (default 1,000).
   * @returns undefined when `signal` was aborted first
   * @throws the driver's error when the database is unreachable
   */
  static async acquire(options: {
    databaseUrl: string;
    log: Logger;
    signal: AbortSignal;
    pollMs?: number;
  }): Promise<WriterLock | undefined> {
    const client = await openConnection(options.databaseUrl, "symbol-gateway writer lock", {
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      silence: { afterMs: ANSWER_TIMEOUT_MS },
    });
    const lock = new WriterLock(client);
    await client.query(SOON_DEAD);
    let waiting = false;
    while (!options.signal.aborted) {
      const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
        WRITER_LOCK,
      ]);
      if (rows[0]?.taken) return lock;
      if (!waiting) options.log.info("Another indexer writes to this database; waiting to take over");
      waiting = true;
      await sleep(options.pollMs ?? 1_000, undefined, { signal: options.signal }).catch(() => undefined);
    }
    await lock.release();
    return undefined;
  }

  /** Aborted once the connection that holds the lock is gone: then nothing may be written any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
