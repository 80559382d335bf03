import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { readIndexPoint } from "../../database/queries/head.js";
import { Accounts } from "../../ledger/state/accounts.js";
import { MetadataEntries } from "../../ledger/state/metadata.js";
import { inflationAt } from "../../ledger/state/network-config.js";
import { StatementBuilder } from "../../ledger/state/receipts.js";
import { differences } from "../support/compare-databases.js";
import { signedPayload } from "../support/devnet.js";
import { devnetBlocks } from "../support/devnet-execution.js";
import {
  accountOf,
  checked,
  differsSince,
  followedDifferingChain,
  HEIGHT,
  isRightAt,
  MIDDLE,
  toCarol,
} from "../support/differing-chain.js";
import { fillExecuted } from "../support/fill-executed.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { marked, wrongEntries } from "../support/unproven-entries.js";
import { isFinalAt, type VotedChain } from "../support/voted-chain.js";
import { whileReplaced } from "../support/while-replaced.js";

let chain: VotedChain;
let reference: IndexedDatabase;

beforeAll(async () => {
  ({ chain, reference } = await followedDifferingChain());
});

afterAll(() => chain.close());

/** Whether rules are wrong: not while the network's own state is computed in the same process. */
class Wrong {
  now = true;

  not(work: () => void): void {
    this.now = false;
    work();
    this.now = true;
  }
}

const heightsBetween = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test("accounts that were looked up wrongly, and keys that were stored wrongly", async () => {
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  const index = await chain.createIndex();
  const execution = { configOf: () => chain.right };
  const follow = async () => {
    await index.follow(node.address, { execution });
    await isRightAt(index, HEIGHT);
    await index.stop();
  };
  const storingZeros = (update: typeof Accounts.prototype.update) =>
    function (this: Accounts, ...[address, change]: Parameters<typeof update>) {
      const isNone = "vrfPublicKey" in change && change.vrfPublicKey === undefined;
      update.call(this, address, isNone ? { vrfPublicKey: Buffer.alloc(32) } : change);
    };
  await whileReplaced(
    Accounts.prototype,
    "getByKnownPublicKey",
    () => Accounts.prototype.getByPublicKey,
    () => whileReplaced(Accounts.prototype, "update", storingZeros, follow),
  );
  const { newestOverruledCheck, overruledChecks } = await readIndexPoint(index.db);
  expect({ newestOverruledCheck, overruledChecks }).toEqual({
    overruledChecks: 1,
    newestOverruledCheck: expect.stringContaining("Failure_AccountLink_Remote_Account_Ineligible"),
  });
  expect(await marked(index)).toEqual([accountOf(chain, "carol")]);
  expect(await wrongEntries(index, reference, HEIGHT)).toEqual([accountOf(chain, "carol")]);
});

test("a calculation of importances that does not wrap", async () => {
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  const index = await chain.createIndex();
  await whileReplaced(
    BigInt,
    "asUintN",
    (asUintN) => (bits, value) => (bits === 128 ? value : asUintN(bits, value)),
    async () => {
      await index.follow(node.address, { execution: { configOf: () => chain.right } });
      await isRightAt(index, HEIGHT);
      await index.stop();
    },
  );
  const wrong = await wrongEntries(index, reference, HEIGHT);
  expect(await marked(index)).toEqual(wrong);
  expect(wrong).toContain(accountOf(chain, "alice"));
});

test.each([true, false])("the first block differs (filled: %s)", async (isFilled) => {
  const { inflation: steps } = chain.right;
  const changed = [...steps, { height: 1, amount: 5n }, { height: 2, amount: inflationAt(steps, 2) }];
  const config = { ...chain.right, inflation: changed };
  const node = await chain.serve();
  const index = await chain.createIndex();
  if (isFilled) {
    chain.show(node, HEIGHT, MIDDLE);
    expect((await fillExecuted(index, config, { nodes: [node.address], to: HEIGHT }))?.height).toBe(MIDDLE);
    expect(await differsSince(index)).toBe(1);
  }
  chain.show(node, HEIGHT, HEIGHT);
  await index.follow(node.address, { execution: { configOf: () => config } });
  await isRightAt(index, HEIGHT);
  await index.stop();
  const wrong = await wrongEntries(index, reference, HEIGHT);
  expect(await marked(index)).toEqual(wrong);
  expect(wrong).not.toEqual([]);
  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
});

test.each([
  ["addBalanceTransfer", 1],
  ["addInflation", 5],
] as const)("receipts alone that differ (%s): the blocks are indexed, and nothing is marked", async (name, kind) => {
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  const { rows } = await sql<{ height: number }>`
    select distinct statement_id >> 32 as height from receipts where type >> 12 = ${kind} order by height`.execute(
    reference.db,
  );
  const heights = rows.map(({ height }) => height);
  expect(heights).not.toEqual([]);
  const [followed, filled] = [await chain.createIndex(), await chain.createIndex()];
  const log = new LogLines();
  await whileReplaced(
    StatementBuilder.prototype,
    name,
    () => () => undefined,
    async () => {
      await followed.follow(node.address, { execution: { configOf: () => chain.right }, log: log.logger });
      await isFinalAt(followed, HEIGHT);
      await followed.stop();
      await fillExecuted(filled, chain.right, { nodes: [node.address], log: log.logger });
    },
  );
  for (const index of [followed, filled]) {
    const runs = await index.db.selectFrom("differing_blocks").selectAll().orderBy("first_height").execute();
    expect(runs.flatMap(({ first_height, last_height }) => heightsBetween(first_height, last_height))).toEqual(heights);
    expect(new Set(runs.map(({ field }) => field))).toEqual(new Set(["receiptsHash"]));
    expect(await marked(index)).toEqual([]);
    expect(await wrongEntries(index, reference, HEIGHT)).toEqual([]);
    const { unprovenReceipts, stateDiffersSince, overruledChecks } = await readIndexPoint(index.db);
    expect([unprovenReceipts, stateDiffersSince, overruledChecks]).toEqual([heights.length, null, 0]);
    expect(await checked(index)).toEqual([]);
    await fillExecuted(index, chain.right, { source: "raw" });
    expect(await differences(reference.url, index.url)).toEqual([]);
  }
  expect(log.matching(/Indexed blocks although this program computes another hash/).length).toBeGreaterThan(1);
});

test("a mark ends where the network's entry is that of ours again, or gone like ours", async () => {
  const node = await chain.serve();
  const index = await chain.createIndex();
  const wrong = new Wrong();
  const follow = async () => {
    await index.follow(node.address, { execution: { configOf: () => chain.right } });
    for (const height of [45, 46]) {
      wrong.not(() => chain.show(node, height, height));
      await isRightAt(index, height);
      const entries = [accountOf(chain, "alice"), expect.stringMatching(/^metadata /)];
      expect(await marked(index)).toEqual(height === 45 ? entries : []);
    }
    await index.stop();
  };
  const withoutNodeKeys = (update: typeof Accounts.prototype.update) =>
    function (this: Accounts, ...[address, change]: Parameters<typeof update>) {
      update.call(this, address, wrong.now && "nodePublicKey" in change ? {} : change);
    };
  const withoutKey99 = (set: typeof MetadataEntries.prototype.set) =>
    function (this: MetadataEntries, ...[key, value]: Parameters<typeof set>) {
      if (!wrong.now || key.scopedKey !== 99n) set.call(this, key, value);
    };
  await whileReplaced(Accounts.prototype, "update", withoutNodeKeys, () =>
    whileReplaced(MetadataEntries.prototype, "set", withoutKey99, follow),
  );
  await fillExecuted(index, chain.right, { source: "raw" });
  const right = await chain.createIndex();
  await fillExecuted(right, chain.right, { nodes: [node.address] });
  expect(await differences(right.url, index.url)).toEqual([]);
});

test("a mark ends with the block that sets the entry right, and returns if that block is dropped", async () => {
  const node = await chain.serve();
  const index = await chain.createIndex();
  const execution = { configOf: () => chain.right };
  const marks = async () => {
    const { unprovenEntries, newestUnprovenEntries } = await readIndexPoint(index.db);
    return { unprovenEntries, newestUnprovenEntries };
  };
  const isMarked = {
    unprovenEntries: 1,
    newestUnprovenEntries: [expect.stringMatching(/^account .* since block 47$/)],
  };
  const wrong = new Wrong();
  const followTo = async (height: number, finalHeight: number, blocks = chain.blocks) => {
    wrong.not(() => chain.show(node, height, finalHeight, { blocks }));
    await index.waitForHash(node.hashAt(height));
    if (height === finalHeight) await isRightAt(index, height);
  };
  const wrongly = (credit: typeof Accounts.prototype.credit) =>
    function (this: Accounts, ...[address, mosaicId, amount]: Parameters<typeof credit>) {
      const other = amount === 1_001n ? 1_006n : amount === 2_005n ? 2_000n : amount;
      credit.call(this, address, mosaicId, wrong.now ? other : amount);
    };
  await whileReplaced(Accounts.prototype, "credit", wrongly, async () => {
    await index.follow(node.address, { execution });
    await followTo(47, 47);
    expect(await marked(index)).toEqual([accountOf(chain, "carol")]);
    expect(await marks()).toEqual(isMarked);
    // A block that changes other entries is followed without votes.
    await followTo(48, 47);
    expect(await marks()).toEqual(isMarked);
    // One that changes the entry, but not to the network's value.
    await followTo(49, 49);
    expect(await marks()).toEqual(isMarked);
    await followTo(50, 49);
    expect(await marks()).toEqual({ unprovenEntries: 0, newestUnprovenEntries: [] });
    await index.stop();

    const { devnet } = chain.fixture;
    const [alice, bob] = ["alice", "bob"].map((name) => chain.fixture.account(name)) as [never, never];
    const transactions = [
      [signedPayload(devnet, bob, { amount: 2n })],
      [signedPayload(devnet, alice, toCarol(chain.fixture, 2_005n))],
    ];
    wrong.not(() => devnet.fork({ from: 49, blocks: 2, transactions }));
    const forked = await devnetBlocks(chain.fixture);
    await chain.finalize(50);
    await chain.finalize(51);
    await index.follow(node.address, { execution });
    await followTo(50, 49, forked);
    expect(await marks()).toEqual(isMarked);
    await followTo(51, 51, forked);
    expect(await marks()).toEqual({ unprovenEntries: 0, newestUnprovenEntries: [] });
    await index.stop();
  });
  expect(await index.db.selectFrom("unproven_states").selectAll().execute()).toEqual([]);
  expect(await checked(index)).toEqual([]);
});
