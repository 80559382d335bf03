import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Devnet, startDevnet } from "../../devnet/devnet.js";
import { differences } from "../support/compare-databases.js";
import { silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const BLOCKS_BEFORE = 60;

/** Any table that the last statement of a step before the commit writes to: a lock on it pauses a step in its middle. */
const LOCKED_TABLE = "events";

describe("an indexer that is killed in the middle of a rollback", () => {
  let directory: string;
  let devnet: Devnet;
  let index: IndexedDatabase;
  let indexer: TestProcess;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "symbol-gateway-kill-"));
    devnet = await startDevnet({
      dataDirectory: path.join(directory, "devnet"),
      port: 0,
      blockMs: 1_000,
      seed: "kill",
      log: silentLog,
      autoHarvest: false,
      finalization: { auto: false },
    });
    await harvestWithTransfers(devnet, BLOCKS_BEFORE);
    index = await IndexedDatabase.create();
    indexer = start();
  });

  afterAll(async () => {
    await indexer.kill();
    await index.drop();
    await devnet.stop();
    await rm(directory, { recursive: true });
  });

  const start = () => startIndexerProcess(index, devnet, directory);

  test.each([1, 5, 50])("continues as if nothing had happened: %i blocks dropped", async (depth) => {
    await index.waitForState(tip(devnet).hash);
    const eventsBefore = (await index.waitFor(() => true)).eventSequence;
    const common = devnet.height - depth;

    const release = await holdTable(index.url, LOCKED_TABLE);
    devnet.fork({ from: common, blocks: depth });
    await waitUntilHeld(index.url, LOCKED_TABLE);
    await indexer.kill();
    await release();
    const head = await index.waitFor(() => true);
    expect(head.eventSequence).toBe(eventsBefore);

    indexer = start();
    await index.waitForState(tip(devnet).hash);

    const fresh = await IndexedDatabase.create();
    try {
      await fresh.follow({ host: "127.0.0.1", port: devnet.port });
      await fresh.waitForState(tip(devnet).hash);
      expect(await differences(index.url, fresh.url)).toEqual([]);
    } finally {
      await fresh.drop();
    }
    const dropped = await index.db
      .selectFrom("events")
      .select("height")
      .where("channel", "=", "droppedBlocks")
      .where("sequence", ">", eventsBefore)
      .execute();
    expect(dropped).toEqual([{ height: common }]);
    await harvestWithTransfers(devnet, 3);
  });
});

describe("an indexer that is killed while it reads the state", () => {
  test("continues after the last step, and ends with the same state", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "symbol-gateway-kill-state-"));
    const devnet = await startDevnet({
      dataDirectory: path.join(directory, "devnet"),
      port: 0,
      blockMs: 1_000,
      seed: "kill state",
      log: silentLog,
      autoHarvest: false,
      finalization: { auto: false },
    });
    await harvestWithTransfers(devnet, BLOCKS_BEFORE);
    const [index, fresh] = [await IndexedDatabase.create(), await IndexedDatabase.create()];
    const start = () => startIndexerProcess(index, devnet, directory);
    const release = await holdTable(index.url, "account_balances");
    let indexer = start();
    try {
      await waitUntilHeld(index.url, "account_balances");
      await indexer.kill();
      await release();
      expect(await index.db.selectFrom("accounts").select("id").execute()).toEqual([]);
      // Blocks of earlier steps wait for their state; those of the same step are lost with it.
      const { height } = await index.waitFor(() => true);
      const pending = await index.db.selectFrom("pending_states").select("key").execute();
      expect(pending.length > 0).toBe(height > 0);

      indexer = start();
      await index.waitForState(tip(devnet).hash);
      await fresh.follow({ host: "127.0.0.1", port: devnet.port });
      await fresh.waitForState(tip(devnet).hash);
      expect(await differences(index.url, fresh.url)).toEqual([]);
    } finally {
      await indexer.kill();
      await index.drop();
      await fresh.drop();
      await devnet.stop();
      await rm(directory, { recursive: true });
    }
  });
});

function startIndexerProcess(index: IndexedDatabase, devnet: Devnet, directory: string): TestProcess {
  return startProcess(["indexer"], {
    env: {
      DATABASE_URL: index.url,
      CATAPULT_NODES: `127.0.0.1:${devnet.port}`,
      CATAPULT_TLS_DIR: path.join(directory, "tls"),
      STATE_SOURCE: "node",
      INDEXER_POLL_MS: "20",
      LOG_LEVEL: "warn",
    },
  });
}

async function harvestWithTransfers(devnet: Devnet, blocks: number): Promise<void> {
  const [from, to] = devnet.accounts;
  if (!from || !to) throw new Error("The devnet has too few accounts");
  for (let i = 0; i < blocks; i++) {
    if (i % 3 === 0) devnet.announce(transferPayload(devnet, from, to.address, BigInt(i + 1)));
    if (i % 7 === 0) devnet.announce(aggregatePayload(devnet, from, to, BigInt(i + 1)));
    await devnet.harvest(1);
  }
}

function tip(devnet: Devnet) {
  return devnet.block(devnet.height);
}

/** Locks a table against writers until the returned function is called. */
async function holdTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  await client.query(`lock table ${table} in exclusive mode`);
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

/** Waits until another connection wants the locked table. */
async function waitUntilHeld(url: string, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const held = "select from pg_locks where relation = $1::regclass and not granted";
  await until(
    async () => (await client.query(held, [table])).rows.length > 0,
    `a connection wants to write to ${table}`,
  );
  await client.end();
}
