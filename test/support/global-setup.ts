import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { EmbeddedPostgres, throwawaySettings } from "../../cli/embedded-postgres.js";

declare global {
  var testPostgres: EmbeddedPostgres | undefined;
}

/** Starts the one PostgreSQL server of a test run; test files reach it through TEST_POSTGRES_URL. */
export default async function globalSetup(): Promise<void> {
  const postgres = await EmbeddedPostgres.start({
    dataDirectory: await mkdtemp(path.join(tmpdir(), "symbol-gateway-test-")),
    log: pino({ level: "warn" }, pino.destination(2)),
    settings: throwawaySettings,
    temporary: true,
  });
  globalThis.testPostgres = postgres;
  process.env.TEST_POSTGRES_URL = postgres.connectionString;
}
