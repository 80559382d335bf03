import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { databaseEnvironment } from "../process/run-as.js";

/**
 * A process between us and PostgreSQL, which ensures that no server outlives us, however we end: when its standard
 * input is closed (we requested it, crashed, or were killed with SIGKILL) it stops the server.
 *
 * It is started with one argument, the JSON of {@link GuardOrder}; it writes the server's process id and a line feed
 * to stdout, passes the server's messages through on stderr, and ends with the server's exit code.
 */
export interface GuardOrder {
  readonly program: string;
  readonly args: readonly string[];
  /** The working folder of the server; entered before the user is changed. */
  readonly folder: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Files and folders to delete after the server was stopped on request. */
  readonly removeWhenStopped: readonly string[];
}

/** Delay, in ms, before a more forceful stop. */
const fastShutdownMs = 30_000;
const immediateShutdownMs = 10_000;

function guard(order: GuardOrder): void {
  const { uid, gid } = order;
  const server = spawn(order.program, order.args, {
    cwd: order.folder,
    env: databaseEnvironment,
    stdio: ["ignore", "ignore", "inherit"],
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });

  let stopping = false;
  const stop = (): void => {
    stopping = true;
    server.kill("SIGINT"); // fast: connections are closed, everything is written
    setTimeout(() => server.kill("SIGQUIT"), fastShutdownMs).unref(); // immediate: recovers at the next start
    setTimeout(() => server.kill("SIGKILL"), fastShutdownMs + immediateShutdownMs).unref();
  };
  process.stdin.on("end", stop).on("error", stop).resume();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // The reader of our output may be gone.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);

  server.on("spawn", () => process.stdout.write(`${server.pid}\n`));
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  server.on("exit", (code) => {
    for (const file of stopping ? order.removeWhenStopped : []) rmSync(file, { recursive: true, force: true });
    process.exit(code ?? 1);
  });
}

guard(JSON.parse(process.argv[2]!) as GuardOrder);
