import type { Logger } from "pino";
import { compareSchema, FormerSchemaError, NewerSchemaError, type SchemaDifference } from "../../migrations/migrate.js";
import { outsideFailure } from "../process/outside-failure.js";
import { UsageError } from "../process/usage-error.js";

/**
 * Checks whether the database has the schema that this program needs. A database that is not reachable yet is not an
 * error: the caller waits for it anyway.
 * @throws the driver's error when the database rejects the connection; UsageError when migrations are missing, or the
 *   database is of an earlier version; with `writes` also when it is newer than this program
 */
export async function requireSchema(
  databaseUrl: string,
  log: Logger,
  { writes }: { readonly writes: boolean },
): Promise<void> {
  let difference: SchemaDifference;
  try {
    difference = await compareSchema(databaseUrl);
  } catch (err) {
    if (err instanceof FormerSchemaError) throw new UsageError(`${err.message}.`, { cause: err });
    // A password or a name that is wrong now will be wrong later.
    if (outsideFailure(err)?.isSetting) throw err;
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
