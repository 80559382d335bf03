import type { Logger } from "pino";
import { compareSchema, FormerSchemaError, NewerSchemaError, type SchemaDifference } from "../../migrations/migrate.js";
import { UsageError } from "../process/usage-error.js";
import { requireServer } from "./pooler-check.js";

/**
 * Checks whether the database has the schema that this program needs. A database that is not reachable yet is not an
 * error: the caller waits for it anyway.
 * @throws UsageError when the URL leads through a pooler in transaction mode; when migrations are missing, or the
 *   database is of an earlier version; with `writes` also when it is newer than this program
 */
export async function requireSchema(
  databaseUrl: string,
  log: Logger,
  { writes }: { readonly writes: boolean },
): Promise<void> {
  await requireServer("DATABASE_URL", databaseUrl);
  let difference: SchemaDifference;
  try {
    difference = await compareSchema(databaseUrl);
  } catch (err) {
    if (err instanceof FormerSchemaError) throw new UsageError(`${err.message}.`, { cause: err });
    log.warn({ err }, "Skipped the schema check: the database is unreachable");
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
