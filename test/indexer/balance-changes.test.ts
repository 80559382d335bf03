import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { differences } from "../support/compare-databases.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";

let devnet: DevnetFixture;
let index: IndexedDatabase;

beforeEach(async () => {
  devnet = await DevnetFixture.start();
  await transferInBlocks(6);
  index = await IndexedDatabase.create();
  await index.follow(devnet.devnet);
  await caughtUp();
});

afterEach(async () => {
  await index.drop();
  await devnet.stop();
});

async function transferInBlocks(blocks: number): Promise<void> {
  const [alice, bob] = devnet.devnet.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
  for (let i = 0; i < blocks; i++) {
    devnet.devnet.announce(transferPayload(devnet.devnet, alice, bob.address, BigInt(devnet.devnet.height)));
    if (i % 2 === 0) devnet.devnet.announce(aggregatePayload(devnet.devnet, bob, alice, 3n));
    await devnet.devnet.harvest(1);
  }
}

const caughtUp = () => index.waitForState(devnet.devnet.block(devnet.devnet.height).hash);

/** Accounts whose balance differs from the sum over the blocks. */
async function wrongSums(): Promise<unknown[]> {
  const sums = await index.db
    .selectFrom("balance_changes")
    .select(["mosaic_id", "address"])
    .select((q) => q.fn.sum<string>("change").as("amount"))
    .groupBy(["mosaic_id", "address"])
    .execute();
  const balances = await index.db
    .selectFrom("account_balances as b")
    .innerJoin("accounts as a", "a.id", "b.id")
    .select(["b.mosaic_id", "a.address", "b.amount"])
    .execute();
  const text = (rows: readonly { mosaic_id: Buffer; address: Buffer; amount: string }[]) =>
    rows
      .filter(({ amount }) => amount !== "0")
      .map(({ mosaic_id, address, amount }) => `${mosaic_id.toString("hex")} ${address.toString("hex")} ${amount}`)
      .toSorted();
  expect(balances.length).toBeGreaterThan(3);
  return text(sums).filter((line, i) => line !== text(balances)[i]);
}

test("changes of balances add up to the balances, also after a switch of branch", async () => {
  expect(await wrongSums()).toEqual([]);
  devnet.devnet.fork({ from: devnet.devnet.height - 4, blocks: 5 });
  await transferInBlocks(2);
  await caughtUp();
  expect(await wrongSums()).toEqual([]);
});

test("an older database gets them from its stored bytes", async () => {
  await index.stop();
  await index.db.deleteFrom("balance_changes").execute();
  await transferInBlocks(2);
  await index.follow(devnet.devnet);
  await caughtUp();
  expect(await wrongSums()).toEqual([]);

  // One that was stopped in the middle of it.
  await index.stop();
  await index.db.deleteFrom("balance_changes").where("height", "<", 5).execute();
  await index.follow(devnet.devnet);
  await transferInBlocks(1);
  await caughtUp();
  expect(await wrongSums()).toEqual([]);
  const fresh = await IndexedDatabase.create();
  try {
    await fresh.follow(devnet.devnet);
    await fresh.waitForState(devnet.devnet.block(devnet.devnet.height).hash);
    expect(await differences(index.url, fresh.url)).toEqual([]);
  } finally {
    await fresh.drop();
  }
});
