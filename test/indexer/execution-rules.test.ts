import { expect, test } from "@jest/globals";
import { CLOCK_TOLERANCE_MS } from "../../ledger/header/block-time.js";
import { DevnetFixture } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";

const BLOCKS = 5;

/** A devnet with a few blocks, and an empty index. */
async function within(use: (node: DevnetFixture, index: IndexedDatabase) => Promise<void>): Promise<void> {
  const node = await DevnetFixture.start();
  const index = await IndexedDatabase.create();
  try {
    await node.devnet.harvest(BLOCKS);
    await use(node, index);
  } finally {
    await index.drop();
    await node.stop();
  }
}

test("a block from the future is rejected until its time has come", () =>
  within(async ({ devnet }, index) => {
    const config = await devnetConfig(devnet);
    const { height } = devnet;
    const newest = config.epochAdjustment + devnet.block(height).timestamp;
    let now = newest - CLOCK_TOLERANCE_MS - 10_000;
    const log = new LogLines();
    // Of several nodes, each is asked at another time.
    const nodes = [devnet, { host: "localhost", port: devnet.port }];
    await index.follow(devnet, { execution: { configOf: () => config, now: () => now++ }, log: log.logger, nodes });
    await log.waitFor(/block 2: timestamp is \d+ ms ahead of this machine's clock \(\d{4}-/);
    expect((await index.waitForFailure()).failure).toMatch(
      /^block 2: timestamp is .* All nodes serve the same data: set this machine's clock; /,
    );
    expect((await index.waitFor((head) => head.height > 0)).height).toBe(1);
    now = newest - CLOCK_TOLERANCE_MS;
    await index.waitFor((head) => head.height === height);
  }));
