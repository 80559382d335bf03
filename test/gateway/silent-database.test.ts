import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import pg from "pg";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { SilentDatabaseError } from "../../database/binary/silence.js";
import { openConnection, watchedConnections } from "../../database/connection.js";
import { startIndexer } from "../../indexer/indexer.js";
import { compareSchema, migrateToLatest } from "../../migrations/migrate.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase } from "../support/database.js";
import { DatabaseRelay } from "../support/database-relay.js";
import { DevnetFixture } from "../support/devnet.js";
import { knownExecution } from "../support/known-networks.js";
import { OWN_CONNECTIONS, OWN_LOCKS } from "../support/own-catalogues.js";
import { startTestGateway } from "../support/test-gateway.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import { afterOwnTime, pause, until } from "../support/until.js";
import { GatewayFixture, TestLog } from "./gateway-fixture.js";
import { TestClient } from "./websocket-fixture.js";

const STATEMENT_TIMEOUT_MS = 1_500;
/** The promise is `STATEMENT_TIMEOUT_MS` + 1 s; the rest is for the answers themselves. */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 1_000 + 1_500;
const PATHS = [
  "/chain/info",
  "/blocks",
  "/blocks/3",
  "/blocks?pageSize=50",
  "/transactions/confirmed",
  "/statements/transaction",
  "/accounts",
  "/mosaics",
  "/ready",
  "/node/health",
  "/node/storage",
];

/** Missed events, and then a response without end. */
const STREAM = "/events?topic=block&from=1";

/** The lock that Kysely takes while it migrates. */
const MIGRATION_LOCK = "3853314791062309107";

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Get = (path: string, init?: RequestInit) => Promise<Response>;

/** Status of an answer that arrived in time, or the error. */
async function timely(asking: Promise<Response>): Promise<number | string> {
  const tooLate = afterOwnTime(LIMIT_MS).then(() => "no answer in time");
  const answer = asking.then(async (response) => {
    const { code } = (await response.json()) as { code?: string };
    return response.status === 503 && code !== undefined && code !== "ServiceUnavailable" ? code : response.status;
  });
  return Promise.race([answer, tooLate]);
}

/** Every request that needs the database is answered with 503 in time. */
async function expectSilence(get: Get): Promise<void> {
  const asking = async (path: string, init?: RequestInit) => ({ path, status: await timely(get(path, init)) });
  const metrics = get("/metrics").then((response) => response.text());
  const body = JSON.stringify({ query: "{ blocks { data { height } } }" });
  const jsonHeaders = { "content-type": "application/json", accept: "application/json" };
  const lookUp = JSON.stringify({ transactionIds: ["0".repeat(64)] });
  // Each of them also waits for its own gate: a bounded number of them runs per client.
  const lookUps = Array.from({ length: 4 }, () =>
    asking("/transactions/confirmed", { method: "POST", headers: jsonHeaders, body: lookUp }),
  );
  const graphqlErrors = async () => {
    const response = await get("/graphql", { method: "POST", headers: jsonHeaders, body });
    const { errors, code } = (await response.json()) as Partial<GraphqlErrors> & { code?: string };
    // Requests queued before all routes get the answer of REST.
    return errors?.[0]?.extensions.code ?? code;
  };
  const inTime = () => Promise.race([graphqlErrors(), afterOwnTime(LIMIT_MS).then(() => "no answer in time")]);
  const graphql = Promise.all([inTime(), inTime(), inTime()]);
  // More than the pool has connections, and than run for one client; and with entity tags, whose check is shared.
  const first = [...PATHS, ...PATHS, STREAM].map((path) => asking(path)).concat(lookUps);
  await pause(STATEMENT_TIMEOUT_MS / 2);
  const later = PATHS.map((path) => asking(path, { headers: { "if-none-match": '"x"' } }));
  for (const answer of await Promise.all([...first, ...later])) expect(answer).toEqual({ ...answer, status: 503 });
  expect(await metrics).toContain("symbol_gateway_database_up 0");
  for (const answer of await graphql) expect(answer).toBe("ServiceUnavailable");
}

interface GraphqlErrors {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

test("a network that is cut without a reset: 503 in time everywhere, and everything recovers, events too", async () => {
  const way = await new DatabaseRelay(process.env.TEST_POSTGRES_URL as string).open();
  closers.push(() => way.close());
  const gateway = await GatewayFixture.start(20, ({ url }) => ({
    databaseUrl: way.through(url),
    limits: { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  }));
  closers.push(() => gateway.close());
  const client = await TestClient.connect(`${gateway.socketUrl}/ws`);
  await Promise.all(Array.from({ length: 6 }, (_, n) => gateway.get(`/blocks?pageNumber=${n + 1}`)));
  await gateway.log.has("Following events");
  for (let time = 0; time < 3; time++) expect((await gateway.get("/blocks/7")).status).toBe(200);

  const migrating = await migrateBehindLock(gateway.database.url, way.through(gateway.database.url));
  way.fallSilent();
  const sequence = await gateway.events.write({ channel: "block", data: { n: 1 } });
  client.resume(sequence, "block");
  await Promise.all([
    expectSilence((path, init) => fetch(`${gateway.url}${path}`, init)),
    expect(migrating.done).rejects.toThrow(/did not answer|connection error/),
  ]);
  // It was kept, but while the database is silent nothing is.
  expect((await gateway.get("/blocks/7")).status).toBe(503);
  way.speak();
  await until(async () => (await gateway.get("/blocks")).status === 200, "blocks are served again");
  for (const path of PATHS) {
    const { status } = await gateway.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
  }
  // The gateway had all events before it in memory, so that the client waits for it.
  expect((await client.received(1))[0]?.sequence).toBe(sequence);
});

/** Migrates over one path while a lock is held over another. */
async function migrateBehindLock(url: string, way: string): Promise<{ done: Promise<string[]> }> {
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  closers.push(() => other.end());
  await other.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  const done = migrateToLatest(way, watchedConnections(way, 200));
  done.catch(() => undefined);
  const isWaiting = async () =>
    (await other.query(`select from ${OWN_LOCKS} where locktype = 'advisory' and not granted`)).rowCount === 1;
  await until(isWaiting, "the migration waits for the lock");
  return { done };
}

test("a frozen server: 503 in time everywhere; gateway and indexer recover", async () => {
  const folder = await mkdtemp(join(tmpdir(), "symbol-gateway-frozen-"));
  // As root, the server runs as another user, who must be able to reach its data.
  await chmod(folder, 0o755);
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const [node, postgres] = await Promise.all([
    DevnetFixture.start(),
    startPostgres({
      dataDirectory: join(folder, "postgres"),
      log: silentLog,
      settings: throwawaySettings,
      temporary: true,
    }),
  ]);
  closers.push(
    () => postgres.stop(),
    () => node.stop(),
  );
  const { devnet } = node;
  await migrateToLatest(postgres.connectionString);
  const shared = { databaseUrl: postgres.connectionString, nodes: [devnet], credentials: clientCredentials };
  const log = new TestLog();
  const indexer = await startIndexer({
    ...shared,
    execution: knownExecution,
    log: log.logger,
    limits: { pollMs: 50, maxRetryMs: 500, probeAfterMs: 500 },
  });
  closers.push(() => indexer.stop());
  const { resourcesDirectory } = devnet;
  const gateway = await startTestGateway({
    ...shared,
    resourcesDirectory,
    limits: { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  });
  closers.push(() => gateway.stop());
  const get: Get = (path, init) => fetch(`http://127.0.0.1:${gateway.port}${path}`, init);
  const served = async (height: number) => {
    const response = await get(`/blocks/${height}`);
    await response.text();
    return response.status === 200;
  };
  await devnet.harvest(3);
  await until(() => served(devnet.height), "the index has every block");

  const pids = await processesOf(postgres);
  closers.push(() => signalAll(pids, "SIGCONT"));
  signalAll(pids, "SIGSTOP");
  await devnet.harvest(1);
  await Promise.all([
    expectSilence(get),
    expect(compareSchema(postgres.connectionString, 1_000)).rejects.toThrow(/timeout|terminated/),
    log.has("Database connection lost"),
  ]);

  signalAll(pids, "SIGCONT");
  await until(() => served(devnet.height), "the block created meanwhile is served");
});

/** Process ids of the server and of the backends of its connections. */
async function processesOf({ pid, connectionString }: EmbeddedPostgres): Promise<number[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from ${OWN_CONNECTIONS} where backend_type = 'client backend'`,
  );
  await client.end();
  return [pid, ...rows.map((row) => row.pid)];
}

function signalAll(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // It ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

test("a statement without a time limit continues as long as the server responds elsewhere, and fails when it does not", async () => {
  const database = await createMigratedDatabase();
  closers.push(() => database.drop());
  let isAlive = true;
  const silence = { afterMs: 100, isServerAlive: async () => isAlive };
  const connection = await openConnection(database.url, "test", { silence });
  closers.push(() => connection.end());
  expect((await connection.query("select 7 as n, pg_sleep(0.5)")).rows[0].n).toBe(7);
  const sleeping = connection.query("select pg_sleep(60)");
  isAlive = false;
  await expect(sleeping).rejects.toBeInstanceOf(SilentDatabaseError);
  await expect(connection.query("select 1")).rejects.toThrow("not queryable");
});
