import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler } from "../../devnet/protocol/packet-server.js";
import { BranchNode } from "../support/branch-node.js";
import { describeRecorded } from "../support/describe-chains.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { RawReply } from "../support/raw-packet-server.js";
import { recordedNode } from "../support/recorded-node.js";

const GOOD_BLOCKS = 20;
const BAD_HEIGHT = GOOD_BLOCKS + 5;

/** Fields of the error that is logged. */
type ExpectedError = { readonly type: string } & Readonly<Record<string, unknown>>;

const badBlock = (field: string): ExpectedError => ({ type: "BlockRejectedError", height: BAD_HEIGHT, field });

describeRecorded("a node that sends invalid data", (chain) => {
  const recording = recordedNode(chain);
  let node: BranchNode;
  let index: IndexedDatabase;
  let log: LogLines;
  let good: Map<number, PacketHandler>;

  beforeAll(async () => {
    const blocks = recording.blocks.slice(0, BAD_HEIGHT + 10);
    node = await BranchNode.start({ ...recording, blocks });
    good = new Map(node.handlers);
  });

  afterAll(() => node.close());

  beforeEach(async () => {
    index = await IndexedDatabase.create();
    log = new LogLines();
  });

  /** Indexes valid blocks, then lets the node misbehave, waits until this error is logged, and looks for traces. */
  async function rejected(handlers: [number, PacketHandler][], expected: ExpectedError): Promise<void> {
    try {
      node.switchTo(recording.blocks.slice(0, GOOD_BLOCKS));
      await index.follow(node.address, { log: log.logger });
      await index.waitFor((head) => head.height === GOOD_BLOCKS);
      for (const [type, handler] of handlers) node.handlers.set(type, handler);
      node.switchTo(recording.blocks.slice(0, BAD_HEIGHT + 10));
      await log.waitForError(expected);
      const { head, blocks, raw } = await heightsOf(index);
      expect(head).toBeLessThan(BAD_HEIGHT);
      expect(head).toBeGreaterThanOrEqual(GOOD_BLOCKS);
      expect([blocks, raw]).toEqual([head, head]);

      for (const [type, handler] of good) node.handlers.set(type, handler);
      const healed = await index.waitFor(({ height }) => height === BAD_HEIGHT + 10);
      expect(healed.hash).toEqual(node.hashAt(BAD_HEIGHT + 10));
    } finally {
      for (const [type, handler] of good) node.handlers.set(type, handler);
      await index.drop();
    }
  }

  const changed = (type: number, change: (answer: Buffer, height: number) => Buffer | RawReply) =>
    [
      type,
      async (request: Buffer, peer: Parameters<PacketHandler>[1]) => {
        const answer = (await good.get(type)?.(request, peer)) as Buffer;
        return change(answer, request.length >= 8 ? Number(request.readBigUInt64LE(0)) : 0);
      },
    ] as [number, PacketHandler];

  /** The recorded blocks from `first` on, with `change` applied to the bad one. */
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

  /** Offset of a block in the answer that begins with the first block that the index lacks. */
  const offsetOf = (height: number) =>
    recording.blocks.slice(GOOD_BLOCKS, height - 1).reduce((sum, { block }) => sum + block.length, 0);

  const flip = (at: number) => (block: Buffer) => {
    block.writeUInt8(block.readUInt8(at) ^ 1, at);
    return block;
  };

  test("a block with an invalid signature", () => rejected([blocksWith(flip(8))], badBlock("signature")));
  test("a block with a wrong parent", () => rejected([blocksWith(flip(220))], badBlock("previousHash")));
  test("a block whose state hash was changed after it was signed", () =>
    rejected([blocksWith(flip(320))], badBlock("signature")));
  test("a truncated block, into which the next one is read", () =>
    rejected([blocksWith((block) => block.subarray(0, block.length - 9))], {
      type: "NodeResponseError",
      field: `block ${BAD_HEIGHT + 1} at offset ${offsetOf(BAD_HEIGHT + 1)}`,
    }));
  test("a block with a wrong size field", () =>
    rejected(
      [
        blocksWith((block) => {
          block.writeUInt32LE(7, 0);
          return block;
        }),
      ],
      { type: "NodeResponseError", field: `size of block ${BAD_HEIGHT} at offset ${offsetOf(BAD_HEIGHT)}` },
    ));
  test("a packet of an unknown type", () =>
    rejected(
      [
        changed(PacketType.blockHashes, () => {
          const raw = Buffer.alloc(8);
          raw.writeUInt32LE(8, 0);
          raw.writeUInt32LE(0x7777, 4);
          return new RawReply(raw);
        }),
      ],
      { type: "UnexpectedPacketError", expected: [PacketType.blockHashes], actual: 0x7777 },
    ));
  test("a packet whose size is above the limit", () =>
    rejected(
      [
        changed(PacketType.chainStatistics, () => {
          const raw = Buffer.alloc(8);
          raw.writeUInt32LE(0xffff_ffff, 0);
          raw.writeUInt32LE(PacketType.chainStatistics, 4);
          return new RawReply(raw);
        }),
      ],
      { type: "PacketError", size: 0xffff_ffff },
    ));
  test("chain statistics of a wrong size", () =>
    rejected([changed(PacketType.chainStatistics, (answer) => answer.subarray(0, 17))], {
      type: "NodeResponseError",
      request: "chain statistics",
      field: "scoreHigh",
    }));
});

/** Heights of the head and of the tables that hold heights, all of one moment. */
async function heightsOf({ db }: IndexedDatabase): Promise<{ head: number; blocks: number; raw: number }> {
  const { rows } = await sql<{ head: number; blocks: number; raw: number }>`
    select head.height::int4 as head, (select max(height) from blocks)::int4 as blocks,
      (select max(height) from raw_blocks)::int4 as raw from head`.execute(db);
  return rows[0]!;
}
