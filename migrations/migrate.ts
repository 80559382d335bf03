import { Kysely, type Migration, Migrator, PostgresDialect } from "kysely";
import pg from "pg";
import * as chain from "./0001-chain.js";
import * as state from "./0002-state.js";
import * as mempool from "./0003-mempool.js";

/** All migrations in order. A name never changes once it has landed: databases remember it. */
const migrations: Record<string, Migration> = {
  "0001-chain": chain,
  "0002-state": state,
  "0003-mempool": mempool,
};

/**
 * Brings the database at `databaseUrl` to the newest schema; does nothing when it is there already.
 * Two callers at once are safe (Kysely takes an advisory lock).
 * @returns the names of the migrations that were run
 * @throws Error naming the migration that failed; the database is then as it was before it
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 1 }) }),
  });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error, results } = await migrator.migrateToLatest();
    if (error) {
      const failed = results?.find((result) => result.status === "Error");
      throw new Error(`Migration ${failed?.migrationName ?? "(none)"} failed: ${describe(error)}`, { cause: error });
    }
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
