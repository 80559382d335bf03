import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { requirePreparedStatements, requireServer } from "../../cli/parts/pooler-check.js";
import { UsageError } from "../../cli/process/usage-error.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { freePort } from "../support/free-port.js";
import { skip } from "../support/skipped.js";
import { until } from "../support/until.js";

const PROGRAM = process.env.PGBOUNCER ?? "pgbouncer";
const [, version] =
  /PgBouncer 1\.(\d+)/.exec(spawnSync(PROGRAM, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];
const KEEPS_STATEMENTS = 21;
const MODE = { transaction: "pool_mode = transaction", session: "pool_mode = session" };
const IGNORE = "ignore_startup_parameters = statement_timeout";
const KEEP = "max_prepared_statements = 200";
const FORGET = "max_prepared_statements = 0";

/** Runs PgBouncer in front of the server of a URL. */
class Pooler {
  readonly url: string;
  readonly #folder: string;
  readonly #end: () => void;

  private constructor(url: string, folder: string, end: () => void) {
    this.url = url;
    this.#folder = folder;
    this.#end = end;
  }

  static async start(databaseUrl: string, lines: readonly string[]): Promise<Pooler> {
    const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-pgbouncer-"));
    const server = new URL(databaseUrl);
    const port = await freePort();
    const { username, password, hostname, pathname } = server;
    writeFileSync(path.join(folder, "users"), `"${username}" ""\n`, { mode: 0o644 });
    const target = `host=${hostname} port=${server.port} dbname=${pathname.slice(1)} user=${username} password=${decodeURIComponent(password)}`;
    const configuration = [
      "[databases]",
      `${pathname.slice(1)} = ${target}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${folder}/users`,
      ...lines,
    ];
    writeFileSync(path.join(folder, "pgbouncer.ini"), `${configuration.join("\n")}\n`, { mode: 0o644 });
    spawnSync("chmod", ["755", folder]);
    const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    const child = spawn(PROGRAM, ["-q", ...asUser, path.join(folder, "pgbouncer.ini")], { stdio: "ignore" });
    server.port = String(port);
    server.password = "";
    const pooler = new Pooler(server.href, folder, () => child.kill("SIGKILL"));
    await until(() => listens(port), "PgBouncer listens");
    return pooler;
  }

  stop(): void {
    this.#end();
    rmSync(this.#folder, { recursive: true });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

test("PostgreSQL itself will do for everything, and so will a server that is not there yet", async () => {
  await requireServer("DATABASE_URL", database.url);
  await requirePreparedStatements("DATABASE_READ_URL", database.url);
  await requireServer("DATABASE_URL", "postgres://me@127.0.0.1:9/nowhere");
});

describe("PgBouncer", () => {
  const NAME = "is recognized, and its reader says what is missing";
  if (version === undefined) {
    skip(NAME, "there is no pgbouncer here (set PGBOUNCER)");
    return;
  }
  const keeps = Number(version) >= KEEPS_STATEMENTS;

  async function problems(lines: readonly string[]): Promise<readonly (string | undefined)[]> {
    const pooler = await Pooler.start(database.url, lines);
    const messageOf = (error: unknown) => {
      expect(error).toBeInstanceOf(UsageError);
      return (error as Error).message;
    };
    try {
      return [
        await requireServer("DATABASE_URL", pooler.url).then(() => undefined, messageOf),
        await requirePreparedStatements("DATABASE_READ_URL", pooler.url).then(() => undefined, messageOf),
      ];
    } finally {
      pooler.stop();
    }
  }

  test("in session mode is like PostgreSQL", async () => {
    expect(await problems([MODE.session, IGNORE])).toEqual([undefined, undefined]);
  });

  test("that rejects the timeout of statements is named with what to add", async () => {
    const message = /unsupported startup parameter.*: add ignore_startup_parameters = statement_timeout/;
    expect(await problems([MODE.transaction])).toEqual([
      expect.stringMatching(message),
      expect.stringMatching(message),
    ]);
  });

  test("in transaction mode without prepared statements may serve nothing", async () => {
    expect(await problems([MODE.transaction, IGNORE, ...(keeps ? [FORGET] : [])])).toEqual([
      expect.stringMatching(/^DATABASE_URL leads through a pooler in transaction mode/),
      expect.stringMatching(/it needs PgBouncer 1\.21 or later with max_prepared_statements = 200\.$/),
    ]);
  });

  const WORKS = "in transaction mode with prepared statements serves the reads of a gateway";
  if (!keeps) skip(WORKS, `it needs PgBouncer 1.${KEEPS_STATEMENTS}, this is 1.${version}`);
  else
    test(WORKS, async () => {
      const lines = [MODE.transaction, IGNORE, KEEP];
      expect(await problems(lines)).toEqual([expect.stringMatching(/^DATABASE_URL leads/), undefined]);
      let pooler: Pooler | undefined;
      const gateway = await GatewayFixture.start({ blocks: 30, seed: 5 }, async ({ url }) => {
        pooler = await Pooler.start(url, [...lines, "default_pool_size = 3"]);
        return { databaseReadUrl: pooler.url };
      });
      try {
        const paths = ["/blocks", "/blocks/3", "/transactions/confirmed", "/accounts", "/mosaics", "/chain/info"];
        const asked = Array.from({ length: 10 }, () => paths).flat();
        const statuses = await Promise.all(asked.map(async (one) => (await fetch(`${gateway.url}${one}`)).status));
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
        expect(statuses[0]).toBe(200);
      } finally {
        await gateway.close();
        pooler?.stop();
      }
    });
});
