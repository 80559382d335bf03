import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { checkIndex } from "../support/checked-index.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { transferPayload } from "../support/transfers.js";

let devnet: DevnetFixture;
let index: IndexedDatabase;
let backup: IndexedDatabase;

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await writeStateScenario(devnet.devnet);
  index = await IndexedDatabase.create();
  await index.follow(devnet.devnet);
  await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
  backup = await IndexedDatabase.copy(index);
});

afterAll(async () => {
  await backup?.drop();
  await index?.drop();
  await devnet?.stop();
});

test("an indexer on an older database continues from there, and rolls back what the node has dropped meanwhile", async () => {
  const { devnet: node } = devnet;
  const [alice, bob] = node.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
  const { height } = node;
  node.fork({ from: height - 1, blocks: 4 });
  for (let amount = 1n; amount <= 5n; amount++) {
    node.announce(transferPayload(node, alice, bob.address, amount));
    await node.harvest(1);
  }
  await backup.follow(node);
  await backup.waitForHash(node.block(node.height).hash);
  await backup.stop();
  const { found, checked } = await checkIndex({ databaseUrl: backup.url, nodes: [node] });
  expect({ found, blocks: checked.get("blocks") }).toEqual({ found: [], blocks: node.height });
  const { count } = await backup.db
    .selectFrom("events")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("channel", "=", "droppedBlocks")
    .executeTakeFirstOrThrow();
  expect(count).toBe(1);
});
