import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import type { Devnet } from "../../devnet/devnet.js";
import { differences } from "../support/compare-databases.js";
import { DevnetFixture } from "../support/devnet.js";
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
  let node: DevnetFixture;
  let index: IndexedDatabase;
  let indexer: TestProcess;

  beforeAll(async () => {
    node = await DevnetFixture.start({ blockMs: 1_000, seed: "kill" });
    await harvestWithTransfers(node.devnet, BLOCKS_BEFORE);
    index = await IndexedDatabase.create();
    indexer = start();
  });

  afterAll(async () => {
    await indexer.kill();
    await index.drop();
    await node.stop();
  });

  const start = () => startIndexerProcess(index, node);

  test.each([1, 5, 50])("continues as if nothing had happened: %i blocks dropped", async (depth) => {
    const { devnet } = node;
    await index.waitForHash(tip(devnet).hash);
    const common = devnet.height - depth;

    const release = await holdTable(index.url, LOCKED_TABLE);
    const eventsBefore = (await index.waitFor(() => true)).eventSequence;
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
      await fresh.follow(devnet);
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

function startIndexerProcess(index: IndexedDatabase, { devnet, directory }: DevnetFixture): TestProcess {
  return startProcess([], {
    script: quickIndexer,
    env: {
      DATABASE_URL: index.url,
      CATAPULT_NODES: `127.0.0.1:${devnet.port}`,
      CATAPULT_TLS_DIR: path.join(directory, "of-the-indexer"),
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
