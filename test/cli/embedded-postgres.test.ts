import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { pino } from "pino";
import { findRunningPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { hasReader, migrateToLatest } from "../../migrations/migrate.js";
import { freePort } from "../support/free-port.js";
import { LogLines } from "../support/log-lines.js";
import { startProcess, waitForEnd } from "../support/process.js";
import { skip } from "../support/skipped.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import { until } from "../support/until.js";

const log = pino({ level: "silent" });
const holder = fileURLToPath(new URL("./postgres-holder.js", import.meta.url));
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-postgres-"));
  folders.push(folder);
  return folder;
}

let made: Promise<string> | undefined;

/** A folder with a database that was created once: a copy for each test that does not show how it is created. */
async function newDatabase(): Promise<string> {
  made ??= createDatabase();
  const folder = await newFolder();
  // Node's own copies do not keep owners.
  execFileSync("cp", ["-a", `${await made}/.`, folder]);
  return folder;
}

async function createDatabase(): Promise<string> {
  const dataDirectory = await newFolder();
  const postgres = await startPostgres({ dataDirectory, log, settings: throwawaySettings });
  await postgres.stop();
  return dataDirectory;
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("an embedded PostgreSQL", () => {
  test("keeps its data and its password over a restart, and ends when stopped", async () => {
    const dataDirectory = await newFolder();
    // Of the ports that the system gives out, another program may have it meanwhile.
    const first = await startPostgres({ dataDirectory, log, settings: throwawaySettings, port: await freePort() });
    await ask(first.connectionString, "CREATE TABLE kept AS SELECT 42 AS answer");
    await first.stop();
    await waitForEnd(first.pid);

    const second = await startPostgres({ dataDirectory, log, settings: throwawaySettings });
    try {
      expect(await ask(second.connectionString, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
      expect(second.connectionString).toBe(first.connectionString);
    } finally {
      await second.stop();
    }

    // Another program has the port meanwhile.
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(second.port, "127.0.0.1", resolve));
    const third = await startPostgres({ dataDirectory, log, settings: throwawaySettings });
    try {
      expect(third.port).not.toBe(second.port);
    } finally {
      await third.stop();
      squatter.close();
    }
  });

  test("is migrated by a user who may not create roles, without the role of the views", async () => {
    const postgres = await startPostgres({ dataDirectory: await newDatabase(), log, temporary: true });
    try {
      await ask(postgres.connectionString, "CREATE USER plain PASSWORD 'plain'");
      await ask(postgres.connectionString, "CREATE DATABASE plain OWNER plain");
      const url = new URL(postgres.connectionString);
      Object.assign(url, { username: "plain", password: "plain", pathname: "/plain" });
      await migrateToLatest(url.href);
      expect(await hasReader(url.href)).toBe(false);
      expect(await ask(url.href, "SELECT count(*) FROM analytics.blocks")).toEqual([{ count: "0" }]);
    } finally {
      await postgres.stop();
    }
  });

  test("rejects connections without the password, which only its owner can read", async () => {
    const postgres = await startPostgres({ dataDirectory: await newDatabase(), log, temporary: true });
    try {
      const url = new URL(postgres.connectionString);
      expect(lstatSync(postgres.passwordFile).mode & 0o777).toBe(0o600);
      expect(readFileSync(postgres.passwordFile, "utf8")).toBe(url.password);
      expect(url.password.length).toBeGreaterThan(20);
      url.password = "wrong";
      await expect(ask(url.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
      const addresses = await ask(postgres.connectionString, "SELECT current_setting('listen_addresses') AS addresses");
      expect(addresses).toEqual([{ addresses: "127.0.0.1" }]);
    } finally {
      await postgres.stop();
    }
    expect(existsSync(postgres.passwordFile)).toBe(false);
  });

  test("is found by its folder while it runs, and rejects a second server there, naming the first", async () => {
    const dataDirectory = await newDatabase();
    expect(await findRunningPostgres(dataDirectory)).toBeUndefined();
    const postgres = await startPostgres({ dataDirectory, log });
    try {
      const url = await findRunningPostgres(dataDirectory);
      expect(url).toBe(postgres.connectionString);
      await expect(startPostgres({ dataDirectory, log })).rejects.toThrow(
        `PostgreSQL already runs on the data in ${dataDirectory}: process ${postgres.pid}, port ${postgres.port}. ` +
          "Stop the program that started it, or set DATA_DIR to another folder.",
      );
    } finally {
      await postgres.stop();
    }
    expect(await findRunningPostgres(dataDirectory)).toBeUndefined();
  });

  test("says so if its port is taken", async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
    const { port } = squatter.address() as AddressInfo;
    try {
      await expect(startPostgres({ dataDirectory: await newDatabase(), log, port, temporary: true })).rejects.toThrow(
        /PostgreSQL did not start: .*Address already in use/,
      );
    } finally {
      squatter.close();
    }
  });

  test("names the version if the data was created by another one", async () => {
    const dataDirectory = await newDatabase();
    const postgres = await startPostgres({ dataDirectory, log });
    await postgres.stop();
    writeFileSync(path.join(dataDirectory, "cluster", "PG_VERSION"), "12\n");
    await expect(startPostgres({ dataDirectory, log })).rejects.toThrow(
      /PostgreSQL did not start: .*initialized by PostgreSQL version 12, which is not compatible with this version/,
    );
  });
});

describe("on a full disk", () => {
  const mountPoint = mkdtempSync(path.join(tmpdir(), "symbol-gateway-full-"));
  folders.push(mountPoint);
  const mount = (megabytes: number) =>
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", mountPoint]);
  const unmount = () => execFileSync("umount", [mountPoint]);
  try {
    mount(1);
    unmount();
  } catch {
    skip("says which disk is full", "a file system cannot be mounted");
    return;
  }
  const sentence = (directory: string) =>
    `The disk of ${directory} is full: free some space, or set DATA_DIR to a folder on another disk.\n`;

  test.each([
    ["before there is a database", 4],
    ["while it is created", 30],
  ])("the program says so in one sentence: %s", async (_, megabytes) => {
    mount(megabytes);
    try {
      const program = startProcess(["dev"], { env: { DATA_DIR: mountPoint, PORT: "0" } });
      expect((await program.exited).code).toBe(1);
      const lines = program.output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
      expect(`${lines.join("\n")}\n`).toBe(sentence(path.join(mountPoint, "postgres")));
    } finally {
      unmount();
    }
  });

  test("the program says so in one sentence when the disk becomes full while it runs", async () => {
    mount(160);
    try {
      const program = startProcess(["dev"], { env: { DATA_DIR: mountPoint, PORT: "0", DEVNET_BLOCK_MS: "100" } });
      await program.waitFor("Stop with Ctrl-C.");
      writeFileSync(path.join(mountPoint, "other"), Buffer.alloc(1));
      const fill = createWriteStream(path.join(mountPoint, "other"));
      const full = new Promise((resolve) => fill.once("error", resolve));
      for (let n = 0; n < 160; n++) fill.write(Buffer.alloc(1 << 20));
      await full;
      await program.waitFor(/No space left on device|The disk of .* is full|A disk is full/);
      await program.kill("SIGTERM");
    } finally {
      unmount();
    }
  });
});

describe("an embedded PostgreSQL that root starts", () => {
  if (process.getuid?.() !== 0) {
    skip("runs as another user", "this is not root");
    return;
  }

  /** Starts one in `data` below a folder of `owner`, below one that only root may enter. */
  async function startedAsRoot(owner: number) {
    const home = await newFolder();
    chmodSync(home, 0o700);
    const checkout = path.join(home, "checkout");
    mkdirSync(checkout);
    chownSync(checkout, owner, owner);
    const dataDirectory = path.join(checkout, "data", "postgres");
    const lines = new LogLines();
    const users = readFileSync("/etc/passwd", "utf8");
    const postgres = await startPostgres({ dataDirectory, log: lines.logger, settings: throwawaySettings });
    expect(readFileSync("/etc/passwd", "utf8")).toBe(users);
    return { dataDirectory, postgres, lines };
  }

  test("runs as nobody, with its data in the given folder, in one that only root may enter", async () => {
    const { dataDirectory, postgres, lines } = await startedAsRoot(0);
    const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
    try {
      expect(realpathSync(dataDirectory)).toBe(dataDirectory);
      expect(lstatSync(path.join(dataDirectory, "cluster")).uid).toBe(uid);
      expect(lstatSync(dataDirectory).mode & 0o777).toBe(0o700);
      expect(execFileSync("ps", ["-o", "user=", "-p", String(postgres.pid)], { encoding: "utf8" }).trim()).toBe(
        "nobody",
      );
      const about = lines.matching(/"level":30.*PostgreSQL does not run as root/).map((line) => JSON.parse(line));
      expect(about).toMatchObject([{ uid, directory: dataDirectory }]);
      await ask(postgres.connectionString, "CREATE TABLE kept AS SELECT 42 AS answer");
      await expect(startPostgres({ dataDirectory, log })).rejects.toThrow(`process ${postgres.pid}`);
      expect(await findRunningPostgres(dataDirectory)).toBe(postgres.connectionString);
    } finally {
      await postgres.stop();
    }
    const again = await startPostgres({ dataDirectory, log, settings: throwawaySettings });
    try {
      expect(await ask(again.connectionString, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
    } finally {
      await again.stop();
    }
  });

  test("runs as the owner of the folder above its data", async () => {
    const daemon = Number(execFileSync("id", ["-u", "daemon"], { encoding: "utf8" }));
    const { dataDirectory, postgres, lines } = await startedAsRoot(daemon);
    await postgres.stop();
    expect(lstatSync(path.join(dataDirectory, "cluster")).uid).toBe(daemon);
    expect(lines.matching(/PostgreSQL does not run as root/)[0]).toContain(`"uid":${daemon},`);
  });
});

describe("after kill -9", () => {
  test.each([false, true])(
    "of its parent, the server ends; temporary data go (%s), others stay",
    async (isTemporary) => {
      const dataDirectory = await newDatabase();
      const parent = startProcess([dataDirectory, ...(isTemporary ? ["temporary"] : [])], { script: holder });
      const [, pid] = /started (\d+)/.exec(await parent.waitFor(/started \d+ \d+\n/))!;
      await parent.kill("SIGKILL");
      await waitForEnd(Number(pid));
      if (isTemporary) return until(() => !existsSync(dataDirectory), "it is deleted");
      const again = await startPostgres({ dataDirectory, log, temporary: true });
      expect(await ask(again.connectionString, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await again.stop();
    },
  );

  test("of the server itself, the failure is reported, and the next start recovers committed data", async () => {
    const dataDirectory = await newDatabase();
    const first = await startPostgres({ dataDirectory, log });
    await ask(first.connectionString, "CREATE TABLE kept AS SELECT 42 AS answer");
    process.kill(first.pid, "SIGKILL");
    await first.ended;

    const second = await startPostgres({ dataDirectory, log, temporary: true });
    expect(await ask(second.connectionString, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test("a lock file with the process id of another program does not prevent a start", async () => {
    const dataDirectory = await newDatabase();
    const first = await startPostgres({ dataDirectory, log });
    const lockFile = path.join(dataDirectory, "cluster", "postmaster.pid");
    const stale = readFileSync(lockFile, "utf8").replace(/^\d+/, String(process.pid));
    await first.stop();
    writeFileSync(lockFile, stale);

    const second = await startPostgres({ dataDirectory, log, temporary: true });
    expect(await ask(second.connectionString, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await second.stop();
  });
});
