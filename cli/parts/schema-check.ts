import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { classifyDatabaseFailure, reportDatabaseLost } from "../../database/outage.js";
import { compareSchema, FormerSchemaError, NewerSchemaError } from "../../migrations/migrate.js";
import { outsideFailure } from "../process/outside-failure.js";
import type { Parts } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";

const RETRY_MS = 1_000;

/** A schema that was checked, or will be when its database is reachable. */
export interface CheckedSchema {
  /** For a program that waits for its database: checks it as soon as it is reachable, and ends the program if it is wrong. */
  watch(parts: Parts): void;
}

/**
 * Checks whether the database has the schema that this program needs. A database that is not reachable yet is not an
 * error: the caller waits for it anyway.
 * @throws the driver's error when the database rejects the connection; UsageError when migrations are missing, or the
 *   database is of an earlier version; with `writes` also when it is newer than this program
 */
export async function requireSchema(
  databaseUrl: string,
  log: Logger,
  options: { readonly writes: boolean },
): Promise<CheckedSchema> {
  const isChecked = await checkSchema(databaseUrl, log, options);
  const checkLater = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !(await checkSchema(databaseUrl, log, options))) {
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    watch: (parts) => {
      if (isChecked) return;
      const abort = new AbortController();
      // The check is no part whose end is unexpected.
      const failed = new Promise<never>((_, reject) => void checkLater(abort.signal).catch(reject));
      parts.add("schema check", async () => abort.abort(), failed);
    },
  };
}

/** @returns false if the database is not reachable */
async function checkSchema(
  databaseUrl: string,
  log: Logger,
  { writes }: { readonly writes: boolean },
): Promise<boolean> {
  try {
    const { missing, unknown } = await compareSchema(databaseUrl);
    if (missing.length > 0) {
      throw new UsageError(`The database lacks ${missing.join(", ")}: run symbol-gateway migrate first.`);
    }
    if (unknown.length === 0) return true;
    if (writes) throw new UsageError(`${new NewerSchemaError(unknown).message}.`);
    log.warn({ unknown }, "The database is newer than this program");
    return true;
  } catch (err) {
    if (err instanceof FormerSchemaError) throw new UsageError(`${err.message}.`, { cause: err });
    // A password or a name that is wrong now will be wrong later.
    if (err instanceof UsageError || outsideFailure(err)?.isSetting || !classifyDatabaseFailure(err)) throw err;
    if (!reportDatabaseLost(log, err)) log.debug({ err }, "The database is too busy for the schema check");
    return false;
  }
}
