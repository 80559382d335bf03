import type { Logger } from "pino";
import { compareSchema, NewerSchemaError, type SchemaDifference } from "../../migrations/migrate.js";
import { UsageError } from "../process/usage-error.js";
import { requireServer } from "./pooler-check.js";

/**
 * Checks whether the database has the schema that this program needs. A database that is not reachable yet is not an
 * error: the caller waits for it anyway.
 * @throws UsageError when the URL leads through a pooler in transaction mode; when migrations are missing, with
 *   `writes` also when the database is newer than this program; and, unless the caller `fills` them, when a migration
 *   has emptied tables
 */
export async function requireSchema(
  databaseUrl: string,
  log: Logger,
  { writes, fills = false }: { readonly writes: boolean; readonly fills?: boolean },
): Promise<void> {
  await requireServer("DATABASE_URL", databaseUrl);
  let difference: SchemaDifference;
  try {
    difference = await compareSchema(databaseUrl);
  } catch (err) {
    log.warn({ err }, "Skipped the schema check: the database is unreachable");
    return;
  }
  const { missing, unknown, mustBeFilled } = difference;
  if (missing.length > 0) {
    throw new UsageError(`The database lacks ${missing.join(", ")}: run symbol-gateway migrate first.`);
  }
  if (mustBeFilled && !fills) {
    throw new UsageError(
      "A migration has emptied tables of this database: run symbol-gateway backfill --source raw, which fills them from the stored blocks, without a node.",
    );
  }
  if (unknown.length === 0) return;
  if (writes) {
    throw new UsageError(`${new NewerSchemaError(unknown).message}.`);
  }
  log.warn({ unknown }, "The database is newer than this program");
}
