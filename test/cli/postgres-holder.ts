import { pino } from "pino";
import { startPostgres } from "../../cli/postgres/embedded-postgres.js";

// A process that starts an embedded PostgreSQL and does nothing more, for a test to kill.
const postgres = await startPostgres({
  dataDirectory: process.argv[2]!,
  temporary: process.argv[3] === "temporary",
  log: pino({ level: "silent" }),
});
process.stdout.write(`started ${postgres.pid} ${postgres.port}\n`);
setInterval(() => undefined, 60_000);
