import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { readIndexPoint } from "../../database/queries/head.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { differences } from "../support/compare-databases.js";
import {
  checked,
  differingChain,
  differsSince,
  HEIGHT,
  isRightAt,
  MIDDLE,
  without,
} from "../support/differing-chain.js";
import { fillExecuted } from "../support/fill-executed.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { SeededRandom } from "../support/seeded-random.js";
import { marked, wrongEntries } from "../support/unproven-entries.js";
import { until } from "../support/until.js";
import { isFinalAt, type VotedChain } from "../support/voted-chain.js";

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
/** An effect of ours that is another than the network's. */
interface Effect {
  readonly name: string;
  readonly change: (config: NetworkConfig) => NetworkConfig;
}

const inflation: Effect = {
  name: "inflation",
  change: (c) => ({ ...c, inflation: [...c.inflation, { height: 5, amount: 1n }] }),
};

const EFFECTS: readonly Effect[] = [
  inflation,
  { name: "beneficiaries", change: (c) => ({ ...c, harvestBeneficiaryPercentage: 40n }) },
  { name: "no secret locks", change: without("locksecret") },
  {
    name: "rental fees of namespaces",
    change: (c) => ({ ...c, namespace: { ...c.namespace, rootRentalFeePerBlock: 3n } }),
  },
  { name: "rental fees of mosaics", change: (c) => ({ ...c, mosaic: { ...c.mosaic, rentalFee: 7_000n } }) },
  { name: "no metadata", change: without("metadata") },
  { name: "no multisig accounts", change: without("multisig") },
  { name: "no restrictions", change: without("restrictionaccount") },
];

let chain: VotedChain;
let reference: IndexedDatabase;

beforeAll(async () => {
  chain = await differingChain();
});

afterAll(() => chain.close());

function drawn(seed: number) {
  const five = new SeededRandom(seed).some(EFFECTS, 5);
  process.stderr.write(`effects that are wrong (TEST_SEED=${seed}): ${five.map(({ name }) => name).join(", ")}\n`);
  return five.reduce((config, { change }) => change(config), chain.right);
}

test("an index with the right rules has no marks", async () => {
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  reference = await chain.reference(node, HEIGHT);
  expect(await marked(reference)).toEqual([]);
  expect(await differsSince(reference)).toBeUndefined();
});

test.each([SEED, SEED + 1])(
  "following continues to the tip, and exactly the wrong entries are marked: %i",
  async (seed) => {
    const config = drawn(seed);
    const node = await chain.serve();
    const index = await chain.createIndex();
    const log = new LogLines();
    const execution = { configOf: () => config };
    // The node's newest block is never final, until the end.
    chain.show(node, 36, 20);
    // Votes prove more blocks than fit into a step.
    await index.follow(node.address, { execution, log: log.logger, maxBlocks: 3 });
    await isFinalAt(index, 20);
    await until(async () => log.matching(/Compared the state/).length > 0, "the state is compared");
    expect(await differsSince(index)).toBeLessThanOrEqual(20);
    expect(await marked(index)).toEqual([]);

    // What was found is lost by a restart, and found again.
    await index.stop();
    await index.follow(node.address, { execution, log: log.logger });
    await until(async () => log.matching(/Compared the state/).length > 1, "the state is compared again");
    chain.show(node, HEIGHT, MIDDLE);
    await until(async () => (await marked(index)).length > 0, "entries are marked");
    chain.show(node, HEIGHT, HEIGHT);
    await isRightAt(index, HEIGHT);
    await index.stop();
    expect(await marked(index)).toEqual(await wrongEntries(index, reference, HEIGHT));
    expect(log.matching(/The value of an entry is not proven/).length).toBeGreaterThan(0);
    const { unprovenEntries, newestUnprovenEntries } = await readIndexPoint(index.db);
    expect(unprovenEntries).toBe((await marked(index)).length);
    expect(newestUnprovenEntries[0]).toMatch(/^\w+ .* since block \d+$/);
    const left: string[] = [];
    expect(await checked(index, left)).toEqual([]);
    expect(left.join()).toContain(`values of ${unprovenEntries} entries, which are not proven`);

    // Loaded again, the state is that of the header.
    await index.follow(node.address, { execution });
    await until(async () => (await differsSince(index)) === undefined, "it is loaded");
    await index.stop();
  },
);

test("filling continues to the newest votes, the indexer repairs what it left, and a better program clears the marks", async () => {
  const config = drawn(SEED);
  const node = await chain.serve();
  chain.show(node, HEIGHT, MIDDLE);
  const index = await chain.createIndex();
  const report = await fillExecuted(index, config, { nodes: [node.address], to: HEIGHT });
  expect(report?.height).toBe(MIDDLE);
  expect(await differsSince(index)).toBeLessThan(20);
  chain.show(node, HEIGHT, HEIGHT);
  await index.follow(node.address, { execution: { configOf: () => config } });
  await isRightAt(index, HEIGHT);
  await index.stop();
  expect(await marked(index)).toEqual(await wrongEntries(index, reference, HEIGHT));

  await fillExecuted(index, config, { source: "raw" });
  expect(await differsSince(index)).toBeLessThan(20);
  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
  expect(await marked(index)).toEqual([]);
  expect(await differsSince(index)).toBeUndefined();
  const { rows } = await sql`select * from differing_blocks`.execute(index.db);
  expect(rows).toEqual([]);
});

test("a node that trusts this host gives the values of the entries whose keys are known: they are proven", async () => {
  const config = inflation.change(chain.right);
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT, { trusts: true });
  const index = await chain.createIndex();
  await index.follow(node.address, { execution: { configOf: () => config } });
  await isRightAt(index, HEIGHT);
  expect(await marked(index)).toEqual([]);
  // The state in memory is loaded again, with these values.
  await index.stop();
  await index.follow(node.address, { execution: { configOf: () => config } });
  await index.waitForWriter();
  await index.stop();
  expect(await wrongEntries(index, reference, HEIGHT)).toEqual([]);
  const { unprovenReceipts } = await readIndexPoint(index.db);
  expect(unprovenReceipts).toBe(HEIGHT - 4);
});

test("forged paths mark nothing", async () => {
  const config = drawn(SEED);
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  let requested = 0;
  for (const kind of STATE_KINDS) {
    const type = statePackets(kind).path;
    const honest = node.handlers.get(type)!;
    node.handlers.set(type, async (request, ...rest) => {
      const path = (await honest(request, ...rest)) as Buffer;
      requested += 1;
      const forged = Buffer.from(path);
      if (forged.length > 0) forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1);
      return forged;
    });
  }
  const index = await chain.createIndex();
  const log = new LogLines();
  await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
  await index.waitFor((head) => head.height === HEIGHT);
  await until(async () => log.matching(/Compared the state/).length > 0, "the state is compared");
  await index.stop();
  expect(requested).toBeGreaterThan(0);
  expect(await marked(index)).toEqual([]);
  expect(await differsSince(index)).toBeLessThan(20);
});

test.each<[string, (config: NetworkConfig) => NetworkConfig]>([
  ["another state", without("metadata")],
  ["another state of the first block", (c) => ({ ...c, inflation: [{ height: 1, amount: 5n }] })],
])("with the option to stop, following and filling stop at a block with %s", async (_, change) => {
  const execution = { configOf: () => change(chain.right), stopsAtUnknownRule: true };
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  const index = await chain.createIndex();
  await index.follow(node.address, { execution });
  const failed = () => index.db.selectFrom("indexer_failures").select("reason").executeTakeFirst();
  await until(async () => (await failed()) !== undefined, "the failure is recorded");
  await index.stop();
  expect((await failed())?.reason).toMatch(/^block \d+: .*Update it, or set ON_UNKNOWN_RULE=continue$/);
  expect(await differsSince(index)).toBeUndefined();
  const filling = fillExecuted(await chain.createIndex(), chain.right, { nodes: [node.address], execution });
  await expect(filling).rejects.toThrow(/^block \d+: /);
});

test("an index whose state differs goes no further with the option to stop", async () => {
  const config = without("metadata")(chain.right);
  const node = await chain.serve();
  chain.show(node, HEIGHT, MIDDLE);
  const index = await chain.createIndex();
  await fillExecuted(index, config, { nodes: [node.address] });
  const since = await differsSince(index);
  expect(since).toBeLessThan(MIDDLE);
  chain.show(node, HEIGHT, HEIGHT);
  const execution = { configOf: () => config, stopsAtUnknownRule: true };
  await index.follow(node.address, { execution });
  await until(async () => (await readIndexPoint(index.db)).failure !== null, "the failure is recorded");
  await index.stop();
  const { height, failure } = await readIndexPoint(index.db);
  expect(height).toBe(MIDDLE);
  expect(failure).toMatch(
    new RegExp(`^The state differs from that of the network since block ${since}.*ON_UNKNOWN_RULE`),
  );
  const filling = fillExecuted(index, config, { nodes: [node.address], execution });
  await expect(filling).rejects.toThrow(/since block/);
});
