import { existsSync } from "node:fs";

/** Stops the PostgreSQL server of the test run; the run fails if it did not end. */
export default async function globalTeardown(): Promise<void> {
  const postgres = globalThis.testPostgres;
  if (!postgres) return;
  await postgres.stop();
  let alive = true;
  try {
    process.kill(postgres.pid, 0);
  } catch {
    alive = false;
  }
  if (alive) throw new Error(`The PostgreSQL server of the tests, process ${postgres.pid}, did not stop`);
  if (existsSync(postgres.passwordFile)) throw new Error(`${postgres.passwordFile} was left behind`);
}
