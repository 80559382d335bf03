import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { backfill } from "../../indexer/backfill.js";
import { checkIndex } from "../support/checked-index.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { knownExecution } from "../support/known-networks.js";
import { writeStateScenario } from "../support/state-scenario.js";

let devnet: DevnetFixture;

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await writeStateScenario(devnet.devnet);
});
afterAll(async () => {
  await devnet?.stop();
});

/** Follows the devnet until blocks and state are complete. */
async function follow(index: IndexedDatabase): Promise<void> {
  await index.follow({ host: "127.0.0.1", port: devnet.devnet.port });
  const { height } = await devnet.client.chainStatistics();
  const [hash] = await devnet.client.blockHashes(height, 1);
  await index.waitForHash(hash as Buffer);
  await index.stop();
}

function fill(index: IndexedDatabase, source: "node" | "raw") {
  return backfill(
    {
      databaseUrl: index.url,
      source,
      nodes: [{ host: "127.0.0.1", port: devnet.devnet.port }],
      credentials: clientCredentials,
      log: silentLog,
      execution: knownExecution,
      jobs: 2,
      verify: "full",
    },
    new AbortController().signal,
  );
}

test("a devnet's chain with every kind of state: filled, checked, filled again from its bytes, and followed", async () => {
  const [followed, filled] = [await IndexedDatabase.create(), await IndexedDatabase.create()];
  try {
    await follow(followed);
    await fill(filled, "node");
    expect(await differences(followed.url, filled.url)).toEqual([]);
    const { found } = await checkIndex({
      databaseUrl: filled.url,
      nodes: [{ host: "127.0.0.1", port: devnet.devnet.port }],
    });
    expect(found).toEqual([]);
    await fill(filled, "raw");
    expect(await differences(followed.url, filled.url)).toEqual([]);
  } finally {
    await followed.drop();
    await filled.drop();
  }
});
