import { mkdtemp, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { dropTemplates } from "./database.js";
import { throwawaySettings } from "./throwaway-settings.js";

declare global {
  var testPostgres: EmbeddedPostgres | undefined;
}

/** Linux keeps files below this folder in memory. */
const MEMORY = "/dev/shm";
/** Free memory from which on the databases are kept there. */
const MEMORY_BYTES = 6 * 2 ** 30;

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
  const postgres = await startPostgres({
    dataDirectory: await mkdtemp(path.join(await dataFolder(), "symbol-gateway-test-")),
    log: pino({ level: "warn" }, pino.destination(2)),
    // Old parts of the log are removed sooner than by default.
    settings: { ...throwawaySettings, max_wal_size: "256MB" },
    temporary: true,
  });
  globalThis.testPostgres = postgres;
  process.env.TEST_POSTGRES_URL = postgres.connectionString;
}

/**
 * Memory if there is enough. Files of a new database took 0.5 s of processor time on a disk, and 0.03 s there; a run
 * creates several hundred databases.
 */
async function dataFolder(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined);
  const free = memory ? Math.min(memory.bavail * memory.bsize, freemem()) : 0;
  return free >= MEMORY_BYTES ? MEMORY : tmpdir();
}
