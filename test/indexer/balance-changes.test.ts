import { afterEach, beforeEach, expect, test } from "@jest/globals";
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

const caughtUp = () => index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);

/** Accounts whose balance differs from the sum over the blocks. */
async function wrongSums(): Promise<unknown[]> {
  const sums = await index.db
    .selectFrom("balance_changes as c")
    .innerJoin("keys as m", "m.id", "c.mosaic")
    .innerJoin("keys as a", "a.id", "c.account")
    .select(["m.key as mosaic_id", "a.key as address"])
    .select((q) => q.fn.sum<string>("c.change").as("amount"))
    .groupBy(["m.key", "a.key"])
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
