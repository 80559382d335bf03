import {
  Kysely,
  DEFAULT_MIGRATION_TABLE as MIGRATION_TABLE,
  type Migration,
  Migrator,
  PostgresDialect,
  sql,
} from "kysely";
import pg from "pg";
import * as chain from "./001-chain.js";
import * as state from "./002-state.js";
import * as pending from "./003-pending.js";
import * as events from "./004-events.js";
import * as views from "./005-views.js";

/**
 * All migrations in order: the tables by subject. A name never changes once it was released: databases remember it. They
 * may change until then, with {@link FORMER}.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "001-chain": chain,
  "002-state": state,
  "003-pending": pending,
  "004-events": events,
  "005-views": views,
};

/** The first migration of databases of versions before the first release, which nothing migrates. */
const FORMER = "0001-chain";

/** How a database's schema lies against this program's. */
export interface SchemaDifference {
  /** Migrations of this program that the database has not seen, in their order. */
  readonly missing: readonly string[];
  /** Migrations that the database has seen and this program does not know: those of a newer one. */
  readonly unknown: readonly string[];
}

/** The database was used by a newer program, whose migrations this one does not know. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";

  constructor(unknown: readonly string[]) {
    super(`The database is newer than this program (it has ${unknown.join(", ")}): run the newer program`);
  }
}

/** The database was written by a version before the first release, whose tables are others. */
export class FormerSchemaError extends Error {
  override readonly name = "FormerSchemaError";

  constructor() {
    super(
      "The database is of an earlier version, whose tables this program cannot use: create an empty one, set " +
        "DATABASE_URL to it, and fill it with symbol-gateway migrate and symbol-gateway backfill",
    );
  }
}

/**
 * Brings the database at `databaseUrl` to the newest schema; does nothing when it is there already.
 * Two callers at once are safe (Kysely takes an advisory lock).
 * @param config of its connection: statements that change the schema have no time limit of their own
 * @returns the names of the migrations that were run
 * @throws FormerSchemaError; NewerSchemaError when the database has migrations that this program does not know; Error naming the migration
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
    await views.grantToReader(db);
    return (results ?? []).map((result) => result.migrationName);
  });
}

/**
 * Compares the schema of the database at `databaseUrl` with this program's; changes nothing.
 * @param answerMs timeout of connecting, and of each statement, in ms
 * @throws FormerSchemaError; what the connection throws when the database cannot be reached
 */
export async function compareSchema(databaseUrl: string, answerMs = ANSWER_TIMEOUT_MS): Promise<SchemaDifference> {
  const names = Object.keys(migrations);
  const timeouts = { query_timeout: answerMs, connectionTimeoutMillis: answerMs };
  return withDatabase(databaseUrl, timeouts, async (db) => {
    const { rows: found } = await sql<{ name: string | null }>`select to_regclass(${MIGRATION_TABLE}) as name`.execute(
      db,
    );
    if (found[0]?.name == null) return { missing: names, unknown: [] };
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
      db,
    );
    const seen = rows.map(({ name }) => name);
    if (seen.includes(FORMER)) throw new FormerSchemaError();
    return {
      missing: names.filter((name) => !seen.includes(name)),
      unknown: seen.filter((name) => !names.includes(name)),
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
    // Texts of functions have backslashes.
    onConnect: (client) => client.query("set standard_conforming_strings = on"),
    ...config,
  });
  // A connection that is lost while idle is replaced, or fails the next statement; without a listener, it would end the
  // process.
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
