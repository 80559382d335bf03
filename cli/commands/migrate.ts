import { watchedConnections } from "../../database/connection.js";
import { hasReader, migrateToLatest, NewerSchemaError, READER } from "../../migrations/migrate.js";
import { databaseUrlOf } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

/** `symbol-gateway migrate` */
export const migrateCommand: Command = {
  description:
    "Migrates the database at DATABASE_URL to the newest schema, then exits. Run it before the other commands.",
  settings: ["database", "log"],
  async run(settings) {
    const log = createLog("migrate", settings);
    const databaseUrl = await databaseUrlOf(settings);
    const migrations = await migrateToLatest(databaseUrl, watchedConnections(databaseUrl)).catch(explain);
    if (!(await hasReader(databaseUrl)))
      log.warn({ role: READER }, "No role for the views: docs/sql.md says how to create it");
    log.info({ migrations }, migrations.length > 0 ? "Migrated the schema" : "The schema is up to date");
    return 0;
  },
};

function explain(error: unknown): never {
  if (error instanceof NewerSchemaError) throw new UsageError(`${error.message}.`, { cause: error });
  throw error;
}
