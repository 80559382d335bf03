import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { blockHash } from "../../catapult/entity/hashes.js";
import { PacketError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { BlockLimits } from "../../catapult/wire/requests.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { FinalizationStage, writeFinalizationProof } from "../../devnet/chain/finalization-proof.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { NodeSource } from "../../indexer/chain/source/node-source.js";
import { DEFAULT_LIMITS } from "../../indexer/limits/indexer-limits.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import type { BranchNode, ServedBlock } from "../support/branch-node.js";
import { type DevnetFixture, signedPayload } from "../support/devnet.js";
import { fillExecuted } from "../support/fill-executed.js";
import { onlyNode } from "../support/index-context.js";
import { SeededRandom } from "../support/seeded-random.js";
import { VotedChain } from "../support/voted-chain.js";

const SEED = "replayed proofs";
const HEIGHT = 25;
/** Of the block with a long message, and of the voted one at the end of its epoch. */
const BAD = 14;
const VOTED = 20;
const EPOCH = 3;

let chain: VotedChain;

beforeAll(async () => {
  chain = await VotedChain.record(SEED, write, [10, VOTED]);
});

afterAll(() => chain?.close());

async function write(fixture: DevnetFixture): Promise<void> {
  const { devnet } = fixture;
  while (devnet.height < HEIGHT) {
    const message = Buffer.alloc(devnet.height + 1 === BAD ? 100 : 1, 1);
    devnet.announce(signedPayload(devnet, fixture.account("alice"), { message }));
    await devnet.harvest(1);
  }
}

/** Without the rule that allows the long message. */
const wrong = (): NetworkConfig => ({ ...chain.right, transfer: { maxMessageSize: 50 } });

/** A proof of the epoch that names the blocks from a height on; the last one may be another than that of the chain. */
function proofOf(from: number, hash = chain.fixture.devnet.block(VOTED).hash): Buffer {
  const hashes = chain.blocks.slice(from - 1, VOTED - 1).map(({ block }) => blockHash(block));
  const voters = [deriveDevnetKeys(SEED)];
  return writeFinalizationProof({ epoch: EPOCH, point: 9, height: VOTED, hash }, [
    { stage: FinalizationStage.prevote, height: from, hashes: [...hashes, hash], voters },
    { stage: FinalizationStage.precommit, height: VOTED, hashes: [hash], voters },
  ]);
}

/** A node with these blocks, and this proof of the epoch. @returns also the requests for blocks above the bad one */
async function serve(blocks: readonly ServedBlock[], proof: Buffer): Promise<{ node: BranchNode; requests: string[] }> {
  const node = await chain.serve(blocks);
  chain.showVotes(node, VOTED);
  const proofs = node.handlers.get(PacketType.finalizationProofAtEpoch)!;
  node.handlers.set(PacketType.finalizationProofAtEpoch, (request, peer) =>
    request.readUInt32LE(0) === EPOCH
      ? { type: PacketType.pullFinalizationProof, payload: proof }
      : proofs(request, peer),
  );
  const requests: string[] = [];
  const pull = node.handlers.get(PacketType.pullBlocks)!;
  node.handlers.set(PacketType.pullBlocks, (request, peer) => {
    const [from, count] = [Number(request.readBigUInt64LE(0)), request.readUInt32LE(8)];
    if (from > BAD) requests.push(`${count} from ${from}`);
    return pull(request, peer);
  });
  return { node, requests };
}

/** Blocks from the bad one on that are linked to each other, and not those of the votes. */
function junkChain(): ServedBlock[] {
  const junk = chain.blocks.map((one) => ({ ...one, block: Buffer.from(one.block) }));
  for (let at = BAD - 1; at < junk.length; ++at) {
    const { block } = junk[at]!;
    blockHash(junk[at - 1]!.block).copy(block, BLOCK.previousBlockHash);
    block.writeUInt8(block.readUInt8(BLOCK.stateHash) ^ 1, BLOCK.stateHash);
  }
  return junk;
}

/** A bad block, and then the headers of the voted chain, with the transactions of each twice. */
function junkBodies(): ServedBlock[] {
  return junkChain().map((one, at) => {
    if (at < BAD) return one;
    const { block } = chain.blocks[at]!;
    const body = block.readUInt16LE(110) ? block.subarray(BLOCK.normalHeaderSize) : Buffer.alloc(0);
    const longer = Buffer.concat([block, body]);
    longer.writeUInt32LE(longer.length, 0);
    return { ...one, block: longer };
  });
}

test.each([
  ["other blocks than the voted ones", junkChain],
  ["the voted headers with other transactions", junkBodies],
])("a node that serves %s below a block that it proves is given up after one of them", async (_name, blocksOf) => {
  const { node, requests } = await serve(blocksOf(), proofOf(VOTED));
  const index = await chain.createIndex();
  await index.follow(node.address, { execution: { configOf: wrong } });
  await index.waitForFailure();
  await index.stop();
  expect(await readIndexPoint(index.db)).toMatchObject({
    height: BAD - 1,
    failure: expect.stringMatching(new RegExp(`^block ${BAD}: `)),
    missingRule: null,
  });
  expect([...new Set(requests)]).toEqual([`1 from ${VOTED}`]);

  requests.length = 0;
  const filled = await chain.createIndex();
  const filling = fillExecuted(filled, wrong(), { nodes: [node.address], to: HEIGHT });
  await expect(filling).rejects.toThrow(/^block \d+: /);
  expect([...new Set(requests)]).toEqual([`1 from ${VOTED}`]);
});

test.each(
  new SeededRandom().sample(
    [
      ["above", BAD + 3],
      ["at", BAD],
      ["below", BAD - 2],
    ] as const,
    1,
  ),
)(
  "votes for a block outside the chain prove its ancestors: they begin %s a block that is rejected",
  async (_, from) => {
    const { node } = await serve(chain.blocks, proofOf(from, Buffer.alloc(32, 7)));
    const index = await chain.createIndex();
    await index.follow(node.address, { execution: { configOf: wrong } });
    await index.waitFor(({ height }) => height === HEIGHT);
    await index.stop();
    expect((await readIndexPoint(index.db)).missingRule).toMatch(new RegExp(`^block ${BAD}: `));

    // An indexer that is far below its node fills: the blocks are older than those with events.
    const far = await chain.createIndex();
    const now = () => Date.now() + 3 * 24 * 3_600_000;
    await far.follow(node.address, { execution: { configOf: wrong, now }, limits: { eventBlocks: 5 } });
    await far.waitFor(({ height }) => height === HEIGHT);
    await far.stop();
    expect((await readIndexPoint(far.db)).missingRule).toMatch(new RegExp(`^block ${BAD}: `));
    const emitted = far.db.selectFrom("events").select("height").where("channel", "=", "block").orderBy("sequence");
    expect((await emitted.executeTakeFirst())?.height).toBe(HEIGHT - 4);

    const filled = await chain.createIndex();
    const report = await fillExecuted(filled, wrong(), { nodes: [node.address], to: HEIGHT });
    expect(report?.height).toBe(HEIGHT);
    expect((await readIndexPoint(filled.db)).missingRule).toMatch(new RegExp(`^block ${BAD}: `));
  },
);

/** A node that answers each request with `answer`, and what it was asked for. */
function sourceOf(answer: (from: number, limits: BlockLimits) => readonly Buffer[]) {
  const asked: BlockLimits[] = [];
  const state = { answered: 0 };
  const blocks = async (from: number, limits: BlockLimits) => {
    asked.push(limits);
    const found = answer(from, limits);
    state.answered += found.length;
    return found;
  };
  const node = { blocks, close: async () => undefined } as unknown as NodeClient;
  return {
    source: new NodeSource(onlyNode(node), DEFAULT_LIMITS),
    asked,
    state,
  };
}

test("a node that sends its blocks one by one has eight of them kept, not eight ranges", async () => {
  const { source, state } = sourceOf(() => [Buffer.alloc(8)]);
  let taken = 0;
  let kept = 0;
  for await (const some of source.read(1, 2_000)) {
    await new Promise((resolve) => setImmediate(resolve));
    kept = Math.max(kept, state.answered - taken);
    taken += some.length;
  }
  expect(taken).toBe(2_000);
  expect(kept).toBeLessThanOrEqual(9);
});

test("a block that is larger than several may be is requested alone, and nothing ahead of it", async () => {
  const large = 7;
  const answer = (from: number, { maxBlocks, maxAnswerSize }: BlockLimits) => {
    if (from === large && maxAnswerSize !== undefined) throw new PacketError("node:1", 2 ** 24, maxAnswerSize);
    return Array.from({ length: Math.min(maxBlocks, from < large ? large - from : 42) }, () => Buffer.alloc(8));
  };
  const { source, asked } = sourceOf(answer);
  const read = async (from: number) => {
    let taken = from;
    for await (const some of source.read(from, 60)) taken += some.length;
    return taken;
  };
  await expect(read(1)).rejects.toThrow("the limit of");
  asked.length = 0;
  expect(await read(large)).toBe(61);
  expect(asked[0]).toEqual({ maxBlocks: 1, maxBytes: expect.any(Number) });
  expect(asked.map(({ maxBlocks }) => maxBlocks)).toEqual(expect.arrayContaining([1, 2]));
});
