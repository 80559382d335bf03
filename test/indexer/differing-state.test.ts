import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { sha3 } from "../../catapult/entity/hashes.js";
import { statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { checkDatabase } from "../../indexer/check/check.js";
import { type Difference, describeDifference } from "../../indexer/check/findings.js";
import { Accounts } from "../../ledger/state/accounts.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetBlocks, devnetConfig } from "../support/devnet-execution.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { nodeInfoOf } from "../support/node-info.js";
import { SeededRandom } from "../support/seeded-random.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { serveWithState } from "../support/state-server.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { marked, wrongEntries } from "../support/unproven-entries.js";
import { until } from "../support/until.js";
import { trustNobody } from "../support/untrusting-node.js";

const GROUPING = 10;
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
/** Height of the first part of the chain: all of it is final. */
const MIDDLE = 40;
const HEIGHT = 44;

const without = (plugin: string) => (config: NetworkConfig) => ({
  ...config,
  plugins: config.plugins.filter((name) => name !== `catapult.plugins.${plugin}`),
});

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

let fixture: DevnetFixture;
let right: NetworkConfig;
let blocks: ServedBlock[];
let reference: IndexedDatabase;
const proofs = new Map<number, Buffer>();
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  fixture = await DevnetFixture.start({ seed: "differing state", rules: { votingSetGrouping: GROUPING } });
  const { devnet } = fixture;
  const [alice, bob] = ["alice", "bob"].map((name) => fixture.account(name)) as [never, never];
  const { parties } = await writeStateScenario(devnet);
  // A remote account that owns something and never signed, and a key that the state does not have.
  const maker = new TransactionMaker(devnet);
  const linked = (type: string, key: Buffer) => ({ type, linkedPublicKey: key.toString("hex"), linkAction: "link" });
  const [carol, remote] = [fixture.account("carol"), parties.at(-1)!.publicKey];
  devnet.announce(maker.transaction(carol, linked("account_key_link_transaction_v1", remote)));
  devnet.announce(maker.transaction(carol, linked("vrf_key_link_transaction_v1", Buffer.alloc(32))));
  await devnet.harvest(1);
  expect(devnet.height).toBeLessThan(20);
  while (devnet.height < HEIGHT) {
    devnet.announce(signedPayload(devnet, devnet.height % 2 ? alice : bob, { amount: 1n }));
    await devnet.harvest(1);
  }
  for (let height = GROUPING; height < HEIGHT; height += GROUPING) devnet.finalize(height);
  devnet.finalize(HEIGHT);
  for (const epoch of [2, 3, 4, 5, 6]) {
    const proof = await fixture.client.finalizationProofAtEpoch(epoch);
    if (proof) proofs.set(epoch, proof);
  }
  blocks = await devnetBlocks(fixture);
  right = await devnetConfig(devnet);
}, 60_000);

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await fixture.stop();
});

async function serve(): Promise<BranchNode> {
  const { network } = fixture.devnet;
  const options = { network, nodeInfo: nodeInfoOf(network), credentials: serverCredentials, log: silentLog };
  const node = await BranchNode.start({ ...options, blocks: blocks.slice(0, 1) });
  trustNobody(node);
  closers.push(() => node.close());
  return node;
}

/** Lets the node have the chain up to `height`, and votes up to `finalHeight`. */
function show(node: BranchNode, height: number, finalHeight: number, trusts = false): void {
  serveWithState(node, blocks.slice(0, height), fixture.devnet.network, right, trusts);
  const epoch = Math.ceil(finalHeight / GROUPING) + 1;
  node.showProofs(new Map([...proofs].filter(([of]) => of <= epoch)));
  node.finalize({ epoch, point: 1, height: finalHeight });
}

async function createIndex(): Promise<IndexedDatabase> {
  const index = await IndexedDatabase.create();
  closers.push(() => index.drop());
  return index;
}

function drawn(seed: number) {
  const five = new SeededRandom(seed).some(EFFECTS, 5);
  process.stderr.write(`effects that are wrong (TEST_SEED=${seed}): ${five.map(({ name }) => name).join(", ")}\n`);
  return five.reduce((config, { change }) => change(config), right);
}

async function open({ db }: IndexedDatabase): Promise<number | undefined> {
  const row = await db.selectFrom("differing_blocks").selectAll().where("roots", "is not", null).executeTakeFirst();
  return row?.first_height;
}

test("an index with the right rules has no marks", async () => {
  const node = await serve();
  show(node, HEIGHT, HEIGHT);
  reference = await createIndex();
  await reference.follow(node.address, { execution: { configOf: () => right } });
  await reference.waitFor((head) => head.height === HEIGHT && head.finalization.height === HEIGHT);
  await reference.stop();
  expect(await marked(reference)).toEqual([]);
  expect(await open(reference)).toBeUndefined();
});

test.each([SEED, SEED + 1])(
  "following continues to the tip, and exactly the wrong entries are marked: %i",
  async (seed) => {
    const config = drawn(seed);
    const node = await serve();
    const index = await createIndex();
    const log = new LogLines();
    const execution = { configOf: () => config };
    // The node's newest block is never final, until the end.
    show(node, 36, 20);
    // Votes prove more blocks than fit into a step.
    await index.follow(node.address, { execution, log: log.logger, maxBlocks: 3 });
    await index.waitFor((head) => head.height === 20 && head.finalization.height === 20);
    await until(async () => log.matching(/Compared the state/).length > 0, "the state is compared");
    expect(await open(index)).toBeLessThanOrEqual(20);
    expect(await marked(index)).toEqual([]);

    // What was found is lost by a restart, and found again.
    await index.stop();
    await index.follow(node.address, { execution, log: log.logger });
    await until(async () => log.matching(/Compared the state/).length > 1, "the state is compared again");
    show(node, HEIGHT, MIDDLE);
    await until(async () => (await marked(index)).length > 0, "entries are marked");
    show(node, HEIGHT, HEIGHT);
    await index.waitFor((head) => head.height === HEIGHT && head.finalization.height === HEIGHT);
    await until(async () => (await open(index)) === undefined, "the state is that of the network");
    await index.stop();
    expect(await marked(index)).toEqual(await wrongEntries(index, reference, HEIGHT));
    expect(log.matching(/The value of an entry is not proven/).length).toBeGreaterThan(0);
    const { unprovenEntries, newestUnprovenEntries } = await readIndexPoint(index.db);
    expect(unprovenEntries).toBe((await marked(index)).length);
    expect(newestUnprovenEntries[0]).toMatch(/^\w+ .* since block \d+$/);
    const found: string[] = [];
    const report = (difference: Difference) => found.push(describeDifference(difference));
    const fixed = { credentials: clientCredentials, log: silentLog, report };
    const checked = await checkDatabase({ ...fixed, databaseUrl: index.url });
    expect(found).toEqual([]);
    expect(checked.left.join()).toContain(`values of ${unprovenEntries} entries, which are not proven`);

    // Loaded again, the state is that of the header.
    await index.follow(node.address, { execution });
    await until(async () => (await open(index)) === undefined, "it is loaded");
    await index.stop();
  },
  60_000,
);

test("filling continues to the newest votes, the indexer repairs what it left, and a better program clears the marks", async () => {
  const config = drawn(SEED);
  const node = await serve();
  show(node, HEIGHT, MIDDLE);
  const index = await createIndex();
  const report = await fillExecuted(index, config, { nodes: [node.address], to: HEIGHT });
  expect(report?.height).toBe(MIDDLE);
  expect(await open(index)).toBeLessThan(20);
  show(node, HEIGHT, HEIGHT);
  await index.follow(node.address, { execution: { configOf: () => config } });
  await index.waitFor((head) => head.height === HEIGHT && head.finalization.height === HEIGHT);
  await until(async () => (await open(index)) === undefined, "the state is that of the network");
  await index.stop();
  expect(await marked(index)).toEqual(await wrongEntries(index, reference, HEIGHT));

  await fillExecuted(index, config, { source: "raw" });
  expect(await open(index)).toBeLessThan(20);
  await fillExecuted(index, right, { source: "raw" });
  expect(await differences(reference.url, index.url)).toEqual([]);
  expect(await marked(index)).toEqual([]);
  expect(await open(index)).toBeUndefined();
  const { rows } = await sql`select * from differing_blocks`.execute(index.db);
  expect(rows).toEqual([]);
}, 60_000);

test("a node that trusts this host gives the values of the entries whose keys are known: they are proven", async () => {
  const config = inflation.change(right);
  const node = await serve();
  show(node, HEIGHT, HEIGHT, true);
  const index = await createIndex();
  await index.follow(node.address, { execution: { configOf: () => config } });
  await index.waitFor((head) => head.height === HEIGHT && head.finalization.height === HEIGHT);
  await until(async () => (await open(index)) === undefined, "the state is that of the network");
  expect(await marked(index)).toEqual([]);
  // The state in memory is loaded again, with these values.
  await index.stop();
  await index.follow(node.address, { execution: { configOf: () => config } });
  await index.waitForWriter();
  await index.stop();
  expect(await wrongEntries(index, reference, HEIGHT)).toEqual([]);
  const { unprovenReceipts } = await readIndexPoint(index.db);
  expect(unprovenReceipts).toBe(HEIGHT - 4);
}, 60_000);

test("accounts that were looked up wrongly, and keys that were stored wrongly", async () => {
  const { getByKnownPublicKey, update } = Accounts.prototype;
  const node = await serve();
  show(node, HEIGHT, HEIGHT);
  const index = await createIndex();
  try {
    Accounts.prototype.getByKnownPublicKey = Accounts.prototype.getByPublicKey;
    Accounts.prototype.update = function (address, change) {
      const isNone = "vrfPublicKey" in change && change.vrfPublicKey === undefined;
      update.call(this, address, isNone ? { vrfPublicKey: Buffer.alloc(32) } : change);
    };
    await index.follow(node.address, { execution: { configOf: () => right } });
    await index.waitFor((head) => head.height === HEIGHT && head.finalization.height === HEIGHT);
    await until(async () => (await open(index)) === undefined, "the state is that of the network");
    await index.stop();
  } finally {
    Object.assign(Accounts.prototype, { getByKnownPublicKey, update });
  }
  const { newestOverruledCheck, overruledChecks } = await readIndexPoint(index.db);
  expect({ newestOverruledCheck, overruledChecks }).toEqual({
    overruledChecks: 1,
    newestOverruledCheck: expect.stringContaining("Failure_AccountLink_Remote_Account_Ineligible"),
  });
  const carol = `account ${sha3(fixture.account("carol").address).toString("hex")}`;
  expect(await marked(index)).toEqual([carol]);
  expect(await wrongEntries(index, reference, HEIGHT)).toEqual([carol]);
}, 60_000);

test("forged paths mark nothing", async () => {
  const config = drawn(SEED);
  const node = await serve();
  show(node, HEIGHT, HEIGHT);
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
  const index = await createIndex();
  const log = new LogLines();
  await index.follow(node.address, { execution: { configOf: () => config }, log: log.logger });
  await index.waitFor((head) => head.height === HEIGHT);
  await until(async () => log.matching(/Compared the state/).length > 0, "the state is compared");
  await index.stop();
  expect(requested).toBeGreaterThan(0);
  expect(await marked(index)).toEqual([]);
  expect(await open(index)).toBeLessThan(20);
}, 60_000);

test("with the option to stop, the index stops at the first such block", async () => {
  const config = drawn(SEED);
  const node = await serve();
  show(node, HEIGHT, HEIGHT);
  const index = await createIndex();
  await index.follow(node.address, { execution: { configOf: () => config, stopsAtUnknownRule: true } });
  const failed = () => index.db.selectFrom("indexer_failures").selectAll().executeTakeFirst();
  await until(async () => (await failed()) !== undefined, "the failure is recorded");
  await index.stop();
  expect(await open(index)).toBeUndefined();
}, 60_000);
