import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Devnet, startDevnet } from "../../devnet/devnet.js";
import { differences } from "../support/compare-databases.js";
import { silentLog } from "../support/connection-fixtures.js";
import { devnetExecution } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { OWN_LOCKS } from "../support/own-catalogues.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const quickIndexer = fileURLToPath(new URL("../support/quick-indexer.js", import.meta.url));
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
    await index.waitForHash(tip(devnet).hash);
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
    await index.waitForHash(tip(devnet).hash);

    const fresh = await IndexedDatabase.create();
    try {
      await fresh.follow({ host: "127.0.0.1", port: devnet.port }, { execution: await devnetExecution(devnet) });
      await fresh.waitForHash(tip(devnet).hash);
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

function startIndexerProcess(index: IndexedDatabase, devnet: Devnet, directory: string): TestProcess {
  return startProcess([], {
    script: quickIndexer,
    env: {
      DATABASE_URL: index.url,
      CATAPULT_NODES: `127.0.0.1:${devnet.port}`,
      CATAPULT_TLS_DIR: path.join(directory, "tls"),
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
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
  const held = `select from ${OWN_LOCKS} where relation = $1::regclass and not granted`;
  await until(
    async () => (await client.query(held, [table])).rows.length > 0,
    `a connection wants to write to ${table}`,
  );
  await client.end();
}
