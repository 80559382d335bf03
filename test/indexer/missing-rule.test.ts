import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { differences } from "../support/compare-databases.js";
import { type DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { fillExecuted } from "../support/fill-executed.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";
import { isFinalAt, proofBy, VotedChain } from "../support/voted-chain.js";

const HEIGHT = 33;
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** Rules of ours that reject what the network accepts, and the failures that they cause. */
const CHANGES: readonly { readonly rule: string; readonly change: (config: NetworkConfig) => NetworkConfig }[] = [
  { rule: "Failure_Transfer_Message_Too_Large", change: (c) => ({ ...c, transfer: { maxMessageSize: 50 } }) },
  { rule: "Failure_Core_Future_Deadline", change: (c) => ({ ...c, maxTransactionLifetime: 7_500_000 }) },
  {
    rule: "Failure_Aggregate_Too_Many_Transactions",
    change: (c) => ({ ...c, aggregate: { ...c.aggregate, maxTransactions: 2 } }),
  },
  {
    rule: "Failure_LockHash_Invalid_Mosaic_Amount",
    change: (c) => ({ ...c, hashLock: { ...c.hashLock, lockedFundsPerAggregate: 1n } }),
  },
  {
    rule: "Failure_LockHash_Invalid_Duration",
    change: (c) => ({ ...c, hashLock: { ...c.hashLock, maxDuration: 50n } }),
  },
  { rule: "Failure_Core_Too_Many_Transactions", change: (c) => ({ ...c, maxTransactionsPerBlock: 3 }) },
  { rule: "difficulty", change: (c) => ({ ...c, maxDifficultyBlocks: 7 }) },
];

let chain: VotedChain;
let aggregateHeight: number;
let reference: IndexedDatabase;

beforeAll(async () => {
  chain = await VotedChain.record("missing rule", write, [10, 20, 30, HEIGHT]);
});

afterAll(() => chain.close());

async function write(fixture: DevnetFixture): Promise<void> {
  const { devnet } = fixture;
  const [alice, bob] = ["alice", "bob"].map((name) => fixture.account(name)) as [never, never];
  const harvest = async (...transactions: Buffer[]) => {
    for (const bytes of transactions) devnet.announce(bytes);
    await devnet.harvest(1);
  };
  while (devnet.height < 12) await harvest(signedPayload(devnet, alice, { amount: 1n }));
  await harvest(signedPayload(devnet, alice, { message: Buffer.alloc(100, 1) }));
  await harvest(signedPayload(devnet, bob, { deadlineSeconds: 10_000 }));
  const embedded = [alice, bob, bob].map((signer) => ({ signer, fields: {} }));
  await harvest(signedAggregate(devnet, alice, { embedded, cosigners: [bob] }));
  aggregateHeight = devnet.height;
  expect((await fixture.client.blocks(aggregateHeight, { maxBlocks: 1, maxBytes: 1 }))[0]!.length).toBeGreaterThan(700);
  await harvest(signedPayload(devnet, bob, { hashLock: Buffer.alloc(32, 5) }));
  await harvest(...[1n, 2n, 3n, 4n].map((amount) => signedPayload(devnet, alice, { amount })));
  while (devnet.height < HEIGHT) await harvest(signedPayload(devnet, bob, { amount: 2n }));
}

/** Five of the changes, by the seed. */
function drawn(seed: number) {
  const five = new SeededRandom(seed).some(CHANGES, 5);
  process.stderr.write(`rules that are wrong (TEST_SEED=${seed}): ${five.map(({ rule }) => rule).join(", ")}\n`);
  return {
    rules: five.map(({ rule }) => rule),
    config: five.reduce((config, { change }) => change(config), chain.right),
  };
}

/** The sentence about a block of which one of these rules is wrong. */
function firstOf(rules: readonly string[], height?: number): RegExp {
  return new RegExp(`^block ${height ?? "\\d+"}: .*(${rules.join("|")})`);
}

/** Why the first block was rejected; null if none was. */
async function missingRule({ db }: IndexedDatabase): Promise<string | null> {
  return (await readIndexPoint(db)).missingRule;
}

/** How two databases differ, but for what one says of its rules. */
async function otherThan(index: IndexedDatabase): Promise<string[]> {
  return (await differences(reference.url, index.url)).filter((one) => !one.includes("missing_rule"));
}

/** Waits until the index has failed three times more. */
async function isTriedAgain(log: LogLines): Promise<void> {
  const failures = () => log.matching(/Following the node failed; trying again/).length;
  const before = failures();
  await until(() => failures() > before + 2, "it is tried again");
}

test("an index without wrong rules says nothing", async () => {
  const node = await chain.serve(chain.blocks);
  chain.showVotes(node, HEIGHT);
  reference = await chain.reference(node, HEIGHT);
  expect(await missingRule(reference)).toBeNull();
});

test.each([SEED, SEED + 1])(
  "following waits for votes, then continues to the tip and names what it lacks: %i",
  async (seed) => {
    const { rules, config } = drawn(seed);
    const node = await chain.serve(chain.blocks);
    const index = await chain.createIndex();
    const log = new LogLines();
    await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
    const { height, failure } = await index.waitForFailure();
    expect(failure).toMatch(/^block \d+: /);
    expect(await missingRule(index)).toBeNull();
    expect(height).toBeLessThan(18);

    chain.showVotes(node, HEIGHT);
    await isFinalAt(index, HEIGHT);
    await until(async () => (await readIndexPoint(index.db)).failure === null, "the failure is cleared");
    await index.stop();
    expect(await missingRule(index)).toMatch(firstOf(rules, height + 1));
    const [logged] = log.matching(/Indexed a block that this program rejects/);
    expect(JSON.parse(logged!)).toMatchObject({ height: height + 1, reason: await missingRule(index) });
    expect(await otherThan(index)).toEqual([]);
  },
);

test("filling does not stop, and a better program fills again without it", async () => {
  const { rules, config } = drawn(SEED);
  const node = await chain.serve(chain.blocks);
  chain.showVotes(node, HEIGHT);
  const index = await chain.createIndex();
  const report = await fillExecuted(index, config, { nodes: [node.address], to: HEIGHT });
  expect(report?.height).toBe(HEIGHT);
  const first = await missingRule(index);
  expect(first).toMatch(firstOf(rules));
  const again = await fillExecuted(index, config, { source: "raw" });
  expect(again?.height).toBe(HEIGHT);
  expect(await missingRule(index)).toBe(first);
  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await missingRule(index)).toBeNull();
  expect(await otherThan(index)).toEqual([]);
});

test("a block is followed too if a rule about signatures is wrong", async () => {
  const node = await chain.serve(chain.blocks);
  const index = await chain.createIndex();
  const [transaction] = decodeBlock(
    chain.blocks[aggregateHeight - 1]!.block,
    chain.fixture.devnet.network,
  ).transactions;
  const wrong = Buffer.from(transaction!.bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey));
  const { verify } = crypto;
  try {
    crypto.verify = ((...args: Parameters<typeof verify>) => {
      const [, , , signature, callback] = args;
      if (!wrong.equals(signature as Buffer)) return verify(...args);
      if (callback) callback(null, false);
      return false;
    }) as typeof verify;
    syncBuiltinESMExports();
    await index.follow(node.address, { execution: { configOf: () => chain.right } });
    const { height, failure } = await index.waitForFailure();
    expect(height).toBe(aggregateHeight - 1);
    expect(failure).toContain("signature");
    chain.showVotes(node, HEIGHT);
    await isFinalAt(index, HEIGHT);
    await index.stop();
  } finally {
    crypto.verify = verify;
    syncBuiltinESMExports();
  }
  expect(await missingRule(index)).toMatch(new RegExp(`^block ${aggregateHeight}: transactions\\[0\\]\\.signature `));
  expect(await otherThan(index)).toEqual([]);
});

const flipped = (height: number, offset: (block: Buffer) => number) =>
  chain.blocks.map((one, index) => {
    if (index !== height - 1) return one;
    const block = Buffer.from(one.block);
    const at = offset(block);
    block.writeUInt8(block.readUInt8(at) ^ 1, at);
    return { ...one, block };
  });

test.each<[string, (block: Buffer) => number]>([
  ["the block's signature", () => VERIFIABLE.signature],
  ["its state hash", () => BLOCK.stateHash],
  ["a cosignature, which no hash covers", (block) => block.length - 20],
])("votes prove nothing about a block in which a node changed %s", async (_, offset) => {
  const config = CHANGES.find(({ rule }) => rule === "Failure_Aggregate_Too_Many_Transactions")!.change(chain.right);
  const node = await chain.serve(flipped(aggregateHeight, offset));
  chain.showVotes(node, HEIGHT);
  const index = await chain.createIndex();
  const log = new LogLines();
  await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
  await index.waitFor((head) => head.height === aggregateHeight - 1);
  await index.waitForFailure();
  await isTriedAgain(log);
  const { height, failure } = await readIndexPoint(index.db);
  expect(height).toBe(aggregateHeight - 1);
  expect(failure).toMatch(new RegExp(`^block ${aggregateHeight}: `));
  await index.stop();
});

test("votes of other keys than the voters' prove nothing", async () => {
  const { config } = drawn(SEED);
  const node = await chain.serve(chain.blocks);
  const forged = [10, 20, 30, HEIGHT].map((height, index): [number, Buffer] => {
    const epoch = index + 2;
    return [epoch, proofBy(deriveDevnetKeys("other voters"), { epoch, point: 1, height, hash: node.hashAt(height) })];
  });
  node.showProofs(new Map(forged));
  const index = await chain.createIndex();
  const log = new LogLines();
  await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
  await index.waitForFailure();
  await isTriedAgain(log);
  const { height } = await readIndexPoint(index.db);
  await index.stop();
  expect(height).toBeLessThan(18);
  expect(await missingRule(index)).toBeNull();
});
