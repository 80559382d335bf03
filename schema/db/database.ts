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
import { PreparedClient } from "./prepared-client.js";
import type { RejectedAnnouncementTable } from "./rejected-announcements.js";
import type { SecretLockTable } from "./secret-locks.js";
import type { PendingStateTable } from "./state.js";
import type { ReceiptTable, ResolutionStatementTable, TransactionStatementTable } from "./statements.js";
import type { AwaitedTransactionTable, TransactionStatusTable } from "./transaction-statuses.js";
import type { TransactionAddressTable, TransactionMosaicTable, TransactionTable } from "./transactions.js";

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
}

export type Db = Kysely<Database>;

/** A numeric(20) or numeric(39) column: decimal text from the driver, `bigint` made of it where it is used. */
export type Numeric = ColumnType<string, string | bigint, string | bigint>;

const INT8_OID = 20;

/** int8 as `number`; a value that a double cannot hold is an error instead of a wrong figure. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`A bigint of the database is too large to be exact: ${text}`);
  return value;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8_OID && format !== "binary"
      ? parseInt8
      : pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};

export interface DatabaseOptions {
  /** PostgreSQL connection string. */
  readonly url: string;
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** A statement that runs longer is ended by the server, in ms; default 30,000; 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Told of connections that are lost while no statement runs on them (the pool replaces them). */
  readonly onError?: (error: Error) => void;
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

/** Opens a pool under Kysely; `destroy()` ends it. Connecting happens with the first query. */
export function openDatabase(options: DatabaseOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? "symbol-gateway",
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    connectionTimeoutMillis: 10_000,
    types,
    Client: PreparedClient,
  });
  // The pool hears errors of idle connections only: one that is lost between two statements would end the process.
  pool.on("connect", (client) => client.on("error", (error) => options.onError?.(error)));
  pool.on("error", () => undefined);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
}

/** Opens one connection, without a limit on the time of statements. @throws when the database cannot be reached */
export async function openConnection(url: string, applicationName: string): Promise<pg.Client> {
  const client = new PreparedClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types,
  });
  // Whoever uses it hears of a lost connection by the statement that fails.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
