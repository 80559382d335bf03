import { hasReader, READER } from "../../migrations/migrate.js";
import { findDatabaseUrl, migrate } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import type { Command } from "./command.js";

/** `symbol-gateway migrate` */
export const migrateCommand: Command = {
  description:
    "Migrates the database at DATABASE_URL to the newest schema, then exits. Run it before the other commands.",
  settings: ["database", "log"],
  async run(settings) {
    const log = createLog("migrate", settings);
    const databaseUrl = await findDatabaseUrl(settings);
    const migrations = await migrate(databaseUrl, log);
    if (!(await hasReader(databaseUrl)))
      log.warn({ role: READER }, "No role for the views: docs/sql.md says how to create it");
    if (migrations.length === 0) log.info("The schema is up to date");
    return 0;
  },
};
