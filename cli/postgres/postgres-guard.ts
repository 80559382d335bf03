import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { databaseEnvironment } from "../process/run-as.js";

/** What a guard runs. */
export interface GuardOrder {
  readonly program: string;
  readonly args: readonly string[];
  /** PostgreSQL's data folder. */
  readonly folder: string;
  /** The user to run as; this process' own if absent. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Files and folders to delete when the server has ended. */
  readonly remove: readonly string[];
  /** The same, if it has ended because it was stopped. */
  readonly removeWhenStopped: readonly string[];
}

/** Connections that do not end are cut then, and the next start recovers, in ms. */
const IMMEDIATE_AFTER_MS = 30_000;

/**
 * A process between a program and its database: it runs the server as long as the program keeps its stdin open, so that
 * the server never outlives a program that was killed.
 */
function guard({ program, args, folder, user, remove, removeWhenStopped }: GuardOrder): void {
  const options = { cwd: folder, env: databaseEnvironment, ...user };
  const server = spawn(program, args, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    server.kill("SIGINT"); // fast: connections are closed, everything is written
    setTimeout(() => server.kill("SIGQUIT"), IMMEDIATE_AFTER_MS).unref();
  };
  process.stdin.once("end", stop).once("error", stop).resume();
  // The program stops its parts in their order, this one last, and its end closes the pipe.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // Their reader may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  server.on("spawn", () => process.stdout.write(String(server.pid)));
  const end = (code: number): never => {
    for (const file of [...remove, ...(isStopping ? removeWhenStopped : [])])
      rmSync(file, { recursive: true, force: true });
    process.exit(code);
  };
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    end(1);
  });
  server.on("exit", (code) => end(code ?? 1));
}

guard(JSON.parse(process.argv[2]!) as GuardOrder);
