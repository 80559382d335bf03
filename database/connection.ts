import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { types } from "./column-types.js";
import type { Database, Db } from "./database.js";
import { PreparedClient, type PreparedClientConfig } from "./prepared-client.js";
import { PROBE_AFTER_MS, probing } from "./server-probe.js";
import { WatchedServer } from "./silence.js";

/** What a server gets to report its own timeout before we count it as silent, in ms. */
const SILENCE_GRACE_MS = 500;
/** Connecting, and waiting for a connection of a pool, take at most this long, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface DatabaseOptions {
  /** PostgreSQL connection string. */
  readonly url: string;
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /**
   * A statement that runs longer is ended by the server, in ms; default 30,000; 0 for no limit. Where the server itself
   * has fallen silent, the statement fails {@link SILENCE_GRACE_MS} later; without a limit when the server does not
   * answer on a new connection either.
   */
  readonly statementTimeoutMs?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Told of connections that are lost while no statement runs on them (the pool replaces them). */
  readonly onError?: (error: Error) => void;
  /**
   * Called when the server has let the time for a statement, or for a new connection, pass without a byte on any of the
   * pool's connections; before the statements that wait for it fail.
   */
  readonly onSilence?: (() => void) | undefined;
}

/** Pools by what stands on them. */
const pools = new WeakMap<Db, pg.Pool>();

/** Connections of a pool. */
export interface ConnectionFigures {
  readonly used: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/** How the connections under `db` are used now. @throws RangeError when {@link openDatabase} did not make it */
export function connectionFigures(db: Db): ConnectionFigures {
  const pool = pools.get(db);
  if (!pool) throw new RangeError("this database was not opened by openDatabase");
  return { used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

/**
 * Opens a pool under Kysely; `destroy()` ends it. Connecting happens with the first query. Waiting for a connection, and
 * connecting, take no longer than a statement may.
 */
export function openDatabase(options: DatabaseOptions): Db {
  const { url, statementTimeoutMs = 30_000, onSilence } = options;
  const limitMs = statementTimeoutMs === 0 ? Number.POSITIVE_INFINITY : statementTimeoutMs + SILENCE_GRACE_MS;
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, limitMs);
  const server = new WatchedServer(connectTimeoutMs, () => onSilence?.());
  const config: pg.PoolConfig & PreparedClientConfig = {
    connectionString: url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? "symbol-gateway",
    statement_timeout: statementTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    types,
    silence: statementTimeoutMs === 0 ? probing(url) : { afterMs: limitMs, server },
    Client: PreparedClient as never,
  };
  const pool = new pg.Pool(config);
  // The pool reports errors of idle connections only: one that is lost between two statements would end the process.
  pool.on("connect", (client) => client.on("error", (error) => options.onError?.(error)));
  pool.on("error", () => undefined);
  const connect = () => {
    const connected = pool.connect();
    connected.catch((error: unknown) => isConnectingSilence(error) && server.suspect());
    return server.wait(connected, (client) => client.release());
  };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }) });
  pools.set(db, pool);
  return db;
}

/** Whether a connection could not be established in time; not, whether all of the pool were in use all the time. */
function isConnectingSilence(error: unknown): boolean {
  return error instanceof Error && /connection timeout|timeout expired/.test(error.message);
}

/**
 * Opens one connection, without a limit on the time of statements.
 * @param config that differs from the default, which probes a silent server on a new connection
 * @throws when the database cannot be reached
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
  // Whoever uses it hears of a lost connection by the statement that fails.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/**
 * Configuration of a pool whose statements may take any time: a connection ends when the server is silent for
 * {@link PROBE_AFTER_MS} and does not answer on a new connection either.
 * @param afterMs another time of silence, in ms
 */
export function watchedConnections(url: string, afterMs = PROBE_AFTER_MS): pg.PoolConfig {
  const config: pg.PoolConfig & PreparedClientConfig = {
    silence: { ...probing(url), afterMs },
    Client: PreparedClient as never,
  };
  return config;
}
