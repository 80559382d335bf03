import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { openConnection } from "./connection.js";

/**
 * Makes the server check every few seconds whether our machine is still there: the lock of a machine without power or
 * network is free after about 9 s. And nothing ends the transaction that holds the lock for being idle, or for its age.
 */
const SETTINGS = `
  select set_config(name, value, false) from pg_settings
  join (values ('tcp_keepalives_idle', '3'), ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3'),
    ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0')) own(name, value) using (name)`;

/**
 * Makes us notice as soon that the server, or the network to it, is gone; in ms of idle time before keep-alive
 * begins.
 */
const KEEP_ALIVE_AFTER_MS = 3_000;
/** No statement here takes long, in ms. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The view that is locked for each purpose. A lock of a relation, unlike an advisory lock, can be taken only by a role
 * that may write; and a view, unlike a table, needs no vacuum, which a lock would keep away.
 */
const VIEWS = { writesIndex: "index_writer", deliversWebhooks: "webhook_deliverer" } as const;

/** Conflicts with itself, and with nothing that a reader or a backup takes; it needs no transaction id. */
const MODE = "share update exclusive";
const MODE_NAME = "ShareUpdateExclusiveLock";
const LOCK_NOT_AVAILABLE = "55P03";

/** The session that has a lock. */
export interface LockHolder {
  /** The id of its process on the server. */
  readonly pid: number;
  readonly role: string | null;
  readonly application: string | null;
  readonly address: string | null;
}

export interface ProcessLockOptions {
  readonly databaseUrl: string;
  readonly name: keyof typeof VIEWS;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly signal: AbortSignal;
  /** Default 1,000. */
  readonly pollMs?: number | undefined;
  /** Called once, when another process has the lock. */
  readonly onWaiting?: (holder: LockHolder) => void;
}

/**
 * A right that one process has at a time, held by an open transaction on a separate connection: a process that dies, or
 * is cut off, loses it, and the next one takes over.
 */
export class ProcessLock {
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
  static async acquire(options: ProcessLockOptions): Promise<ProcessLock | undefined> {
    const { databaseUrl, name, applicationName, signal, pollMs = 1_000, onWaiting } = options;
    const client = await openConnection(databaseUrl, applicationName, {
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      silence: { afterMs: ANSWER_TIMEOUT_MS },
    });
    const lock = new ProcessLock(client, applicationName.replace("symbol-gateway ", ""));
    try {
      await client.query(SETTINGS);
      let isWaiting = false;
      while (!signal.aborted) {
        const holder = await findHolder(client, VIEWS[name]);
        if (!holder && (await tryLock(client, VIEWS[name]))) return lock;
        if (holder && !isWaiting) onWaiting?.(holder);
        isWaiting ||= holder !== undefined;
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

/** Who has the lock. It is looked for first, because the server would log each attempt that fails. */
async function findHolder(client: pg.Client, view: string): Promise<LockHolder | undefined> {
  const { rows } = await client.query<LockHolder>(
    `select l.pid, a.usename as role, a.application_name as application, a.client_addr::text as address
      from pg_locks l left join pg_stat_activity a using (pid)
      where l.locktype = 'relation' and l.relation = $1::regclass and l.mode = $2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())`,
    [view, MODE_NAME],
  );
  return rows[0];
}

/** Takes the lock, and leaves its transaction open. @returns whether it was free */
async function tryLock(client: pg.Client, view: string): Promise<boolean> {
  // Of another isolation level, the transaction would keep a snapshot, and with it the rows that others delete.
  await client.query("begin isolation level read committed");
  try {
    await client.query(`lock table ${view} in ${MODE} mode nowait`);
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query("rollback");
    return false;
  }
}
