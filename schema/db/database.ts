import { type ColumnType, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { AccountBalanceTable, BalanceLevelTable } from "./account-balances.js";
import type { AccountRestrictionTable } from "./account-restrictions.js";
import type { AccountTable } from "./accounts.js";
import type { AnnouncementTable } from "./announcements.js";
import type { BalanceChangeTable } from "./balance-changes.js";
import type { BlockTable, RawBlockTable } from "./blocks.js";
import type { CounterTable, MilestoneTable, SpanTable } from "./collections.js";
import type { DeferredIndexTable } from "./deferred-indexes.js";
import type { EventAddressTable, EventTable } from "./events.js";
import type { FinalizedBlockTable } from "./finalized-blocks.js";
import type { HashLockTable } from "./hash-locks.js";
import type { HeadTable } from "./head.js";
import type { IndexerFailureTable } from "./indexer-failures.js";
import type { MetadataTable } from "./metadata.js";
import type { MosaicRestrictionTable } from "./mosaic-restrictions.js";
import type { MosaicTable } from "./mosaics.js";
import type { MultisigTable } from "./multisigs.js";
import type { NamespaceRegistrationTable } from "./namespace-names.js";
import type { NamespaceTable } from "./namespaces.js";
import type { PartialCosignatureTable } from "./partial-transactions.js";
import type {
  PendingTransactionAddressTable,
  PendingTransactionMosaicTable,
  PendingTransactionTable,
} from "./pending-transactions.js";
import { PreparedClient, type PreparedClientConfig } from "./prepared-client.js";
import type { RejectedAnnouncementTable } from "./rejected-announcements.js";
import type { SecretLockTable } from "./secret-locks.js";
import { type SilenceLimit, WatchedServer } from "./silence.js";
import type { PendingStateTable, ReplacedStateTable, VotingSetTable } from "./state.js";
import type { ReceiptTable, ResolutionStatementTable, TransactionStatementTable } from "./statements.js";
import type { AwaitedTransactionTable, TransactionStatusTable } from "./transaction-statuses.js";
import type { TransactionAddressTable, TransactionMosaicTable, TransactionTable } from "./transactions.js";
import type { UnknownEntityTable } from "./unknown-entities.js";

/** Every table, by its name. Row types stand beside the queries that use them. */
export interface Database {
  head: HeadTable;
  raw_blocks: RawBlockTable;
  blocks: BlockTable;
  transactions: TransactionTable;
  transaction_addresses: TransactionAddressTable;
  transaction_mosaics: TransactionMosaicTable;
  transaction_statements: TransactionStatementTable;
  receipts: ReceiptTable;
  address_resolution_statements: ResolutionStatementTable;
  mosaic_resolution_statements: ResolutionStatementTable;
  balance_changes: BalanceChangeTable;
  finalized_blocks: FinalizedBlockTable;
  counters: CounterTable;
  milestones: MilestoneTable;
  spans: SpanTable;
  events: EventTable;
  event_addresses: EventAddressTable;
  pending_states: PendingStateTable;
  accounts: AccountTable;
  account_balances: AccountBalanceTable;
  balance_levels: BalanceLevelTable;
  mosaics: MosaicTable;
  namespaces: NamespaceTable;
  namespace_registrations: NamespaceRegistrationTable;
  multisigs: MultisigTable;
  metadata: MetadataTable;
  hash_locks: HashLockTable;
  secret_locks: SecretLockTable;
  account_restrictions: AccountRestrictionTable;
  mosaic_restrictions: MosaicRestrictionTable;
  unconfirmed_transactions: PendingTransactionTable;
  unconfirmed_transaction_addresses: PendingTransactionAddressTable;
  unconfirmed_transaction_mosaics: PendingTransactionMosaicTable;
  partial_transactions: PendingTransactionTable;
  partial_transaction_addresses: PendingTransactionAddressTable;
  partial_transaction_mosaics: PendingTransactionMosaicTable;
  partial_cosignatures: PartialCosignatureTable;
  transaction_statuses: TransactionStatusTable;
  awaited_transactions: AwaitedTransactionTable;
  announcements: AnnouncementTable;
  rejected_announcements: RejectedAnnouncementTable;
  deferred_indexes: DeferredIndexTable;
  replaced_states: ReplacedStateTable;
  voting_sets: VotingSetTable;
  unknown_entities: UnknownEntityTable;
  indexer_failures: IndexerFailureTable;
}

export type Db = Kysely<Database>;

/** A numeric(20) or numeric(39) column: decimal text from the driver, `bigint` made of it where it is used. */
export type Numeric = ColumnType<string, string | bigint, string | bigint>;

const INT8_OID = 20;
const BYTEA_ARRAY_OID = 1001;

/** int8 as `number`; a value that a double cannot hold is an error instead of a wrong figure. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`A bigint of the database is too large to be exact: ${text}`);
  return value;
}

const parseAnyByteaArray = pg.types.getTypeParser(BYTEA_ARRAY_OID as never, "text") as (text: string) => Buffer[];

/**
 * bytea[] as buffers: `{"\\\\x0102","\\\\x03"}`. The driver's own parser looks at each character by itself, which for
 * events that concern hundreds of addresses takes longer than everything else.
 */
function parseByteaArray(text: string): Buffer[] {
  if (text === "{}") return [];
  if (!/^\{"[\\x0-9a-f",]*"\}$/.test(text)) return parseAnyByteaArray(text);
  return text
    .slice(2, -2)
    .split('","')
    .map((element) => Buffer.from(element.slice(BYTEA_PREFIX.length), "hex"));
}

/** Before the hex digits of each element: a backslash, which is escaped by another one, and x. */
const BYTEA_PREFIX = "\\\\x";

const textParsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [INT8_OID, parseInt8],
  [BYTEA_ARRAY_OID, parseByteaArray],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && textParsers.get(oid)) ||
    pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};

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
  readonly onSilence?: () => void;
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

/** What a server gets to report its own timeout before we count it as silent, in ms. */
const SILENCE_GRACE_MS = 500;
/** Connecting, and waiting for a connection of a pool, take at most this long, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** After this much silence a server that has no time limit for statements is probed on a new connection, in ms. */
const PROBE_AFTER_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

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
  // The pool hears errors of idle connections only: one that is lost between two statements would end the process.
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

/** Whether a connection could not be made in time; not, whether all of the pool were in use all the time. */
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

function probing(url: string): SilenceLimit {
  return { afterMs: PROBE_AFTER_MS, isServerAlive: () => isServerAlive(url) };
}

async function isServerAlive(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "symbol-gateway probe",
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}
