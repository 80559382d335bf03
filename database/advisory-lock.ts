import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { openConnection } from "./connection.js";

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

/** Every lock by what its holder does. The numbers have no meaning; migrations, which are frozen, repeat them. */
const LOCKS = { writesIndex: 7_300_190_055, deliversWebhooks: 7_300_190_056 } as const;

export interface AdvisoryLockOptions {
  readonly databaseUrl: string;
  readonly name: keyof typeof LOCKS;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly signal: AbortSignal;
  /** Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Called once, when another process has the lock. */
  readonly onWaiting?: () => void;
}

/**
 * A right that one process has at a time, held by a separate connection: a process that dies, or is cut off, loses it,
 * and the next one takes over.
 */
export class AdvisoryLock {
  readonly #client: pg.Client;
  readonly #lost = new AbortController();

  private constructor(client: pg.Client, name: string) {
    this.#client = client;
    const lose = () => this.#lost.abort(new Error(`The connection that held the ${name} is gone`));
    client.on("error", lose);
    client.on("end", lose);
  }

  /**
   * Waits until no other process has the lock, polling every `pollMs` milliseconds.
   * @returns undefined when `signal` was aborted first
   * @throws the driver's error when the database is unreachable
   */
  static async acquire(options: AdvisoryLockOptions): Promise<AdvisoryLock | undefined> {
    const { databaseUrl, name, applicationName, signal, pollMs = 1_000, onWaiting } = options;
    const client = await openConnection(databaseUrl, applicationName, {
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      silence: { afterMs: ANSWER_TIMEOUT_MS },
    });
    const lock = new AdvisoryLock(client, applicationName.replace("symbol-gateway ", ""));
    try {
      await client.query(SOON_DEAD);
      let isWaiting = false;
      while (!signal.aborted) {
        const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
          LOCKS[name],
        ]);
        if (rows[0]?.taken) return lock;
        if (!isWaiting) onWaiting?.();
        isWaiting = true;
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      await lock.release();
      throw error;
    }
    await lock.release();
    return undefined;
  }

  /** Aborted once the connection that holds the lock is gone: then nothing may be done any more that needs it. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
