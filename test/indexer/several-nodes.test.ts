import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  createCredentials,
  type NodeCredentials,
  publicKeyOfCredentials,
} from "../../catapult/certificate/certificate.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { blockSigningBytes } from "../../catapult/entity/hashes.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { deriveSigner, type Signer } from "../../devnet/network/signer.js";
import type { ExecutionOptions } from "../../indexer/chain/execution/options.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { serverCredentials } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetBlocks, devnetExecution } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { startTestGateway } from "../support/test-gateway.js";
import { until } from "../support/until.js";
import { proofBy } from "../support/voted-chain.js";

const SEED = "several nodes";
const BAD_HEIGHT = 15;
const HEIGHT = 19;
const DIFFICULTY = 128;
const RECEIPTS_HASH = 280;
const keys = deriveDevnetKeys(SEED);

let honest: DevnetFixture;
let execution: ExecutionOptions;
let blocks: ServedBlock[];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  honest = await DevnetFixture.start({ seed: SEED, rules: { votingSetGrouping: 8 } });
  const { devnet } = honest;
  for (let height = 2; height <= HEIGHT; ++height) {
    devnet.announce(signedPayload(devnet, honest.account("alice"), { amount: BigInt(height) }));
    await devnet.harvest(1);
  }
  devnet.finalize(8);
  blocks = await devnetBlocks(honest);
  execution = await devnetExecution(devnet);
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await honest.stop();
});

async function serve(served: readonly ServedBlock[], credentials = serverCredentials): Promise<BranchNode> {
  const node = await BranchNode.start({ network: honest.devnet.network, credentials, blocks: served });
  closers.push(() => node.close());
  return node;
}

async function createIndex(): Promise<IndexedDatabase> {
  const index = await IndexedDatabase.create();
  closers.push(() => index.drop());
  return index;
}

/** The chain up to a block in which `change` violates one rule, signed again. */
function lyingChain(change: (block: Buffer) => void, signer: Signer = keys.remote): ServedBlock[] {
  const block = Buffer.from(blocks[BAD_HEIGHT - 1]!.block);
  change(block);
  signer.publicKey.copy(block, VERIFIABLE.signerPublicKey);
  signer.sign(blockSigningBytes(block)).copy(block, VERIFIABLE.signature);
  return [...blocks.slice(0, BAD_HEIGHT - 1), { block, statement: Buffer.alloc(0) }];
}

const flip = (offset: number) => (block: Buffer) => void block.writeUInt8(block.readUInt8(offset) ^ 1, offset);
const address = ({ host, port }: { host: string; port: number }) => `${host}:${port}`;

async function highestRow(index: IndexedDatabase): Promise<number> {
  const { height } = await index.db
    .selectFrom("raw_blocks")
    .select((q) => q.fn.max("height").as("height"))
    .executeTakeFirstOrThrow();
  return Number(height);
}

/** Follows a lying node alone, which writes nothing of the bad block, then beside an honest one, which takes over. */
async function expectRejected(lying: BranchNode, expected: Rejection & { readonly highest: number }): Promise<void> {
  const index = await createIndex();
  await index.follow(lying.address, { execution });
  const { failure, height } = await index.waitForFailure();
  expect(failure).toMatch(expected.message);
  expect(failure).toContain("All nodes serve the same data: this program may lack a rule of the network");
  expect([height, await highestRow(index)]).toEqual([expected.highest, expected.highest]);
  await index.stop();
  await expectTakenOver(index, lying, expected);
}

interface Rejection {
  readonly field: string;
  readonly reason: string;
  readonly message: RegExp;
}

async function expectTakenOver(index: IndexedDatabase, lying: BranchNode, expected: Rejection): Promise<void> {
  const log = new LogLines();
  const metrics = new IndexerMetrics("0.0.0");
  await index.follow(lying.address, {
    execution,
    metrics,
    log: log.logger,
    nodes: [lying.address, honest.devnet],
    // On a busy machine, the other node must not be preferred for its score before the block is rejected.
    limits: { compareMs: 60_000 },
  });
  await index.waitForHash(honest.devnet.block(HEIGHT).hash);
  const [line] = log.matching(/Dropped a node that serves invalid data/).map((text) => JSON.parse(text));
  expect(line).toMatchObject({ node: address(lying.address), field: expected.field, droppedForMs: 60_000 });
  expect(line.height).toEqual(expect.any(Number));
  expect(line.reason).toMatch(expected.message);
  expect((await metrics.print()).text).toContain(`symbol_indexer_rejected_data_total{reason="${expected.reason}"} 1`);
  await until(async () => (await readIndexPoint(index.db)).failure === null, "the failure is cleared");
  await index.waitFor(({ finalization }) => finalization.height === 8);
}

test.each([
  ["a wrong state hash", "stateHash", "state", flip(BLOCK.stateHash), keys.remote],
  ["a wrong receipts hash", "receiptsHash", "receipts", flip(RECEIPTS_HASH), keys.remote],
  ["a wrong difficulty", "difficulty", "block", flip(DIFFICULTY), keys.remote],
  ["an ineligible harvester", "signerPublicKey", "block", () => undefined, deriveSigner(SEED, "outsider")],
] as const)(
  "a block with %s is rejected by name, and the next node takes over",
  async (_name, field, reason, change, signer) => {
    const lying = await serve(lyingChain(change, signer));
    const message = new RegExp(`block ${BAD_HEIGHT}: ${field} `);
    await expectRejected(lying, { field, reason, message, highest: BAD_HEIGHT - 1 });
  },
);

test("a forged finalization proof is rejected by name, and the next node takes over", async () => {
  const lying = await serve(blocks);
  const { hash } = honest.devnet.block(8);
  const round = { epoch: 2, point: 1, height: 8, hash };
  lying.finalize(round);
  lying.showProofs(new Map([[2, proofBy(deriveDevnetKeys("forger"), round)]]));
  const message =
    /finalization proof of epoch 2, point 1: messageGroups\[0\]\.signatures\[0\] is by a key that does not/;
  await expectTakenOver(await createIndex(), lying, {
    field: "messageGroups[0].signatures[0]",
    reason: "finalization",
    message,
  });
});

test("of several nodes, the chain with the higher score wins, and stays", async () => {
  const behind = await serve(blocks.slice(0, HEIGHT - 4));
  const ahead = await serve(blocks);
  const index = await createIndex();
  const log = new LogLines();
  const limits = { compareMs: 100 };
  const nodes = [behind.address, ahead.address];
  await index.follow(behind.address, { execution, nodes, limits, log: log.logger });
  const head = await index.waitForHash(ahead.hashAt(HEIGHT));
  expect(
    log.matching(/Another node has a higher score; switching|claims a chain with score|trying another one/),
  ).not.toEqual([]);
  await index.stop();

  // Only a branch with a lower score is reachable: nothing is rolled back for it.
  const { devnet } = honest;
  const lower = await serve([...blocks.slice(0, HEIGHT - 4), ...lyingChain(flip(DIFFICULTY)).slice(-1)]);
  const alone = new LogLines();
  const down = ahead.address;
  await ahead.close();
  await index.follow(lower.address, { execution, nodes: [down, lower.address], log: alone.logger });
  await alone.waitFor(/The node is behind the index|on another branch, whose score is not higher/);
  expect(await index.waitFor(() => true)).toEqual(head);
  expect(devnet.height).toBe(HEIGHT);
});

/** Offset of the amount in a transfer of one mosaic. */
const AMOUNT = 168;

/** Lets a node swallow transfers. @returns their amounts, in order */
function swallowed(node: BranchNode): bigint[] {
  const amounts: bigint[] = [];
  node.handlers.set(PacketType.pushTransactions, (payload) => {
    amounts.push(payload.readBigUInt64LE(AMOUNT));
    return undefined;
  });
  return amounts;
}

/** Amounts of transfers that are announced until a gateway has changed its node. */
const PROBE = 2_000_000n;
const withoutProbes = (amounts: readonly bigint[]) => amounts.filter((amount) => amount < PROBE).sort();

test("an announcement goes to another node at once, and not again to one that has got it, whichever program sends it", async () => {
  const { devnet } = honest;
  const [first, second] = [createCredentials({ commonName: "first" }), createCredentials({ commonName: "second" })];
  const nodes = [await serve(blocks, first), await serve(blocks, second)] as const;
  const [atFirst, atSecond] = [swallowed(nodes[0]), swallowed(nodes[1])];
  const index = await createIndex();
  await index.follow(devnet, { execution });
  await index.waitForHash(devnet.block(HEIGHT).hash);
  await index.stop();
  const gateway = await startTestGateway({
    databaseUrl: index.url,
    nodes: nodes.map(({ address: one }) => one),
    pushesEverything: true,
  });
  closers.push(() => gateway.stop());
  const payloads = new Map<bigint, Buffer>();
  const transferOf = (amount: bigint): Buffer => {
    const payload = payloads.get(amount) ?? signedPayload(devnet, honest.account("alice"), { amount });
    payloads.set(amount, payload);
    return payload;
  };
  const announce = async (amount: bigint) => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/transactions`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ payload: transferOf(amount).toString("hex") }),
    });
    expect(response.status).toBe(202);
  };
  const announcedTo = async (amount: bigint, node: NodeCredentials) => {
    const { hash, bytes, entity } = decodeTransaction(transferOf(amount), devnet.network);
    const announcement = { hash, kind: "transaction", payload: bytes, deadline: Number(entity.deadline) } as const;
    await recordAnnouncement(index.db, announcement, publicKeyOfCredentials(node));
  };
  for (const amount of [1n, 2n, 1n, 3n]) await announce(amount);
  await until(() => atFirst.length >= 3, "the first node gets each");
  expect(atFirst).toEqual([1n, 2n, 3n]);

  await index.follow(nodes[1].address, { execution });
  await until(() => atSecond.length >= 3, "the other node gets all of them, from the indexer");
  await index.stop();
  await nodes[0].close();
  let probe = PROBE;
  await until(async () => {
    await announce(++probe);
    return atSecond.includes(probe);
  }, "the gateway has changed its node");
  for (const amount of [1n, 4n]) await announce(amount);
  await announcedTo(5n, first);
  await index.follow(nodes[1].address, { execution });
  await until(() => atSecond.includes(5n), "the other node gets what went to the first one alone, after a restart");
  await index.stop();
  expect(withoutProbes(atSecond)).toEqual([1n, 2n, 3n, 4n, 5n]);

  const again = await serve(blocks, first);
  const atFirstAgain = swallowed(again);
  await index.follow(again.address, { execution });
  await until(() => atFirstAgain.includes(4n), "the first node gets what went to the other one alone");
  await index.stop();
  await announcedTo(6n, second);
  await index.follow(again.address, { execution });
  await until(() => atFirstAgain.includes(6n), "it gets that after a restart too");
  expect(withoutProbes(atFirstAgain)).toEqual([4n, 6n]);
});
