import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { classifyDatabaseFailure } from "../../database/outage.js";
import { migrateToLatest } from "../../migrations/migrate.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import { until } from "../support/until.js";

const ROLE = "symbol";
const DATABASE = "symbol";

let postgres: EmbeddedPostgres;
let admin: pg.Client;
let devnet: DevnetFixture;
let url: string;
const programs: TestProcess[] = [];
const folder = temporaryFolder(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  await devnet.stop();
  await admin.end();
  await postgres.stop();
});

beforeAll(async () => {
  postgres = await startPostgres({
    dataDirectory: path.join(folder, "postgres"),
    log: silentLog,
    settings: throwawaySettings,
    temporary: true,
  });
  admin = new pg.Client({ connectionString: postgres.connectionString });
  await admin.connect();
  await admin.query(`create role ${ROLE} login password 'right'`);
  await admin.query(`create database ${DATABASE} owner ${ROLE}`);
  const own = Object.assign(new URL(postgres.connectionString), { username: ROLE, password: "right" });
  own.pathname = `/${DATABASE}`;
  url = own.href;
  await migrateToLatest(url);
  devnet = await DevnetFixture.start({ seed: "rejecting database" });
});

const hbaFile = () => path.join(folder, "postgres", "cluster", "pg_hba.conf");

async function rewriteHba(change: (text: string) => string): Promise<void> {
  writeFileSync(hbaFile(), change(readFileSync(hbaFile(), "utf8")));
  await admin.query("select pg_reload_conf()");
}

const REJECTED = `host all ${ROLE} all reject\n`;

/** Ways in which a server rejects a role for a while, and how each ends. */
const REJECTIONS: readonly (readonly [what: string, begin: () => Promise<unknown>, end: () => Promise<unknown>])[] = [
  [
    "another password",
    () => admin.query(`alter role ${ROLE} password 'other'`),
    () => admin.query(`alter role ${ROLE} password 'right'`),
  ],
  [
    "a rule of pg_hba.conf",
    () => rewriteHba((text) => REJECTED + text),
    () => rewriteHba((text) => text.replace(REJECTED, "")),
  ],
  [
    "a role that may not log in",
    () => admin.query(`alter role ${ROLE} nologin`),
    () => admin.query(`alter role ${ROLE} login`),
  ],
  [
    "a database that was renamed",
    async () => {
      await admin.query(`alter role ${ROLE} nologin`);
      await cutConnections();
      await admin.query(`alter database ${DATABASE} rename to renamed`);
      await admin.query(`alter role ${ROLE} login`);
    },
    () => admin.query(`alter database renamed rename to ${DATABASE}`),
  ],
  [
    "a database without the right to connect",
    () => admin.query(`revoke connect on database ${DATABASE} from public, ${ROLE}`),
    () => admin.query(`grant connect on database ${DATABASE} to ${ROLE}`),
  ],
  [
    "a database that accepts no connections",
    () => admin.query(`alter database ${DATABASE} allow_connections false`),
    () => admin.query(`alter database ${DATABASE} allow_connections true`),
  ],
  [
    "no connection left for the role",
    () => admin.query(`alter role ${ROLE} connection limit 0`),
    () => admin.query(`alter role ${ROLE} connection limit -1`),
  ],
];

const cutConnections = () =>
  admin.query("select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1", [ROLE]);

async function connect(): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end();
  }
}

/** @param begin returns when the role is rejected: a reload takes a moment */
async function whileRejected(
  [, begin, end]: (typeof REJECTIONS)[number],
  work: (error: unknown) => Promise<void>,
): Promise<void> {
  await cutConnections();
  await begin();
  await cutConnections();
  try {
    let error: unknown;
    await until(async () => {
      error = await connect();
      return error !== undefined;
    }, "the role is rejected");
    await work(error);
  } finally {
    await end();
  }
  await until(async () => (await connect()) === undefined, "the role is accepted");
}

describe("a server that rejects a role by", () => {
  test.each(REJECTIONS)("%s has failed for a while: nothing of ours is wrong", async (...rejection) => {
    await whileRejected(rejection, async (error) => {
      expect(["rejected", "lost"]).toContain(classifyDatabaseFailure(error));
    });
  });
});

const SENTENCE = /"msg":"The database rejects the connection; waiting until it accepts it"/;
const LOST = /"msg":"Database connection lost"/;

describe("programs that have been connected", () => {
  const env = () => ({ DATABASE_URL: url, CATAPULT_NODES: `127.0.0.1:${devnet.devnet.port}`, PORT: "0" });
  let gateway = "";

  beforeAll(async () => {
    const { resourcesDirectory } = devnet.devnet;
    const start = (command: string) => {
      const program = startProcess([command], { env: { ...env(), CATAPULT_RESOURCES: resourcesDirectory } });
      programs.push(program);
      return program;
    };
    await start("indexer").waitFor(/"Following the node"/);
    await start("backfill").waitFor(/Another indexer writes to this database/);
    const [, port] = /"port":(\d+)/.exec(await start("gateway").waitFor(/.*"Listening".*/)) ?? [];
    gateway = `http://127.0.0.1:${port}`;
  });

  test("wait while it rejects them, say so in one line, and continue", async () => {
    const errorsOf = ({ output }: TestProcess) => output.match(/"level":[56]0[^\n]*/g) ?? [];
    for (const rejection of REJECTIONS.filter(([what]) => /password|pg_hba|renamed/.test(what))) {
      await whileRejected(rejection, async () => {
        await until(async () => (await fetch(`${gateway}/chain/info`)).status === 503, "the gateway answers 503");
        await until(
          () => programs.every((program) => errorsOf(program).some((line) => SENTENCE.test(line))),
          "each program says what it waits for",
        );
      });
      await devnet.devnet.harvest(1);
      await until(async () => {
        const answer = await fetch(`${gateway}/chain/info`);
        return answer.ok && Number(((await answer.json()) as { height: string }).height) === devnet.devnet.height;
      }, "the indexer and the gateway continue");
    }
    for (const program of programs) {
      // The backfill may have been the next writer, and filled its range.
      expect(program.exit?.code ?? 0).toBe(0);
      const lines = errorsOf(program);
      expect(lines.filter((line) => !SENTENCE.test(line) && !LOST.test(line))).toEqual([]);
      expect(lines.filter((line) => SENTENCE.test(line)).length).toBeLessThanOrEqual(REJECTIONS.length);
    }
  });
});
