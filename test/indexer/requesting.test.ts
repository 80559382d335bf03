import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { BlockRejectedError, verifyBlock } from "../../catapult/verify/verify.js";
import { RequestTimeoutError } from "../../catapult/wire/errors.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { readHead } from "../../database/queries/head.js";
import type { BackfillOptions } from "../../indexer/backfill.js";
import { compareBranch } from "../../indexer/chain/follow/branch.js";
import { NodeSource } from "../../indexer/chain/source/node-source.js";
import { hasLeftBranch } from "../../indexer/chain/source/source.js";
import { BlockRange } from "../../indexer/chain/step/block-range.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { RangeLimit } from "../../indexer/chain/step/range-limit.js";
import { RangeWriter } from "../../indexer/chain/write/write.js";
import { DEFAULT_LIMITS } from "../../indexer/limits/indexer-limits.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { fillExecuted } from "../support/fill-executed.js";
import { indexContext, onlyNode } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { LogLines } from "../support/log-lines.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";
import { SlowRelay } from "../support/slow-relay.js";
import { rangeOf } from "../support/write-blocks.js";

type BlockLimits = Parameters<NodeClient["blocks"]>[1];

const BLOCKS = 90;
const MIB = 1024 * 1024;
const recorded = new RecordedChain();
const recording = recordedNode(recorded);
const { network } = recording;

/** Blocks with what the tests need of their headers. */
const withHeaders = (blocks: readonly ServedBlock[]) =>
  blocks.map((served) => {
    const { height, hash, timestamp } = decodeBlock(served.block, network);
    return { ...served, height, hash, timestamp };
  });

const chain = withHeaders(recording.blocks.slice(0, BLOCKS));
/** Blocks that do not follow those of the chain. */
const otherChain = withHeaders(
  chain.map(({ block, statement }) => {
    const other = Buffer.from(block);
    other.writeUInt8(other.readUInt8(BLOCK.previousBlockHash) ^ 1, BLOCK.previousBlockHash);
    return { block: other, statement };
  }),
);
let node: BranchNode;
let client: NodeClient;
let log: LogLines;

beforeEach(async () => {
  node = await BranchNode.start({ ...recording, blocks: chain });
  client = new NodeClient(clientOptions(node.address));
  log = new LogLines();
});

afterEach(async () => {
  await client.close();
  await node.close();
});

const clientOptions = (address: { host: string; port: number }) => ({
  nodes: [address],
  credentials: clientCredentials,
  log: silentLog,
});

const sourceOf = (one: NodeClient) => new NodeSource(onlyNode(one), DEFAULT_LIMITS);

const fill = (index: IndexedDatabase, address: { host: string; port: number }, limits?: BackfillOptions["limits"]) =>
  fillExecuted(index, recordedConfig(recorded), {
    ...{ nodes: [address], log: log.logger, verify: "hashes", limits: { maxRetryMs: 10, ...limits } },
  });

/** Lets the node stay silent if more than `max` blocks are requested at once. @returns their numbers, in order */
function silentBeyond(max: number): number[] {
  const answer = node.handlers.get(PacketType.pullBlocks);
  const requested: number[] = [];
  node.handlers.set(PacketType.pullBlocks, (request, peer) => {
    const blocks = request.readUInt32LE(8);
    requested.push(blocks);
    return blocks > max ? new Promise(() => undefined) : answer?.(request, peer);
  });
  return requested;
}

describe("a range that times out", () => {
  test("is requested again in halves, and doubled once answers arrive in time", async () => {
    const requested: BlockLimits[] = [];
    /** A node's client to which more than ten blocks never come in time. */
    class ImpatientClient extends NodeClient {
      override async blocks(first: number, limits: BlockLimits): Promise<Buffer[]> {
        requested.push(limits);
        if (limits.maxBlocks > 10) throw new RequestTimeoutError("node", PacketType.pullBlocks, 100);
        return super.blocks(first, limits);
      }
    }
    const impatient = new ImpatientClient(clientOptions(node.address));
    const source = sourceOf(impatient);
    for (const _ of [42, 21]) await expect(source.blocks(1, BLOCKS)).rejects.toThrow(RequestTimeoutError);
    expect(await source.blocks(1, BLOCKS)).toHaveLength(10);
    expect(requested).toEqual([
      { maxBlocks: 42, maxBytes: 8 * MIB },
      { maxBlocks: 21, maxBytes: 4 * MIB },
      { maxBlocks: 10, maxBytes: 2 * MIB },
    ]);
    for (let times = 1; times < 20; times++) await source.blocks(1, BLOCKS);
    await expect(source.blocks(1, BLOCKS)).rejects.toThrow(RequestTimeoutError);
    expect(requested.at(-1)).toEqual({ maxBlocks: 20, maxBytes: 4 * MIB });
    await impatient.close();
  });

  test("never becomes less than a block, nor more than the limit", async () => {
    const range = new RangeLimit({ maxBlocks: 3, maxBytes: 100 });
    const late = new RequestTimeoutError("node", 1, 1);
    for (let times = 0; times < 9; times++) await expect(range.request(() => Promise.reject(late))).rejects.toBe(late);
    expect(range.current).toEqual({ maxBlocks: 1, maxBytes: 1 });
    for (let times = 0; times < 200; times++) await range.request(async () => undefined);
    expect(range.current).toEqual({ maxBlocks: 3, maxBytes: 100 });
    await expect(range.request(() => Promise.reject(new Error("another")))).rejects.toThrow("another");
    expect(range.current).toEqual({ maxBlocks: 3, maxBytes: 100 });
  });

  test("counts once if several were pending", async () => {
    const range = new RangeLimit({ maxBlocks: 40, maxBytes: 400 });
    const late = () => Promise.reject(new RequestTimeoutError("node", 1, 1));
    await Promise.allSettled([range.request(late), range.request(late), range.request(late)]);
    expect(range.current).toEqual({ maxBlocks: 20, maxBytes: 200 });
  });
});

describe("over a slow line", () => {
  /** A TLS record of 16 KiB arrives within the timeout, a range of blocks does not. */
  const BYTES_PER_SECOND = 9_000;
  const TIMEOUT_MS = 3_000;
  let relay: SlowRelay;
  let index: IndexedDatabase;

  beforeEach(async () => {
    relay = await new SlowRelay(node.address, BYTES_PER_SECOND).open();
    index = await IndexedDatabase.create();
  });

  afterEach(async () => {
    await index.drop();
    await relay.close();
  });

  test("an indexer gets the chain, although a range takes longer than the timeout", async () => {
    await index.follow(relay.address, { limits: { requestTimeoutMs: TIMEOUT_MS }, log: log.logger });
    await index.waitForHash(chain.at(-1)!.hash);
    await index.stop();
    expect(log.matching(/Following the node failed/)).toEqual([]);
  });

  test("a backfill continues with less after a timeout", async () => {
    const requested = silentBeyond(30);
    await fill(index, relay.address, { requestTimeoutMs: TIMEOUT_MS });
    expect((await readHead(index.db))?.height).toBe(BLOCKS);
    expect(Math.max(...requested.slice(2))).toBeLessThanOrEqual(21);
  });
});

describe("a node that switches branch between two requests", () => {
  const rejection = new BlockRejectedError(11, "previousHash", "does not match the block");

  test("has left the branch of the rejected block, or of the one that it had to follow", async () => {
    const source = sourceOf(client);
    expect(await hasLeftBranch(source, chain[9]!, otherChain[10]!.block, rejection)).toBe(true);
    node.switchTo(otherChain);
    expect(await hasLeftBranch(source, chain[9]!, otherChain[10]!.block, rejection)).toBe(true);
  });

  test("is no error of a backfill: it requests again", async () => {
    const answer = node.handlers.get(PacketType.pullBlocks);
    let races = 1;
    node.handlers.set(PacketType.pullBlocks, (request, peer) => {
      const first = Number(request.readBigUInt64LE());
      if (first === 1 || races-- <= 0) return answer?.(request, peer);
      return Buffer.concat(otherChain.slice(first - 1, first - 1 + request.readUInt32LE(8)).map(({ block }) => block));
    });
    const index = await IndexedDatabase.create();
    await fill(index, node.address);
    expect((await readHead(index.db))?.hash).toEqual(chain.at(-1)?.hash);
    expect(log.matching(/switched to another branch/)).toHaveLength(1);
    expect(log.matching(/"level":(40|50|60)/)).toEqual([]);
    await index.drop();
  });

  test("but not if its block does not follow the previous one of its own chain", async () => {
    const hashes = node.handlers.get(PacketType.blockHashes);
    node.switchTo(otherChain);
    node.handlers.set(PacketType.blockHashes, (request, peer) =>
      Number(request.readBigUInt64LE()) === 10 ? chain[9]!.hash : hashes?.(request, peer),
    );
    expect(await hasLeftBranch(sourceOf(client), chain[9]!, otherChain[10]!.block, rejection)).toBe(false);
  });
});

describe("the head row", () => {
  let index: IndexedDatabase;
  let writer: RangeWriter;
  const verified: VerifiedBlock[] = [];

  beforeEach(async () => {
    index = await IndexedDatabase.create();
    await insertHead(index.db, network);
    for (const { block, statement } of chain.slice(0, 10)) {
      const previous = verified.at(-1);
      verified.push(verifyBlock({ bytes: block, statementBytes: statement, network, ...(previous && { previous }) }));
    }
    writer = new RangeWriter(indexContext(index.db, network));
    await writer.write(await rangeOf(index.db, verified.splice(0)));
  });

  afterEach(() => index.drop());

  const finalize = (epoch: number, point: number, height: number) => {
    const { hash } = chain[height - 1]!;
    const finalization = { epoch, point, height, hash };
    const range = new BlockRange({ height: 10, hash: chain[9]!.hash, timestamp: 0, score: 0n });
    range.finalize(finalization);
    range.emitsEvents = true;
    return writer.write(range);
  };

  test("never drops a finalized block, although a writer has an older one", async () => {
    await finalize(2, 3, 8);
    for (const [epoch, point, height] of [
      [2, 2, 5],
      [1, 9, 9],
      [2, 3, 7],
      [3, 1, 7],
    ] as const) {
      await finalize(epoch, point, height);
    }
    expect((await readHead(index.db))?.finalization).toMatchObject({ epoch: 2, point: 3, height: 8 });
    const rows = await index.db.selectFrom("finalized_blocks").selectAll().execute();
    expect(rows).toMatchObject([{ epoch: 2, point: 3, height: 8 }]);
    const events = await index.db.selectFrom("events").select("channel").execute();
    expect(events).toEqual([{ channel: "finalizedBlock" }]);
    await finalize(3, 1, 8);
    expect((await readHead(index.db))?.finalization).toMatchObject({ epoch: 3, point: 1 });
  });

  test("is on the node's branch after the node returned to it: no block is dropped", async () => {
    const head = await readHead(index.db);
    const hashes = node.handlers.get(PacketType.blockHashes);
    let requests = 0;
    node.handlers.set(PacketType.blockHashes, (request, peer) =>
      requests++ === 0 ? Buffer.alloc(32, 5) : hashes?.(request, peer),
    );
    expect(await compareBranch(index.db, client, head!, BLOCKS)).toEqual({ kind: "same" });
  });
});
