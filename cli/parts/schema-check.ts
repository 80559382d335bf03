import type { Logger } from "pino";
import { compareSchema, NewerSchemaError, type SchemaDifference } from "../../migrations/migrate.js";
import { UsageError } from "../process/usage-error.js";

/**
 * Looks whether the database has the schema that this program works with. A database that cannot be reached yet is no
 * obstacle: whoever starts waits for it anyway.
 * @throws UsageError when migrations are missing; where `writes` also when the database is newer than this program
 */
export async function requireSchema(databaseUrl: string, log: Logger, { writes }: { writes: boolean }): Promise<void> {
  let difference: SchemaDifference;
  try {
    difference = await compareSchema(databaseUrl);
  } catch (err) {
    log.warn({ err }, "The database cannot be reached, so its schema was not looked at");
    return;
  }
  const { missing, unknown } = difference;
  if (missing.length > 0) {
    throw new UsageError(`The database lacks ${missing.join(", ")}: run symbol-gateway migrate first.`);
  }
  if (unknown.length === 0) return;
  if (writes) {
    throw new UsageError(`${new NewerSchemaError(unknown).message}.`);
  }
  log.warn({ unknown }, "The database is newer than this program");
}
