import { execFile } from "node:child_process";
import { appendFile, chmod, chown, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type EmbeddedPostgres, startPostgres } from "../../cli/postgres/embedded-postgres.js";
import type { Gateway } from "../../gateway/server.js";
import { type Indexer, startIndexer } from "../../indexer/indexer.js";
import { migrateToLatest } from "../../migrations/migrate.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { knownExecution } from "../support/known-networks.js";
import { startTestGateway } from "../support/test-gateway.js";
import { transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const settings = { fsync: "off", shared_buffers: "32MB", max_wal_size: "64MB" };

let folder: string;
let devnet: DevnetFixture;
let primary: EmbeddedPostgres;
let replica: EmbeddedPostgres;
let indexer: Indexer;
let gateway: Gateway;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-replica-"));
  // As root, the server runs as another user, who must be able to reach its data.
  await chmod(folder, 0o755);
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(5);
  const place = (name: string) => path.join(folder, name);
  primary = await startPostgres({
    dataDirectory: place("primary"),
    log: silentLog,
    settings,
    temporary: true,
  });
  await migrateToLatest(primary.connectionString);
  await copyWhileItRuns(primary, place("primary"), place("replica"));
  replica = await startPostgres({
    dataDirectory: place("replica"),
    log: silentLog,
    settings,
    temporary: true,
  });
  indexer = await startIndexer({
    databaseUrl: primary.connectionString,
    nodes: [devnet.devnet],
    credentials: clientCredentials,
    log: silentLog,
    execution: knownExecution,
    limits: { pollMs: 50 },
  });
  gateway = await startTestGateway({
    databaseUrl: primary.connectionString,
    databaseReadUrl: replica.connectionString,
    nodes: [devnet.devnet],
    resourcesDirectory: devnet.devnet.resourcesDirectory,
  });
});

afterAll(async () => {
  await gateway?.stop();
  await indexer?.stop();
  await replica?.stop();
  await primary?.stop();
  await devnet?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A standby server: created like any backup, with tools of the operating system. */
async function copyWhileItRuns(server: EmbeddedPostgres, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.connectionString });
  await client.connect();
  try {
    await client.query("select pg_backup_start('a replica', true)");
    const source = await realpath(from);
    await promisify(execFile)("cp", ["-a", source, to]);
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
    const cluster = path.join(to, "cluster");
    await rm(path.join(cluster, "postmaster.pid"), { force: true });
    await writeFile(path.join(cluster, "backup_label"), rows[0]?.labelfile ?? "");
    await writeFile(path.join(cluster, "standby.signal"), "");
    const { port, username, password } = new URL(server.connectionString);
    const connection = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    await appendFile(path.join(cluster, "postgresql.auto.conf"), `\nprimary_conninfo = '${connection}'\n`);
    const { uid, gid } = await stat(cluster);
    for (const name of ["backup_label", "standby.signal"]) await chown(path.join(cluster, name), uid, gid);
  } finally {
    await client.end();
  }
}

/** Sequence of the newest event of the primary. */
async function newestEvent(): Promise<number> {
  const client = new pg.Client({ connectionString: primary.connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ newest: number }>("select event_sequence::int4 as newest from head");
    return rows[0]!.newest;
  } finally {
    await client.end();
  }
}

const url = () => `http://127.0.0.1:${gateway.port}`;
const get = async (path: string) => fetch(`${url()}${path}`);

test("a gateway reads from a replica: clients find a reported block there, also while the primary is away", async () => {
  const [alice, bob] = devnet.devnet.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
  const ready = async () => ((await (await get("/ready")).json()) as { height: string }).height;
  await until(async () => (await ready()) === String(devnet.devnet.height), "the replica has everything");
  const client = await TestClient.connect(`${url().replace("http", "ws")}/ws`);
  const found: number[] = [];
  client.socket.on("message", (data) => {
    const { topic, data: event } = JSON.parse(data.toString());
    if (topic !== "confirmedAdded") return;
    void get(`/transactions/confirmed/${event.meta.hash}`).then(({ status }) => found.push(status));
  });
  // From the next event on: whether a subscription is open is not observable.
  client.resume((await newestEvent()) + 1, "block", "confirmedAdded");
  for (let amount = 1n; amount <= 10n; amount++) {
    devnet.devnet.announce(transferPayload(devnet.devnet, alice, bob.address, amount));
    await devnet.devnet.harvest(1);
  }
  await until(() => found.length === 10, "the transfers are reported and found");
  expect(found.filter((status) => status !== 200)).toEqual([]);

  // Announcing writes to the primary.
  const payload = transferPayload(devnet.devnet, alice, bob.address, 99n).toString("hex").toUpperCase();
  const announce = () =>
    fetch(`${url()}/transactions`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ payload }),
    });
  expect((await announce()).status).toBe(202);

  const { height } = devnet.devnet;
  await until(async () => (await ready()) === String(height), "the replica has everything again");
  await indexer.stop();
  await primary.stop();
  expect((await get(`/blocks/${height}`)).status).toBe(200);
  expect((await get("/accounts?pageSize=10")).status).toBe(200);
  expect((await announce()).status).toBe(503);
  expect(client.closed).toBeUndefined();
});
