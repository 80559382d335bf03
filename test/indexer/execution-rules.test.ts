import { expect, test } from "@jest/globals";
import { readIndexPoint } from "../../database/queries/head.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import { CLOCK_TOLERANCE_MS } from "../../ledger/header/block-time.js";
import { clientCredentials } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { until } from "../support/until.js";

const BLOCKS = 5;

/** A devnet with a few blocks, and an empty index. */
async function within(
  use: (node: DevnetFixture, index: IndexedDatabase) => Promise<void>,
  options: Parameters<typeof DevnetFixture.start>[0] = {},
): Promise<void> {
  const node = await DevnetFixture.start(options);
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
    const failure = async () => (await readIndexPoint(index.db)).failure;
    await until(async () => (await failure()) !== null, "the failure is recorded");
    expect(await failure()).toMatch(
      /^block 2: timestamp is .* All nodes serve the same data: set this machine's clock; /,
    );
    expect((await index.waitFor((head) => head.height > 0)).height).toBe(1);
    now = newest - CLOCK_TOLERANCE_MS;
    await index.waitFor((head) => head.height === height);
  }));

test("blocks that an index took from a node as final are not final after a rebuild by execution", () =>
  within(
    async ({ devnet }, index) => {
      const config = await devnetConfig(devnet);
      const { height } = devnet;
      devnet.finalize(height - 1);
      await index.follow(devnet);
      await index.waitFor((head) => head.height === height && head.finalization.height === height - 1);
      await index.stop();

      const log = new LogLines();
      const shared = { databaseUrl: index.url, source: "raw", nodes: [], credentials: clientCredentials } as const;
      const rebuild = () =>
        backfill(
          { ...shared, jobs: 1, verify: "hashes", log: log.logger, execution: { configOf: () => config } },
          new AbortController().signal,
        );
      expect(await rebuild()).toMatchObject({ height });
      expect((await index.waitFor(() => true)).finalization.height).toBeLessThan(2);
      await log.waitFor(/Finalization was recorded without proof/);

      await index.follow(devnet, { execution: { configOf: () => config } });
      await index.waitFor((head) => head.finalization.height === height - 1);
      await index.stop();
      expect(await rebuild()).toMatchObject({ height });
      expect((await index.waitFor(() => true)).finalization.height).toBe(height - 1);
    },
    { rules: { votingSetGrouping: 10 } },
  ));
