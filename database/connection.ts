import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { types } from "./column-types.js";
import type { Database, Db } from "./database.js";
import { PreparedClient, type PreparedClientConfig } from "./prepared-client.js";
import { probing } from "./server-probe.js";

/** Grace period for a server to report its own timeout before it counts as silent, in ms. */
const SILENCE_GRACE_MS = 500;
/** Timeout for connecting and for waiting for a connection of a pool, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface DatabaseOptions {
  /** PostgreSQL connection string. */
  readonly url: string;
  /** Maximum number of connections; default 10. */
  readonly poolSize?: number;
  /**
   * The server cancels a statement that runs longer, in ms; default 30,000; 0 = no limit. If the server itself does
   * not respond, the statement fails {@link SILENCE_GRACE_MS} later; without a limit, when the server does not
   * respond on a new connection either.
   */
  readonly statementTimeoutMs?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Called when a connection is lost while no statement runs on it (the pool replaces it). */
  readonly onError?: (error: Error) => void;
}

/** Pools by their database. */
const pools = new WeakMap<Db, pg.Pool>();

/** Connections of a pool. */
export interface ConnectionFigures {
  readonly used: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/** Usage of the connections of `db`. @throws RangeError when it was not created by {@link openDatabase} */
export function connectionFigures(db: Db): ConnectionFigures {
  const pool = pools.get(db);
  if (!pool) throw new RangeError("this database was not opened by openDatabase");
  return { used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/**
 * Opens a pool for Kysely; `destroy()` closes it. The first query connects. Connecting, and waiting for a connection,
 * have the same timeout as a statement.
 */
export function openDatabase(options: DatabaseOptions): Db {
  const { url, statementTimeoutMs = 30_000 } = options;
  const limitMs = statementTimeoutMs === 0 ? Number.POSITIVE_INFINITY : statementTimeoutMs + SILENCE_GRACE_MS;
  const config: pg.PoolConfig & PreparedClientConfig = {
    connectionString: url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? "symbol-gateway",
    statement_timeout: statementTimeoutMs,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, limitMs),
    types,
    silence: statementTimeoutMs === 0 ? probing(url) : { afterMs: limitMs },
    Client: PreparedClient as never,
  };
  const pool = new pg.Pool(config);
  // The pool handles errors of idle connections only: one that is lost between two statements would end the process.
  pool.on("connect", (client) => client.on("error", (error) => options.onError?.(error)));
  pool.on("error", () => undefined);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
}

/**
 * Opens one connection, without a statement timeout.
 * @param config overrides the default, which probes a silent server on a new connection
 * @throws when the database is unreachable
 */
export async function openConnection(
  url: string,
  applicationName: string,
  config: Partial<PreparedClientConfig> = {},
): Promise<pg.Client> {
  const client = new PreparedClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types,
    silence: probing(url),
    ...config,
  });
  // A lost connection is reported by the statement that fails.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
