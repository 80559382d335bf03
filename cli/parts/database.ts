import path from "node:path";
import type { Logger } from "pino";
import { watchedConnections } from "../../database/connection.js";
import { FormerSchemaError, migrateToLatest, NewerSchemaError } from "../../migrations/migrate.js";
import { findRunningPostgres, startPostgres } from "../postgres/embedded-postgres.js";
import type { Parts } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import type { Settings } from "../settings/settings.js";

/**
 * The database that a command uses: DATABASE_URL, or else the running embedded one (`npm start`).
 * @throws UsageError when there is neither
 */
export async function findDatabaseUrl(settings: Settings): Promise<string> {
  if (settings.DATABASE_URL) return settings.DATABASE_URL;
  const directory = embeddedDirectory(settings);
  const running = await findRunningPostgres(directory);
  if (running) return running;
  throw new UsageError(
    `DATABASE_URL is not set, and no embedded database runs in ${directory}: set it, or start one with npm start.`,
  );
}

/** A database, and the file with its password if it is an embedded one that was started here. */
export interface StartedDatabase {
  readonly databaseUrl: string;
  readonly passwordFile?: string;
}

/** DATABASE_URL, or else the embedded database, which is started and runs as long as the `parts`. */
export async function startDatabase(settings: Settings, log: Logger, parts: Parts): Promise<StartedDatabase> {
  if (settings.DATABASE_URL) return { databaseUrl: settings.DATABASE_URL };
  const postgres = await startPostgres({
    dataDirectory: embeddedDirectory(settings),
    log,
  });
  parts.add("embedded PostgreSQL", () => postgres.stop(), postgres.failed);
  return { databaseUrl: postgres.connectionString, passwordFile: postgres.passwordFile };
}

/** The database of `findDatabaseUrl`, or else the embedded one, which is started and migrated. */
export async function openDatabase(settings: Settings, log: Logger, parts: Parts): Promise<string> {
  const found = settings.DATABASE_URL ?? (await findRunningPostgres(embeddedDirectory(settings)));
  if (found) return found;
  const { databaseUrl } = await startDatabase(settings, log, parts);
  await migrate(databaseUrl, log);
  return databaseUrl;
}

/**
 * Migrates a database to the newest schema, and logs it.
 * @returns the names of the migrations that were run
 * @throws UsageError for a database of another version, which this one cannot migrate
 */
export async function migrate(databaseUrl: string, log: Logger): Promise<string[]> {
  const migrations = await migrateToLatest(databaseUrl, watchedConnections(databaseUrl)).catch((error: unknown) => {
    if (error instanceof NewerSchemaError || error instanceof FormerSchemaError)
      throw new UsageError(`${error.message}.`, { cause: error });
    throw error;
  });
  if (migrations.length > 0) log.info({ migrations }, "Migrated the schema");
  return migrations;
}

function embeddedDirectory(settings: Settings): string {
  return path.resolve(settings.DATA_DIR, "postgres");
}
