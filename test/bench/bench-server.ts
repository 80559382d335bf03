import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { startProcess } from "../support/process.js";
import { processTree, readOfProcess } from "../support/process-tree.js";
import { timeOfEndedChildren, timeOfServer } from "./processor-time.js";
import { withClient } from "./table-copies.js";

const run = promisify(execFile);
const POLL_MS = 250;

/** As docs/operations.md recommends during a backfill, with less WAL. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_wal_size: "8GB",
  checkpoint_timeout: "30min",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  effective_cache_size: "12GB",
};

/** The cost of a command of the program. */
export interface CommandRun {
  readonly seconds: number;
  /** Processor time of the process. */
  readonly cpuSeconds: number;
  /** That of PostgreSQL. */
  readonly postgresCpuSeconds: number;
  /** Peak memory of the process. */
  readonly peakMemoryMiB: number;
  /** Load average of the machine at the end, over the last minute. */
  readonly load: number;
}

/** A PostgreSQL server that is started again with other buffers; its data stays, and its address. */
export class BenchServer {
  readonly #folder: string;
  #server: EmbeddedPostgres;

  private constructor(folder: string, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(folder: string, sharedBuffers: string): Promise<BenchServer> {
    mkdirSync(folder, { recursive: true });
    return new BenchServer(folder, await startServer(folder, sharedBuffers));
  }

  get url(): string {
    return this.#server.connectionString;
  }

  /** Restarts it; none of the files of a database is in the operating system's cache then (Linux). */
  async restartCold(sharedBuffers: string, databaseUrl: string): Promise<void> {
    const { port } = this.#server;
    const oid = await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query("select oid from pg_database where datname = current_database()");
      return String((rows[0] as { oid: number }).oid);
    });
    await this.#server.stop();
    const files = path.join(this.#folder, "cluster", "base", oid);
    // Without a count to copy, dd only drops the file from the cache.
    const drop = ["-exec", "dd", "if={}", "iflag=nocache", "count=0", "status=none", ";"];
    await run("find", [files, "-type", "f", "-size", "+0", ...drop]);
    this.#server = await startServer(this.#folder, sharedBuffers, port);
  }

  /** The most that the processes of the server had for themselves at one time while `work` ran, in MiB (Linux). */
  async memoryDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly peakMemoryMiB: number }> {
    let peak = 0;
    const timer = setInterval(() => {
      const own = processTree(this.#server.pid).map((pid) => statusOf(pid, "RssAnon"));
      peak = Math.max(
        peak,
        own.reduce((sum, one) => sum + one, 0),
      );
    }, POLL_MS);
    try {
      return { result: await work(), peakMemoryMiB: peak };
    } finally {
      clearInterval(timer);
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

function startServer(folder: string, sharedBuffers: string, port = 0): Promise<EmbeddedPostgres> {
  const log = pino({ level: "warn" }, pino.destination(2));
  return startPostgres({
    dataDirectory: folder,
    log,
    port,
    settings: { ...SETTINGS, shared_buffers: sharedBuffers },
  });
}

/** A size in `/proc/PID/status` of a process, in MiB; 0 if it has ended. */
export function statusOf(pid: number, name: "RssAnon" | "VmHWM"): number {
  const text = readOfProcess(pid, "status") ?? "";
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1_024;
}

/** @throws Error with the output of a command that fails */
export async function runCommand(
  databaseUrl: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const before = { own: timeOfEndedChildren(), postgres: await timeOfServer(databaseUrl) };
  const startedAt = performance.now();
  const program = startProcess(args, { env: { DATABASE_URL: databaseUrl, ...settings } });
  let peakMemoryMiB = 0;
  const timer = setInterval(() => {
    peakMemoryMiB = Math.max(peakMemoryMiB, statusOf(program.pid, "VmHWM"));
  }, POLL_MS);
  const { code } = await program.exited;
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(" ")} failed:\n${program.output.slice(-2_000)}`);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (timeOfEndedChildren() - before.own) / 1_000,
    postgresCpuSeconds: ((await timeOfServer(databaseUrl)) - before.postgres) / 1_000,
    peakMemoryMiB,
    load: loadavg()[0] ?? 0,
  };
}
