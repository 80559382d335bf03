import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { EmbeddedPostgres } from "../../cli/postgres/embedded-postgres.js";
import { dropTemplates } from "./database.js";
import { throwawaySettings } from "./throwaway-settings.js";

declare global {
  var testPostgres: EmbeddedPostgres | undefined;
}

/**
 * Starts the one PostgreSQL server of a test run; test files reach it through TEST_POSTGRES_URL. If that is already set,
 * the tests run on that server (another version of PostgreSQL, for example), one run at a time; its user must be a
 * superuser.
 */
export default async function globalSetup(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) {
    await dropTemplates();
    return;
  }
  const postgres = await EmbeddedPostgres.start({
    dataDirectory: await mkdtemp(path.join(tmpdir(), "symbol-gateway-test-")),
    log: pino({ level: "warn" }, pino.destination(2)),
    settings: throwawaySettings,
    temporary: true,
  });
  globalThis.testPostgres = postgres;
  process.env.TEST_POSTGRES_URL = postgres.connectionString;
}
