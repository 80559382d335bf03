import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from "../support/database.js";
import { DatabaseRelay } from "../support/database-relay.js";
import { DevnetFixture } from "../support/devnet.js";
import { EncryptedRelay } from "../support/encrypted-relay.js";
import { freePort } from "../support/free-port.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const commands = ["dev", "gateway", "indexer", "backfill", "migrate", "check", "devnet"];
let database: TestDatabase;
const folder = temporaryFolder(() => database?.drop());

beforeAll(async () => {
  database = await createTestDatabase();
});

async function run(args: string[], env: Record<string, string> = {}) {
  const program = startProcess(args, { cwd: folder, env });
  const { code } = await program.exited;
  return { code, output: program.output };
}

describe("the program", () => {
  test("shows its commands", async () => {
    const { code, output } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of [...commands, "transfer"]) expect(output).toMatch(new RegExp(`^ {2}${command} +\\w`, "m"));
  });

  test.each(commands)("shows help for %s, without reading its settings", async (command) => {
    const { code, output } = await run([command, "--help"], { PORT: "bad" });
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^Usage: symbol-gateway ${command}( \\[options\\])?\n`));
    expect(output).toContain("LOG_LEVEL");
  });

  test("shows for transfer the names of the accounts, and no setting that it does not use", async () => {
    const { code, output } = await run(["transfer", "--help"]);
    expect(code).toBe(0);
    expect(output).toContain("alice, bob, carol, dave, erin, frank, grace, heidi, harvester");
    const names = [...output.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);
    expect(names).toEqual(["PORT", "HOST", "TLS_CERTIFICATE_FILE", "DATA_DIR", "DEVNET_SEED"]);
  });

  test("an unexpected error, wherever it is thrown, is one line that names its place", async () => {
    const fault = `process.on("newListener", (name) => {
      if (name === "SIGTERM") setImmediate(() => { throw new TypeError("no such\\nthing"); });
    })`;
    const execArgv = ["--import", `data:text/javascript,${encodeURIComponent(fault)}`];
    const program = startProcess(["devnet"], { cwd: folder, execArgv });
    expect((await program.exited).code).toBe(1);
    expect(program.output).toMatch(/^Unexpected error: TypeError: no such thing \(at .*\)\n$/m);
    expect(program.output).not.toMatch(/^ {4}at /m);
  });

  test("serves Mesh offline, with neither a database nor a node", async () => {
    const program = startProcess(["mesh", "--offline", "--network", "mainnet"], { cwd: folder, env: { PORT: "0" } });
    const [, port] = /"port":(\d+)/.exec(await program.waitFor(/.*"Listening".*/)) ?? [];
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}/mesh/network/list`, { method: "POST", headers, body: "{}" });
    expect(await response.json()).toEqual({ network_identifiers: [{ blockchain: "Symbol", network: "mainnet" }] });
    expect(await program.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  test("prints its version", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each([
    [[], {}, /^Usage: /],
    [
      ["nonsense"],
      {},
      /^There is no command nonsense\. Commands: dev, gateway, indexer, backfill, database-url, migrate, check, doctor, health, webhooks, mesh, devnet, transfer\.\n$/,
    ],
    [["gateway", "--nonsense"], {}, /^Unknown option '--nonsense'\.\n$/],
    [["gateway", "nonsense"], {}, /^Unexpected argument 'nonsense'\.\n$/],
    [["gateway"], { DATABSE_URL: "secret" }, /^DATABSE_URL is not a setting: the nearest one is DATABASE_URL\.\n$/],
    [["gateway"], { PORT: "bad" }, /^PORT must be a whole number from 0 to 65535, not "bad"\.\n$/],
    [["gateway"], {}, /^DATABASE_URL is not set, and no embedded database runs in/],
    [["indexer"], {}, /^DATABASE_URL is not set, and no embedded database runs in/],
    [["migrate"], {}, /^DATABASE_URL is not set, and no embedded database runs in/],
    [["database-url"], {}, /^DATABASE_URL is not set, and no embedded database runs in/],
    [["check"], {}, /^DATABASE_URL is not set, and no embedded database runs in/],
    [["check", "--from", "x"], {}, /^--from must be a whole number, not "x"\.\n$/],
    [
      ["check", "--from=5", "--to=4"],
      { DATABASE_URL: "postgres://127.0.0.1:1/db" },
      /--from 5 must not be above --to 4/,
    ],
    [["mesh", "--network=mainnet"], {}, /^--offline is required; /],
    [["mesh", "--offline"], {}, /^--network is required: mainnet, testnet or private\.\n$/],
    [["mesh", "--offline", "--network=x"], {}, /^--network must be mainnet, testnet or private, not "x"\.\n$/],
    [["mesh", "--offline", "--network=private"], {}, /^CATAPULT_RESOURCES is required with --network=private\.\n$/],
    [
      ["mesh", "--offline", "--network=private"],
      { CATAPULT_RESOURCES: "/nowhere" },
      /^CATAPULT_RESOURCES \(\/nowhere\): .*config-network\.properties.*\n$/,
    ],
    [["backfill", "--from=5", "--to=4"], {}, /^--from 5 must not be above --to 4\.\n$/],
    [["transfer"], {}, /^--to is required: an address, or the name of a devnet account\.\n$/],
    [["transfer", "--to", "bob", "--amount", "x"], {}, /^--amount must be a number such as 1\.5, not "x"\.\n$/],
    [["transfer", "--to", "xyz", "--amount", "1"], {}, /^xyz is neither an address nor the name of a devnet account/],
    [
      ["transfer", "--to", "bob", "--amount", "1", "--from", "eve"],
      {},
      /^--from must be one of alice, bob, .*"eve"\.\n$/,
    ],
    [["gateway"], { TRUSTED_PROXIES: "10.0.0.0/8,x" }, /^TRUSTED_PROXIES must be an IP address or a network/],
  ])("rejects %j with %j with exit code 2", async (args, env, message) => {
    const { code, output } = await run(args, env as Record<string, string>);
    expect(output).toMatch(message);
    expect(code).toBe(2);
  });

  test("reads .env in the working folder, and reports unknown names", async () => {
    const file = path.join(folder, ".env");
    writeFileSync(file, "PORT=bad\n");
    expect((await run(["gateway"])).output).toMatch(/^PORT must be/);
    writeFileSync(file, "PROT=3000\n");
    expect((await run(["gateway"])).output).toMatch(/^\.env: there is no setting PROT\.\n/);
    rmSync(file);
  });

  test.each(["gateway", "indexer"])(
    "%s rejects a database without the schema, and names the remedy",
    async (command) => {
      const { code, output } = await run([command], { DATABASE_URL: database.url });
      expect(output).toMatch(/^The database lacks 001-chain, .*: run symbol-gateway migrate first\.\n$/);
      expect(code).toBe(2);
    },
  );

  test("migrates a database to the newest schema, and does nothing the second time", async () => {
    const env = { DATABASE_URL: database.url };
    const first = await run(["migrate"], env);
    expect(first.code).toBe(0);
    expect(first.output).toContain("001-chain");
    const second = await run(["migrate"], env);
    expect(second).toEqual({ code: 0, output: expect.stringContaining("The schema is up to date") });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    expect((await client.query("SELECT to_regclass('blocks') AS found")).rows).toEqual([{ found: "blocks" }]);
    await client.query("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '')");
    const older = await run(["indexer"], env);
    expect(await run(["migrate"], env)).toEqual(older);
    await client.query("UPDATE kysely_migration SET name = '0001-chain' WHERE name = '9999-later'");
    for (const command of ["migrate", "indexer", "gateway", "backfill"]) {
      expect(await run([command], env)).toEqual({
        code: 2,
        output: expect.stringMatching(/^The database is of an earlier version, [^\n]*: create an empty one, [^\n]*\n$/),
      });
    }
    await client.query("DELETE FROM kysely_migration WHERE name = '0001-chain'");
    await client.end();
    expect(older).toEqual({ code: 2, output: expect.stringMatching(/^The database is newer than .*9999-later/) });
  });

  test("webhooks ping ends with exit code 1 if the receiver does not answer", async () => {
    const migrated = await createMigratedDatabase();
    const env = { DATABASE_URL: migrated.url, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.1" };
    try {
      expect((await run(["webhooks", "add", `http://127.0.0.1:${await freePort()}/hook`], env)).code).toBe(0);
      const { code, output } = await run(["webhooks", "ping", "1"], env);
      expect(output).toMatch(/^Not delivered: [^\n]*ECONNREFUSED[^\n]*\.\n$/);
      expect(code).toBe(1);
      expect((await run(["webhooks", "ping", "2"], env)).code).toBe(2);
    } finally {
      await migrated.drop();
    }
  });

  test("hides the password if the database is unreachable", async () => {
    const env = { DATABASE_URL: `postgres://me:geheim@127.0.0.1:${await freePort()}/db` };
    const { code, output } = await run(["migrate"], env);
    expect(code).toBe(1);
    expect(output).toMatch(/^Connection failed: [^\n]*ECONNREFUSED[^\n]*\n$/);
    expect(output).not.toContain("geheim");
  });

  test("reports in a sentence that a database does not exist", async () => {
    const url = new URL(database.url);
    url.pathname = "/absent";
    const { code, output } = await run(["migrate"], { DATABASE_URL: url.href });
    expect(output).toBe('PostgreSQL rejected the connection: database "absent" does not exist.\n');
    expect(code).toBe(2);
  });

  test.each(["migrate", "gateway", "indexer", "backfill", "check", "webhooks list", "dev"])(
    "%s ends with exit code 2 if the database or its password is wrong",
    async (command) => {
      const absent = Object.assign(new URL(database.url), { pathname: "/absent" }).href;
      const wrong = Object.assign(new URL(database.url), { password: "wrong" }).href;
      for (const DATABASE_URL of [absent, wrong]) {
        const { code, output } = await run(command.split(" "), { DATABASE_URL, PORT: "0", DATA_DIR: folder });
        expect(output).toMatch(/^PostgreSQL rejected the connection: [^\n]*\.\n$/);
        expect(code).toBe(2);
      }
    },
  );

  test("a gateway ends with exit code 2 if the password of its replica is wrong", async () => {
    const DATABASE_READ_URL = Object.assign(new URL(database.url), { password: "wrong" }).href;
    const { code, output } = await run(["gateway"], { DATABASE_URL: database.url, DATABASE_READ_URL, PORT: "0" });
    expect(output).toMatch(/^PostgreSQL rejected the connection: [^\n]*\.\n$/);
    expect(code).toBe(2);
  });

  test.each(["gateway", "indexer"])(
    "%s waits for a database with one line a minute, and ends with exit code 2 if its password is wrong then",
    async (command) => {
      const relay = await new DatabaseRelay(database.url).open();
      const url = Object.assign(new URL(relay.through(database.url)), { password: "wrong" });
      await relay.close();
      const env = { DATABASE_URL: url.href, CATAPULT_NODES: "127.0.0.1:1", PORT: "0" };
      const program = startProcess([command], { cwd: folder, env });
      await program.waitFor(/Database connection lost/);
      await relay.open();
      expect((await program.exited).code).toBe(2);
      expect(program.output).toMatch(/"level":60[^\n]*"msg":"PostgreSQL rejected the connection: [^\n]*\."/);
      expect(program.output.match(/Database connection lost/g)).toHaveLength(1);
      await relay.close();
    },
  );

  test("reports in a sentence that a database is not encrypted, or has a certificate that is not trusted", async () => {
    const plain = new URL(database.url);
    plain.searchParams.set("sslmode", "verify-full");
    expect(await run(["migrate"], { DATABASE_URL: plain.href })).toEqual({
      code: 2,
      output: "PostgreSQL does not encrypt connections, but its URL asks for that.\n",
    });
    const relay = await new EncryptedRelay(database.url).open();
    const encrypted = await run(["migrate"], { DATABASE_URL: relay.url(database.url, "verify-full") });
    await relay.close();
    expect(encrypted).toEqual({
      code: 2,
      output: "The certificate of PostgreSQL was not accepted: self-signed certificate in certificate chain.\n",
    });
  });

  test.each([
    ["CATAPULT_TLS_DIR", /^CATAPULT_TLS_DIR: \/.* does not contain a readable certificate\.\n$/],
    ["DATA_DIR", /^DATA_DIR: ENOTDIR: .*\n$/],
  ])("names %s if it contains no certificates and cannot", async (setting, message) => {
    const directory = path.join(folder, "bad-tls");
    mkdirSync(directory, { recursive: true });
    for (const file of ["ca.cert.pem", "node.crt.pem", "node.key.pem"]) writeFileSync(path.join(directory, file), "");
    const value = setting === "DATA_DIR" ? path.join(directory, "node.key.pem") : directory;
    const { code, output } = await run(["gateway"], { DATABASE_URL: database.url, PORT: "0", [setting]: value });
    expect(output).toMatch(message);
    expect(code).toBe(2);
  });

  test("names DEVNET_SEED and DEVNET_RULES if the folder contains a devnet of others, and an unusable file", async () => {
    const env = { DATA_DIR: path.join(folder, "seeds") };
    const first = startProcess(["devnet"], { cwd: folder, env });
    await first.waitFor(/Listening/);
    await first.kill("SIGTERM");
    const other = await run(["devnet"], { ...env, DEVNET_SEED: "another" });
    expect(other).toEqual({
      code: 2,
      output: expect.stringMatching(/\n?.*\. Set DEVNET_SEED to its value when .*\n$/),
    });
    const { code, output } = await run(["devnet"], { ...env, DEVNET_RULES: "main-network" });
    expect(output).toMatch(
      /chain.dat contains a chain with another nemesis block.* DEVNET_SEED and DEVNET_RULES .*\n$/,
    );
    expect(code).toBe(2);
    const nowhere = await run(["devnet"], { ...env, DATA_DIR: path.join(folder, "seeds", "devnet", "chain.dat") });
    expect(nowhere).toEqual({ code: 1, output: expect.stringMatching(/^A file cannot be used: ENOTDIR: .*\n$/) });
  });

  test.each(["indexer", "backfill", "dev"])(
    "%s ends with exit code 2 at a network whose rules are unknown",
    async (command) => {
      const fixture = await DevnetFixture.start();
      const index = await createMigratedDatabase();
      try {
        const CATAPULT_NODES = `127.0.0.1:${fixture.devnet.port}`;
        const env = { DATABASE_URL: index.url, CATAPULT_NODES, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0" };
        const { code, output } = await run([command], env);
        expect(output).toMatch(/The rules of the network .* are unknown: set CATAPULT_RESOURCES to [^"\n]*\."?/);
        if (command === "dev")
          expect(output).toMatch(/indexer cannot run with these settings: see its message above\./);
        expect(output).not.toMatch(/is restarted/);
        expect(code).toBe(2);
      } finally {
        await index.drop();
        await fixture.stop();
      }
    },
  );

  test("two devnets run beside each other: the second one has free ports", async () => {
    const [first, second] = ["one", "two"].map((name) =>
      startProcess(["devnet"], { cwd: folder, env: { DATA_DIR: path.join(folder, name) } }),
    ) as [TestProcess, TestProcess];
    const listening = /"port":(\d+),"zmqEndpoint":"tcp:\/\/127.0.0.1:(\d+)"/;
    const ports = await Promise.all([first, second].map(async (one) => listening.exec(await one.waitFor(listening))!));
    expect(new Set(ports.flatMap(([, node, publisher]) => [node, publisher])).size).toBe(4);
    for (const one of [first, second]) expect(await one.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  test("names HOST if it is no address of this machine", async () => {
    const host = "203.0.113.7";
    const { code, output } = await run(["gateway"], { DATABASE_URL: database.url, HOST: host, PORT: "0" });
    expect(output).toContain("HOST must be an address of this machine");
    expect(output).not.toContain("    at ");
    expect(code).toBe(2);
  });

  test.each([
    ["PORT", "dev"],
    ["PORT", "gateway"],
    ["INTERNAL_PORT", "gateway"],
    ["--port", "devnet"],
    ["--zmq-port", "devnet"],
  ])("names %s if the port of %s is taken, and leaves nothing behind", async (setting, command) => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve));
    const { port } = squatter.address() as { port: number };
    const dataDirectory = path.join(folder, `taken-${setting}-${command}`);
    try {
      const isOption = setting.startsWith("--");
      const { code, output } = await run(isOption ? [command, `${setting}=${port}`] : [command], {
        PORT: "0",
        HOST: "127.0.0.1",
        DATABASE_URL: database.url,
        DATA_DIR: dataDirectory,
        ...(!isOption && { [setting]: String(port) }),
      });
      expect(output).toContain(`Port ${port} is taken: set ${setting} to another one.`);
      expect(code).toBe(2);
    } finally {
      squatter.close();
    }
    expect(existsSync(path.join(dataDirectory, "postgres"))).toBe(false);
  });
});
