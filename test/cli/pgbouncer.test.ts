import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { freePort } from "../support/free-port.js";
import { skip } from "../support/skipped.js";
import { lacking } from "../support/tools.js";
import { until } from "../support/until.js";

const PROGRAM = process.env.PGBOUNCER ?? "pgbouncer";
const [, version] =
  /PgBouncer 1\.(\d+)/.exec(spawnSync(PROGRAM, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];
const KEEPS_STATEMENTS = 21;
/** Those of docs/operations.md. */
const LINES = [
  "pool_mode = transaction",
  "ignore_startup_parameters = statement_timeout",
  "max_prepared_statements = 200",
  "default_pool_size = 3",
];

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

  static async start(databaseUrl: string): Promise<Pooler> {
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
      ...LINES,
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

describe("PgBouncer", () => {
  const NAME = "in transaction mode with prepared statements serves the reads of a gateway";
  if (version === undefined || Number(version) < KEEPS_STATEMENTS) {
    skip(NAME, lacking("pgbouncer"));
    return;
  }
  test(NAME, async () => {
    let pooler: Pooler | undefined;
    const gateway = await GatewayFixture.start(30, async ({ url }) => {
      pooler = await Pooler.start(url);
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
