import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/packet-type.js";
import type { PacketHandler } from "../../devnet/packet-server.js";
import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { describeIfRecorded } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";

const GOOD_BLOCKS = 20;
const BAD_HEIGHT = GOOD_BLOCKS + 5;

describeIfRecorded("a node that sends what does not hold", (chain) => {
  const recording = recordedNode(chain);
  let node: BranchNode;
  let index: IndexedDatabase;
  let log: LogLines;
  let good: Map<number, PacketHandler>;

  beforeAll(async () => {
    const blocks = recording.blocks.slice(0, BAD_HEIGHT + 10);
    node = await BranchNode.start({ ...recording, blocks, credentials: serverCredentials, log: silentLog });
    good = new Map(node.handlers);
  });

  afterAll(() => node.close());

  beforeEach(async () => {
    index = await IndexedDatabase.create();
    log = new LogLines();
  });

  /** Indexes good blocks, then lets the node misbehave, waits for a log line that matches, and looks for traces. */
  async function refused(handlers: [number, PacketHandler][], expected: RegExp): Promise<void> {
    try {
      node.switchTo(recording.blocks.slice(0, GOOD_BLOCKS));
      await index.follow(node.address, { log: log.logger });
      await index.waitFor((head) => head.height === GOOD_BLOCKS);
      for (const [type, handler] of handlers) node.handlers.set(type, handler);
      node.switchTo(recording.blocks.slice(0, BAD_HEIGHT + 10));
      await log.waitFor(expected);
      const head = await index.waitFor(() => true);
      expect(head.height).toBeLessThan(BAD_HEIGHT);
      expect(head.height).toBeGreaterThanOrEqual(GOOD_BLOCKS);
      expect(await heightsOfRows(index)).toEqual([head.height, head.height]);

      for (const [type, handler] of good) node.handlers.set(type, handler);
      const healed = await index.waitFor(({ height }) => height === BAD_HEIGHT + 10);
      expect(healed.hash).toEqual(node.hashAt(BAD_HEIGHT + 10));
    } finally {
      for (const [type, handler] of good) node.handlers.set(type, handler);
      await index.drop();
    }
  }

  const changed = (type: number, change: (answer: Buffer, height: number) => Buffer | { raw: Buffer }) =>
    [
      type,
      async (request: Buffer, peer: Parameters<PacketHandler>[1]) => {
        const answer = (await good.get(type)?.(request, peer)) as Buffer;
        return change(answer, request.length >= 8 ? Number(request.readBigUInt64LE(0)) : 0);
      },
    ] as [number, PacketHandler];

  /** The recorded blocks from `first` on, `change` made to the bad one. */
  const blocksWith = (change: (block: Buffer) => Buffer) =>
    [
      PacketType.pullBlocks,
      (request: Buffer) => {
        const first = Number(request.readBigUInt64LE(0));
        const last = Math.min(first + request.readUInt32LE(8) - 1, BAD_HEIGHT + 10);
        const chosen = recording.blocks.slice(first - 1, last);
        return Buffer.concat(
          chosen.map(({ block }, i) => (first + i === BAD_HEIGHT ? change(Buffer.from(block)) : block)),
        );
      },
    ] as [number, PacketHandler];

  const flip = (at: number) => (block: Buffer) => {
    block.writeUInt8(block.readUInt8(at) ^ 1, at);
    return block;
  };

  test("a block with a false signature", () => refused([blocksWith(flip(8))], /block 25.*signature/), 60_000);
  test("a block with a false parent", () => refused([blocksWith(flip(220))], /block 25.*previousHash/), 60_000);
  test("a block with a false state hash", () => refused([blocksWith(flip(320))], /block 25/), 60_000);
  test("a truncated block", () => refused([blocksWith((block) => block.subarray(0, block.length - 9))], /25/), 60_000);
  test(
    "a block whose size field lies",
    () =>
      refused(
        [
          blocksWith((block) => {
            block.writeUInt32LE(7, 0);
            return block;
          }),
        ],
        /25/,
      ),
    60_000,
  );
  test(
    "a statement that does not fit its block",
    () =>
      refused(
        [
          changed(PacketType.blockStatement, (answer, height) =>
            height === BAD_HEIGHT ? flip(answer.length - 1)(Buffer.from(answer)) : answer,
          ),
        ],
        /block 25.*(receiptsHash|statement)/i,
      ),
    60_000,
  );
  test(
    "a statement that is cut off",
    () =>
      refused(
        [
          changed(PacketType.blockStatement, (answer, height) =>
            height === BAD_HEIGHT ? answer.subarray(0, answer.length - 3) : answer,
          ),
        ],
        /block 25/,
      ),
    60_000,
  );
  test(
    "state roots that do not give the state hash",
    () =>
      refused(
        [
          changed(PacketType.subCacheMerkleRoots, (answer, height) =>
            height === BAD_HEIGHT ? Buffer.alloc(9 * 32, 1) : answer,
          ),
        ],
        /block 25.*stateHash/,
      ),
    60_000,
  );
  test(
    "a packet of an unknown type",
    () =>
      refused(
        [
          changed(PacketType.blockHashes, () => {
            const raw = Buffer.alloc(8);
            raw.writeUInt32LE(8, 0);
            raw.writeUInt32LE(0x7777, 4);
            return { raw };
          }),
        ],
        /7777/,
      ),
    60_000,
  );
  test(
    "a packet that says it is larger than the limit",
    () =>
      refused(
        [
          changed(PacketType.chainStatistics, () => {
            const raw = Buffer.alloc(8);
            raw.writeUInt32LE(0xffff_ffff, 0);
            raw.writeUInt32LE(PacketType.chainStatistics, 4);
            return { raw };
          }),
        ],
        /4,?294,?967,?295/,
      ),
    60_000,
  );
  test(
    "chain statistics of a wrong size",
    () => refused([changed(PacketType.chainStatistics, (answer) => answer.subarray(0, 17))], /statistics/i),
    60_000,
  );
});

/** Lowest and highest trace of the head in the tables that hold heights. */
async function heightsOfRows(index: IndexedDatabase): Promise<[number, number]> {
  const blocks = await index.db
    .selectFrom("blocks")
    .select((q) => q.fn.max("height").as("height"))
    .executeTakeFirstOrThrow();
  const raw = await index.db
    .selectFrom("raw_blocks")
    .select((q) => q.fn.max("height").as("height"))
    .executeTakeFirstOrThrow();
  return [Number(blocks.height), Number(raw.height)];
}
