import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { EMBEDDED_READERS, TRANSACTION_READERS } from "../../catapult/entity/transaction-entity.js";
import { statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { TRANSACTION_LAYOUTS } from "../../catapult/structs/transaction-types.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { readDifference, writeDifference } from "../../indexer/chain/state/difference.js";
import { BEFORE_NEMESIS } from "../../indexer/chain/step/chain-position.js";
import { rollBack } from "../../indexer/chain/write/rollback.js";
import { inflationAt, type NetworkConfig } from "../../ledger/config/network-config.js";
import { StatementBuilder } from "../../ledger/rules/receipts.js";
import { MetadataEntries } from "../../ledger/tables/metadata.js";
import { checkIndex } from "../support/checked-index.js";
import { differences } from "../support/compare-databases.js";
import { differsSince, followedDifferingChain, HEIGHT, MIDDLE, without } from "../support/differing-chain.js";
import { fillExecuted } from "../support/fill-executed.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { isFinalAt, type VotedChain } from "../support/voted-chain.js";
import { whileReplaced } from "../support/while-replaced.js";

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
/** An effect of ours that is another than the network's. */
interface Effect {
  readonly name: string;
  readonly change: (config: NetworkConfig) => NetworkConfig;
}

const EFFECTS: readonly Effect[] = [
  { name: "inflation", change: (c) => ({ ...c, inflation: [...c.inflation, { height: 5, amount: 1n }] }) },
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
  ({ chain, reference } = await followedDifferingChain());
});

afterAll(() => chain.close());

function drawn(seed: number) {
  const five = new SeededRandom(seed).some(EFFECTS, 5);
  process.stderr.write(`effects that are wrong (TEST_SEED=${seed}): ${five.map(({ name }) => name).join(", ")}\n`);
  return five.reduce((config, { change }) => change(config), chain.right);
}

test.each([SEED, SEED + 1])(
  "following continues with what votes prove, says since when the state differs, and a better program sets it right: %i",
  async (seed) => {
    const config = drawn(seed);
    const node = await chain.serve();
    const index = await chain.createIndex();
    const log = new LogLines();
    const execution = { configOf: () => config };
    // Votes prove more blocks than fit into a step, and not the newest ones.
    chain.show(node, 36, 20);
    await index.follow(node.address, { execution, log: log.logger, limits: { requestBlocks: 3 } });
    await isFinalAt(index, 20);
    const since = await differsSince(index);
    expect(since).toBeLessThanOrEqual(20);
    await log.waitFor(/Indexed blocks although this program computes another state/);

    // The state is loaded again, and its roots are those that were computed.
    await index.stop();
    await index.follow(node.address, { execution });
    chain.show(node, HEIGHT, MIDDLE);
    await isFinalAt(index, MIDDLE);
    chain.show(node, HEIGHT, HEIGHT);
    await isFinalAt(index, HEIGHT);
    await index.stop();
    expect((await readIndexPoint(index.db)).stateDiffersSince).toBe(since);
    const { found, left } = await checkIndex({ databaseUrl: index.url });
    expect(found).toEqual([]);
    expect(left.join()).toContain("blocks have another state than computed");
    expect(left.join()).toContain(`the state differs since block ${since}`);

    await fillExecuted(index, chain.right, { source: "raw" });
    expect(await differences(reference.url, index.url)).toEqual([]);
    expect((await readIndexPoint(index.db)).stateDiffersSince).toBeNull();
  },
);

test("filling continues to the newest votes, and the indexer from there", async () => {
  const config = drawn(SEED);
  const node = await chain.serve();
  chain.show(node, HEIGHT, MIDDLE);
  const index = await chain.createIndex();
  const report = await fillExecuted(index, config, { nodes: [node.address], to: HEIGHT });
  expect(report?.height).toBe(MIDDLE);
  const since = await differsSince(index);
  expect(since).toBeLessThan(20);
  chain.show(node, HEIGHT, HEIGHT);
  await index.follow(node.address, { execution: { configOf: () => config } });
  await isFinalAt(index, HEIGHT);
  await index.stop();
  expect(await differsSince(index)).toBe(since);

  await fillExecuted(index, config, { source: "raw" });
  expect(await differsSince(index)).toBe(since);
});

test.each([false, true])(
  "the sub-cache that differs is named, if the node's paths have the state hash of the header (forged: %s)",
  async (isForged) => {
    const amount = inflationAt(chain.right.inflation, 20) + 1n;
    const config = { ...chain.right, inflation: [...chain.right.inflation, { height: 21, amount }] };
    const node = await chain.serve();
    chain.show(node, 21, 20);
    let requested = 0;
    for (const kind of STATE_KINDS) {
      const type = statePathPacket(kind);
      const honest = node.handlers.get(type)!;
      node.handlers.set(type, async (request, ...rest) => {
        const path = Buffer.from((await honest(request, ...rest)) as Buffer);
        requested += 1;
        if (isForged && path.length > 0) path.writeUInt8(path.readUInt8(path.length - 1) ^ 1, path.length - 1);
        return path;
      });
    }
    const index = await chain.createIndex();
    const log = new LogLines();
    await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
    const { failure, height } = await index.waitForFailure();
    expect(height).toBe(20);
    expect(requested).toBeGreaterThan(0);
    const named = expect.stringContaining("the roots of account, mosaic differ from the node's");
    expect(failure).toEqual(isForged ? expect.not.stringContaining("the roots of") : named);
    const gateway = await startTestGateway({ databaseUrl: index.url, nodes: [node.address] });
    const ready = await fetch(`http://127.0.0.1:${gateway.port}/ready`);
    const message = `the index cannot continue at height 20: ${failure}`;
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ message })]);
    await gateway.stop();
    const [line] = log.matching(/The result of executing a block differs from its header/);
    expect(JSON.parse(line!)).toMatchObject({ height: 21, kinds: isForged ? [] : ["account", "mosaic"] });
    chain.show(node, 36, 30);
    await isFinalAt(index, 30);
    await index.stop();
    expect(await readIndexPoint(index.db)).toMatchObject({ stateDiffersSince: 21, failure: null });
  },
);

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
  await isFinalAt(index, HEIGHT);
  await index.stop();
  expect(await differsSince(index)).toBe(1);
  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
});

test.each([
  ["addBalanceTransfer", 1],
  ["addInflation", 5],
] as const)("receipts alone that differ (%s): a rule is missing, and the state is right", async (name, kind) => {
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  const { rows } = await sql<{ height: number }>`
    select distinct statement_id >> 32 as height from receipts where type >> 12 = ${kind} order by height`.execute(
    reference.db,
  );
  const heights = rows.map(({ height }) => height);
  expect(heights).not.toEqual([]);
  const [followed, filled] = [await chain.createIndex(), await chain.createIndex()];
  await whileReplaced(
    StatementBuilder.prototype,
    name,
    () => () => undefined,
    async () => {
      await followed.follow(node.address, { execution: { configOf: () => chain.right } });
      await isFinalAt(followed, HEIGHT);
      await followed.stop();
      await fillExecuted(filled, chain.right, { nodes: [node.address] });
    },
  );
  for (const index of [followed, filled]) {
    const missingRule = expect.stringContaining(`block ${heights[0]}: receiptsHash `);
    expect(await readIndexPoint(index.db)).toMatchObject({ stateDiffersSince: null, missingRule });
    const { found, left } = await checkIndex({ databaseUrl: index.url });
    expect(found).toEqual([]);
    expect(left.join()).toContain(`${heights.length} blocks have other receipts than computed`);
    await fillExecuted(index, chain.right, { source: "raw" });
    expect(await differences(reference.url, index.url)).toEqual([]);
  }
});

test("the state is right again where the wrong entry is gone", async () => {
  const node = await chain.serve();
  const index = await chain.createIndex();
  let isWrong = true;
  const show = (height: number) => {
    isWrong = false;
    chain.show(node, height, height);
    isWrong = true;
  };
  const withoutKey99 = (set: typeof MetadataEntries.prototype.set) =>
    function (this: MetadataEntries, ...[key, value]: Parameters<typeof set>) {
      if (!isWrong || key.scopedMetadataKey !== 99n) set.call(this, key, value);
    };
  await whileReplaced(MetadataEntries.prototype, "set", withoutKey99, async () => {
    await index.follow(node.address, { execution: { configOf: () => chain.right } });
    for (const height of [45, 46]) {
      show(height);
      await isFinalAt(index, height);
      expect(await differsSince(index)).toBe(height === 45 ? 45 : undefined);
    }
    // The state is loaded with the roots of the header, and blocks are followed without votes.
    await index.stop();
    await index.follow(node.address, { execution: { configOf: () => chain.right } });
    isWrong = false;
    chain.show(node, 48, 47);
    isWrong = true;
    await index.waitForHash(node.hashAt(48));
    await index.stop();
  });
  const { rows } = await sql`select first_height, last_height, roots from differing_blocks`.execute(index.db);
  expect(rows).toEqual([{ first_height: 45, last_height: 45, roots: null }]);
});

test("a difference is extended, ended, and cut by a roll-back", async () => {
  const { db } = await chain.createIndex();
  const roots = Buffer.alloc(288, 7);
  const nothingFinal = { epoch: 0, point: 0, ...BEFORE_NEMESIS };
  const rollBackTo = (height: number) => db.transaction().execute((trx) => rollBack(trx, nothingFinal, height));
  await writeDifference(db, { differing: [45, 46], difference: { since: 45, roots } }, 46);
  await writeDifference(db, { differing: [47], difference: { since: 45, roots } }, 47);
  expect(await readDifference(db, 47)).toEqual({ since: 45, roots });
  expect(await readDifference(db, 46)).toEqual({ since: 45, roots: undefined });
  await writeDifference(db, { differing: [], difference: { since: undefined, roots } }, 49);
  expect([await readDifference(db, 49), (await readIndexPoint(db)).stateDiffersSince]).toEqual([undefined, null]);

  // The block that set the state right is dropped: the roots of the one before it were not kept.
  await rollBackTo(47);
  expect(await readDifference(db, 47)).toEqual({ since: 45, roots: undefined });
  await rollBackTo(46);
  expect(await readDifference(db, 46)).toEqual({ since: 45, roots: undefined });
  await writeDifference(db, { differing: [47, 48], difference: { since: 45, roots } }, 48);
  expect(await readDifference(db, 48)).toEqual({ since: 45, roots });
  await rollBackTo(44);
  expect(await db.selectFrom("differing_blocks").selectAll().execute()).toEqual([]);
});

/** Types of the chain's transactions that the first block does not have. */
const KINDS = [
  "account_address_restriction",
  "account_metadata",
  "address_alias",
  "hash_lock",
  "mosaic_address_restriction",
  "mosaic_global_restriction",
  "mosaic_metadata",
  "multisig_account_modification",
  "namespace_metadata",
  "secret_lock",
  "secret_proof",
] as const;

/** Runs `work` as if the program did not know these transaction types. */
async function whileUnknown(types: readonly number[], work: () => Promise<void>): Promise<void> {
  const all = [TRANSACTION_READERS, EMBEDDED_READERS].map((readers) => readers as Map<number, unknown>);
  const forgotten = all.flatMap((readers) => types.map((type) => ({ readers, type, reader: readers.get(type) })));
  for (const { readers, type } of forgotten) readers.delete(type);
  try {
    await work();
  } finally {
    for (const { readers, type, reader } of forgotten) if (reader) readers.set(type, reader);
  }
}

test("blocks with transactions of unknown types are followed once votes prove them", async () => {
  const kinds = new SeededRandom().some(KINDS, 4);
  process.stderr.write(`unknown types: ${kinds.join(", ")}\n`);
  const types = kinds.map((kind) => TRANSACTION_LAYOUTS[kind].type);
  const node = await chain.serve();
  const index = await chain.createIndex();
  // In parts that no threads decode: those would know all types.
  for (const height of [MIDDLE, HEIGHT]) {
    chain.show(node, height, height);
    await whileUnknown(types, async () => {
      await index.follow(node.address, { execution: { configOf: () => chain.right } });
      await isFinalAt(index, height);
      await index.stop();
    });
  }
  expect((await readIndexPoint(index.db)).missingRule).toContain("unknown transaction type");
  const unknown = await index.db.selectFrom("unknown_entities").select("type").distinct().execute();
  expect(unknown.map(({ type }) => type).toSorted()).toEqual(types.toSorted());

  await fillExecuted(index, chain.right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
  expect(await readIndexPoint(index.db)).toMatchObject({ missingRule: null, unknownEntities: 0 });
});
