import {
  Kysely,
  DEFAULT_MIGRATION_TABLE as MIGRATION_TABLE,
  type Migration,
  Migrator,
  PostgresDialect,
  sql,
} from "kysely";
import pg from "pg";
import * as chain from "./0001-chain.js";
import * as state from "./0002-state.js";
import * as mempool from "./0003-mempool.js";
import * as eventSearch from "./0004-event-search.js";
import * as activity from "./0005-activity.js";
import * as balanceChanges from "./0006-balance-changes.js";
import * as eventAddresses from "./0007-event-addresses.js";
import * as deferredIndexes from "./0008-deferred-indexes.js";
import * as unknownEntities from "./0009-unknown-entities.js";
import * as ledger from "./0010-ledger.js";
import * as rejectedAnnouncements from "./0011-rejected-announcements.js";
import * as writtenMosaics from "./0012-written-mosaics.js";
import * as indexerFailures from "./0013-indexer-failures.js";
import * as storage from "./0014-storage.js";
import * as webhooks from "./0015-webhooks.js";
import * as droppedBlocks from "./0016-dropped-blocks.js";
import * as headLeases from "./0017-head-leases.js";
import * as keptStates from "./0018-kept-states.js";
import * as headNews from "./0019-head-news.js";
import * as overruledChecks from "./0020-overruled-checks.js";
import * as unprovenStates from "./0021-unproven-states.js";
import * as analytics from "./0022-analytics.js";
import * as pushedTo from "./0023-pushed-to.js";
import * as search from "./0024-search.js";
import * as dailySums from "./0025-daily-sums.js";
import * as unprovenFinalization from "./0026-unproven-finalization.js";

/** All migrations in order. A name never changes once it has landed: databases remember it. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-chain": chain,
  "0002-state": state,
  "0003-mempool": mempool,
  "0004-event-search": eventSearch,
  "0005-activity": activity,
  "0006-balance-changes": balanceChanges,
  "0007-event-addresses": eventAddresses,
  "0008-deferred-indexes": deferredIndexes,
  "0009-unknown-entities": unknownEntities,
  "0010-ledger": ledger,
  "0011-rejected-announcements": rejectedAnnouncements,
  "0012-written-mosaics": writtenMosaics,
  "0013-indexer-failures": indexerFailures,
  "0014-storage": storage,
  "0015-webhooks": webhooks,
  "0016-dropped-blocks": droppedBlocks,
  "0017-head-leases": headLeases,
  "0018-kept-states": keptStates,
  "0019-head-news": headNews,
  "0020-overruled-checks": overruledChecks,
  "0021-unproven-states": unprovenStates,
  "0022-analytics": analytics,
  "0023-pushed-to": pushedTo,
  "0024-search": search,
  "0025-daily-sums": dailySums,
  "0026-unproven-finalization": unprovenFinalization,
};

/** How a database's schema lies against this program's. */
export interface SchemaDifference {
  /** Migrations of this program that the database has not seen, in their order. */
  readonly missing: readonly string[];
  /** Migrations that the database has seen and this program does not know: those of a newer one. */
  readonly unknown: readonly string[];
  /** Whether a migration has emptied tables that are to be filled again from the blocks' bytes. */
  readonly mustBeFilled: boolean;
}

/** The database was used by a newer program, whose migrations this one does not know. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";

  constructor(unknown: readonly string[]) {
    super(`The database is newer than this program (it has ${unknown.join(", ")}): run the newer program`);
  }
}

/**
 * Brings the database at `databaseUrl` to the newest schema; does nothing when it is there already.
 * Two callers at once are safe (Kysely takes an advisory lock).
 * @param config of its connection: statements that change the schema have no time limit of their own
 * @returns the names of the migrations that were run
 * @throws NewerSchemaError when the database has migrations that this program does not know; Error naming the migration
 *   that failed; the database is then as it was before it
 */
export async function migrateToLatest(databaseUrl: string, config: pg.PoolConfig = {}): Promise<string[]> {
  const { unknown } = await compareSchema(databaseUrl);
  if (unknown.length > 0) throw new NewerSchemaError(unknown);
  return withDatabase(databaseUrl, config, async (db) => {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error, results } = await migrator.migrateToLatest();
    if (error) {
      const failed = results?.find((result) => result.status === "Error");
      throw new Error(`Migration ${failed?.migrationName ?? "(none)"} failed: ${describe(error)}`, { cause: error });
    }
    await analytics.grantToReader(db);
    return (results ?? []).map((result) => result.migrationName);
  });
}

/**
 * Compares the schema of the database at `databaseUrl` with this program's; changes nothing.
 * @param answerMs timeout of connecting, and of each statement, in ms
 * @throws what the connection throws when the database cannot be reached
 */
export async function compareSchema(databaseUrl: string, answerMs = ANSWER_TIMEOUT_MS): Promise<SchemaDifference> {
  const names = Object.keys(migrations);
  const timeouts = { query_timeout: answerMs, connectionTimeoutMillis: answerMs };
  return withDatabase(databaseUrl, timeouts, async (db) => {
    const { rows: found } = await sql<{ name: string | null }>`select to_regclass(${MIGRATION_TABLE}) as name`.execute(
      db,
    );
    if (found[0]?.name == null) return { missing: names, unknown: [], mustBeFilled: false };
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
      db,
    );
    const seen = rows.map(({ name }) => name);
    const missing = names.filter((name) => !seen.includes(name));
    return {
      missing,
      unknown: seen.filter((name) => !names.includes(name)),
      mustBeFilled: missing.length === 0 && (await mustBeFilled(db)),
    };
  });
}

/** The role that sees the views of the schema `analytics` and nothing else. */
export const READER = "symbol_reader";

/** Whether that role exists: a user who may not create roles migrates without it. */
export function hasReader(databaseUrl: string): Promise<boolean> {
  const timeouts = { query_timeout: ANSWER_TIMEOUT_MS, connectionTimeoutMillis: ANSWER_TIMEOUT_MS };
  return withDatabase(databaseUrl, timeouts, async (db) => {
    const { rows } = await sql<{ found: boolean }>`select to_regrole(${READER}) is not null as found`.execute(db);
    return rows[0]?.found ?? false;
  });
}

async function mustBeFilled(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ must_be_filled: boolean }>`select must_be_filled from head`.execute(db);
  return rows[0]?.must_be_filled ?? false;
}

/** Connecting, and statements that only look, take at most this long, in ms: a silent server counts as out of reach. */
const ANSWER_TIMEOUT_MS = 10_000;

async function withDatabase<T>(
  databaseUrl: string,
  config: pg.PoolConfig,
  work: (db: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: "symbol-gateway migrate",
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: ANSWER_TIMEOUT_MS,
    ...config,
  });
  // A connection that is lost while idle is replaced, or fails the next statement; unheard, it would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
