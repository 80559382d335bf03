import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { commandOf, folderOf, isAlive } from "../process/process-identity.js";
import { type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";
import { nameOfReachable, prepareDataDirectory } from "./data-directory.js";
import { type PostgresBinaries, preparePostgresBinaries } from "./postgres-binaries.js";
import { PostgresServer, PostgresStartError, readLockFile } from "./postgres-server.js";
import { databaseUser } from "./postgres-user.js";

const superuser = "postgres";
const defaultDatabase = "symbol_gateway";
const attempts = 5;

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
  /** Created if missing; `symbol_gateway` by default. */
  readonly database?: string;
  /** Server settings (postgresql.conf) that differ from the defaults here. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The data is deleted when the server stops, also when it stops because this process was killed. */
  readonly temporary?: boolean;
}

/**
 * A real PostgreSQL server from an npm package, listening on 127.0.0.1 only, with a random password. If this process
 * is root, it runs as another user: see postgres-user.ts. It never outlives this process: see postgres-guard.ts.
 */
export class EmbeddedPostgres {
  /** URL with user and password of the requested database. */
  readonly connectionString: string;
  readonly port: number;
  /** Process id of the server. */
  readonly pid: number;
  /** The file, mode 600, with the password. */
  readonly passwordFile: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #server: PostgresServer;

  private constructor(server: PostgresServer, port: number, cluster: Cluster, database: string) {
    this.#server = server;
    this.ended = server.ended;
    this.pid = server.pid;
    this.port = port;
    this.passwordFile = cluster.passwordFile;
    this.connectionString = connectionUrl(port, cluster.password, database);
  }

  /**
   * Starts the server of a data folder, which is created if missing.
   * @throws Error with the reason and the remedy: the port is taken, another server runs on the same data, the data
   *   belongs to another user or to another version of PostgreSQL, no programs for this platform
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { log, database = defaultDatabase } = options;
    const wanted = path.resolve(options.dataDirectory);
    const user = await databaseUser(wanted);
    if (user)
      log.info({ user: user.name, directory: wanted }, "PostgreSQL does not run as root; running it as this user");
    const binaries = await preparePostgresBinaries(user, log);
    const directory = await prepareDataDirectory(wanted, user);
    const cluster = await openCluster(directory, binaries, user, options.temporary ?? false, log);
    const removeWhenStopped = options.temporary ? [directory, wanted] : [];
    const { server, port } = await startServer(options, { cluster, binaries, user, removeWhenStopped });
    try {
      await createDatabase(connectionUrl(port, cluster.password, "postgres"), database);
    } catch (error) {
      await server.stop();
      throw error;
    }
    log.debug({ port, pid: server.pid, directory, user: user?.name }, "Started the embedded PostgreSQL");
    return new EmbeddedPostgres(server, port, cluster, database);
  }

  /** Stops the server: connections are closed, everything is written. May be called twice. */
  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

interface Cluster {
  /** PostgreSQL's data directory. */
  readonly directory: string;
  /** The name by which the server, which runs in this folder, can use it. */
  readonly name: string;
  readonly password: string;
  readonly passwordFile: string;
}

interface ServerParts {
  readonly cluster: Cluster;
  readonly binaries: PostgresBinaries;
  readonly user: OsUser | undefined;
  readonly removeWhenStopped: readonly string[];
}

async function openCluster(
  directory: string,
  binaries: PostgresBinaries,
  user: OsUser | undefined,
  temporary: boolean,
  log: Logger,
): Promise<Cluster> {
  const cluster = path.join(directory, "cluster");
  const passwordFile = path.join(directory, "password");
  const madeBy = await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (madeBy === undefined) {
    log.info({ directory }, "Creating the embedded database");
    await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (user) await chown(passwordFile, user.uid, user.gid);
    // Under another name until it is complete: an interrupted start leaves nothing that looks like a database.
    const unfinished = path.join(directory, "cluster.unfinished");
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    await chmod(unfinished, 0o700);
    if (user) await chown(unfinished, user.uid, user.gid);
    const locale = ["--encoding=UTF8", "--locale=C", "--no-instructions"];
    const access = [`--username=${superuser}`, "--pwfile=../password", "--auth=scram-sha-256"];
    const speed = temporary ? ["--no-sync"] : [];
    const name = await nameOfReachable(unfinished, user);
    await runAs(user, binaries.initdb, [`--pgdata=${name}`, ...access, ...locale, ...speed], unfinished);
    await rename(unfinished, cluster);
  } else {
    const server = /\) (\d+)/.exec(await runAs(user, binaries.postgres, ["--version"]))?.[1];
    if (server !== undefined && server !== madeBy.trim()) {
      throw new UsageError(
        `The database in ${directory} was created by PostgreSQL ${madeBy.trim()}, this is ${server}. ` +
          "Delete the folder to index again, or set DATABASE_URL to a server of your own.",
      );
    }
  }
  const name = await nameOfReachable(cluster, user);
  return { directory: cluster, name, password: (await readFile(passwordFile, "utf8")).trim(), passwordFile };
}

async function startServer(
  options: EmbeddedPostgresOptions,
  parts: ServerParts,
): Promise<{ server: PostgresServer; port: number }> {
  for (let attempt = 1; ; attempt++) {
    await rejectSecondServer(parts.cluster.directory);
    const port = options.port || (await freePort());
    const settings = {
      ...defaultSettings,
      ...options.settings,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      port: String(port),
    };
    const order = {
      program: parts.binaries.postgres,
      folder: parts.cluster.directory,
      args: ["-D", parts.cluster.name, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
      ...(parts.user && { uid: parts.user.uid, gid: parts.user.gid }),
      removeWhenStopped: parts.removeWhenStopped,
    };
    const server = new PostgresServer(order, parts.cluster.directory, options.log);
    try {
      await server.ready();
      return { server, port };
    } catch (error) {
      await server.stop();
      if (!(error instanceof PostgresStartError)) throw error;
      if (error.says("Address already in use") && options.port) {
        throw new UsageError(`Port ${port} for the embedded PostgreSQL (EMBEDDED_DATABASE_PORT) is taken.`, {
          cause: error,
        });
      }
      // The port was taken after our check, or processes of a killed server are still ending.
      const passes = error.says("Address already in use") || error.says("shared memory block");
      if (attempt === attempts || !passes) throw error;
      await sleep(200 * attempt);
    }
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
  return connectionUrl(Number(running.port), password.trim(), defaultDatabase);
}

/**
 * Two servers on the same data would destroy it. PostgreSQL checks this too, but also fails if the process is not a
 * server.
 */
async function rejectSecondServer(clusterDirectory: string): Promise<void> {
  const running = await findServer(clusterDirectory);
  if (running) {
    const { pid, port } = running;
    throw new UsageError(
      `A PostgreSQL server, process ${pid} on port ${port}, already runs on ${clusterDirectory}. ` +
        `Stop its program first (or the process itself: kill -INT ${pid}).`,
    );
  }
  // Left by a killed server; its number may belong to another program now, which would keep PostgreSQL from starting.
  await rm(path.join(clusterDirectory, "postmaster.pid"), { force: true });
}

async function findServer(clusterDirectory: string): Promise<{ pid: number; port: string } | undefined> {
  const [first, , , port = "?"] = await readLockFile(clusterDirectory);
  const pid = Math.abs(Number(first));
  if (!pid || !isAlive(pid)) return undefined;
  const folder = await folderOf(pid);
  if (folder !== undefined) return folder === clusterDirectory ? { pid, port } : undefined;
  const command = await commandOf(pid);
  return command === undefined || command.includes(clusterDirectory) ? { pid, port } : undefined;
}

async function createDatabase(adminUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

function connectionUrl(port: number, password: string, database: string): string {
  return `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
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
