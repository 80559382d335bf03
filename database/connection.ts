import { Kysely } from "kysely";
import type pg from "pg";
import { PreparedClient, type PreparedClientConfig, StatementNames, WatchedPool } from "./binary/client.js";
import { BinaryDialect } from "./binary/driver.js";
import { WatchedServer } from "./binary/silence.js";
import { types } from "./column-types.js";
import type { Database, Db } from "./database.js";
import { setParts } from "./one-connection.js";
import { probing } from "./server-probe.js";

/** Grace period for a server to report its own timeout before it counts as silent, in ms. */
const SILENCE_GRACE_MS = 500;
/** What statements here, and the driver, depend on, whatever the role or the database has set. */
const SETTINGS =
  "set standard_conforming_strings = on; set datestyle = iso; set timezone = 'UTC'; set array_nulls = on";
const ONE_PLAN = "; set plan_cache_mode = force_generic_plan";
/** A statement that may take as long as it needs. */
const NO_LIMITS = "; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0";
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
  /** Without such a limit: how long a server is silent before it is probed, in ms; default 10,000. */
  readonly probeAfterMs?: number | undefined;
  /**
   * Plans each statement once for all values. Otherwise PostgreSQL plans one anew for each execution if the plan for
   * these values looks cheaper, as it does for a small page, and that takes longer than reading it.
   */
  readonly plansOnce?: boolean;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Called when a connection is lost while no statement runs on it (the pool replaces it). */
  readonly onError?: (error: Error) => void;
  /**
   * Called when the timeout of a statement, or of a new connection, has passed without a byte on any of the pool's
   * connections; before the waiting statements fail.
   */
  readonly onSilence?: (() => void) | undefined;
}

/** Pools by their database. */
const pools = new WeakMap<Db, WatchedPool>();

export interface PoolUsage {
  readonly used: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/** Usage of the connections of `db`. @throws RangeError when it was not created by {@link openDatabase} */
export function poolUsage(db: Db): PoolUsage {
  const { pool } = poolOf(db);
  return { used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

function poolOf(db: Db) {
  const found = pools.get(db);
  if (!found) throw new RangeError("this database was not opened by openDatabase");
  return found;
}

/**
 * Opens a pool for Kysely; `destroy()` closes it. The first query connects. Connecting, and waiting for a connection,
 * have the same timeout as a statement.
 */
export function openDatabase(options: DatabaseOptions): Db {
  const { url, statementTimeoutMs = 30_000, onSilence } = options;
  const limitMs = statementTimeoutMs === 0 ? Number.POSITIVE_INFINITY : statementTimeoutMs + SILENCE_GRACE_MS;
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, limitMs);
  const server = new WatchedServer(connectTimeoutMs, () => onSilence?.());
  const settings = SETTINGS + (options.plansOnce ? ONE_PLAN : "") + (statementTimeoutMs === 0 ? NO_LIMITS : "");
  const config: pg.PoolConfig & PreparedClientConfig = {
    connectionString: url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? "symbol-gateway",
    statement_timeout: statementTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    types,
    silence: statementTimeoutMs === 0 ? probing(url, options.probeAfterMs) : { afterMs: limitMs, server },
    statementNames: new StatementNames(),
    onConnect: (client) => client.query(settings),
  };
  const watched = new WatchedPool(config, server);
  // The pool reports errors of idle connections only: one that is lost between two statements would end the process.
  watched.pool.on("connect", (client) => client.on("error", (error) => options.onError?.(error)));
  watched.pool.on("error", () => undefined);
  const dialect = new BinaryDialect(watched);
  const db = new Kysely<Database>({ dialect });
  setParts(db, { config: { dialect }, dialect, driver: dialect.createDriver() });
  pools.set(db, watched);
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
): Promise<PreparedClient> {
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
  try {
    await client.query(SETTINGS + NO_LIMITS);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Configuration of a pool without a statement timeout: a connection is closed when the server is silent for
 * a while and does not respond on a new connection either.
 * @param afterMs time of silence, in ms; default 10,000
 */
export function watchedConnections(url: string, afterMs?: number): pg.PoolConfig {
  const config: pg.PoolConfig & PreparedClientConfig = {
    silence: probing(url, afterMs),
    statementNames: new StatementNames(),
    Client: PreparedClient as never,
  };
  return config;
}
