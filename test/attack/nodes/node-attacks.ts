import { randomBytes } from "node:crypto";
import { BLOCK } from "../../../catapult/entity/entity-layout.js";
import { blockHash } from "../../../catapult/entity/hashes.js";
import { PacketType } from "../../../catapult/wire/packet-type.js";
import { deriveDevnetKeys } from "../../../devnet/network/keys.js";
import { deriveSigner } from "../../../devnet/network/signer.js";
import type { PacketHandler } from "../../../devnet/protocol/packet-server.js";
import type { BranchNode } from "../../support/branch-node.js";
import { RawReply } from "../../support/raw-packet-server.js";
import { change, drip, FINAL_HEIGHT, flip, type Listening, later, type NodeScene, rawPacket } from "./node-scene.js";

/** A hostile node, the first in the indexer's list; the second is honest. */
export interface NodeAttack {
  /** Its name on the command line. */
  readonly name: string;
  /** A sentence that describes the attack. */
  readonly about: string;
  start(scene: NodeScene): Promise<Listening>;
}

const { chainStatistics, blockHashes, pullBlocks, finalizationStatistics, finalizationProofAtEpoch } = PacketType;
const { pullTransactions, pullPartialTransactionInfos, nodeDiscoveryPullPing, timeSyncNetworkTime } = PacketType;
const MIB = 1024 * 1024;
const ALL = [
  ...[chainStatistics, blockHashes, pullBlocks, finalizationStatistics, finalizationProofAtEpoch],
  ...[pullTransactions, pullPartialTransactionInfos, nodeDiscoveryPullPing, timeSyncNetworkTime],
];
const NEVER = new Promise<undefined>(() => undefined);

/** A node with the honest chain, and changed handlers. */
function attack(name: string, about: string, spoil: (node: BranchNode, scene: NodeScene) => unknown): NodeAttack {
  return {
    name,
    about,
    start: async (scene) => {
      const node = await scene.serve();
      spoil(node, scene);
      return node;
    },
  };
}

/** A node whose answers of some types are changed. */
function changed(
  name: string,
  about: string,
  types: readonly number[],
  to: (answer: Buffer) => Buffer | RawReply,
): NodeAttack {
  return attack(name, about, (node) => change(node, types, to));
}

/** A node whose chain has one invalid block, signed by an account that may harvest. */
function badBlock(name: string, about: string, spoil: (block: Buffer) => unknown): NodeAttack {
  return attack(name, about, (node, scene) => {
    const chain = scene.signedAgain(spoil);
    node.switchTo(chain);
    node.finalize({ epoch: 2, point: 1, height: FINAL_HEIGHT });
    claimHighScore(node);
  });
}

/** A handler that answers once for each connection, so that it is used, and then as given. */
function afterProbe(node: BranchNode, types: readonly number[], handler: PacketHandler): void {
  const probe = node.handlers.get(chainStatistics)!;
  const known = new Set<string>();
  for (const type of types) {
    node.handlers.set(type, (payload, peer) => {
      if (type !== chainStatistics || known.has(peer.address)) return handler(payload, peer);
      known.add(peer.address);
      return probe(payload, peer);
    });
  }
}

function claimHighScore(node: BranchNode): void {
  change(node, [chainStatistics], (answer) => {
    answer.writeBigUInt64LE(1n << 40n, 16);
    return answer;
  });
}

const flipped = (offset: number, bit: number) => (answer: Buffer) => {
  flip(offset, bit)(answer);
  return answer;
};

/** Eight-byte fields of the chain statistics, and the fields of the finalization statistics. */
const STATISTICS = { height: 0, finalizedHeight: 8, scoreHigh: 16, scoreLow: 24 } as const;
const FINALIZATION = { epoch: 0, point: 4, height: 8, hash: 16 } as const;

const bitAttacks = [
  ...Object.entries(STATISTICS).flatMap(([field, offset]) => [
    changed(`bit-${field}-low`, `Bit 1 of ${field} is flipped.`, [chainStatistics], flipped(offset, 1)),
    changed(`bit-${field}-high`, `Bit 46 of ${field} is flipped.`, [chainStatistics], flipped(offset + 5, 6)),
  ]),
  ...Object.entries(FINALIZATION).map(([field, offset]) =>
    changed(
      `bit-finalization-${field}`,
      `Bit 1 of the final ${field} is flipped.`,
      [finalizationStatistics],
      flipped(offset, 1),
    ),
  ),
];

/** Transactions whose bytes are random, but whose sizes are right. */
function junkPool(bytes: number, size: number): Buffer {
  const pool = randomBytes(bytes - (bytes % size));
  for (let offset = 0; offset < pool.length; offset += size) pool.writeUInt32LE(size, offset);
  return pool;
}

/** The lowest block that is junk: below the final one. */
const JUNK_FROM = 3;

/** A block with the right header, and random bytes in place of its transactions. */
function junkBlock(scene: NodeScene, height: number): Buffer {
  const header = scene.blocks[height - 1]!.block.subarray(0, BLOCK.normalHeaderSize);
  const block = Buffer.concat([header, Buffer.alloc(140 * MIB, randomBytes(MIB))]);
  block.writeUInt32LE(block.length, 0);
  return block;
}

/** The right blocks up to the last good one, or one junk block, each of which is linked to the one below. */
function junkFrom(scene: NodeScene, height: number): Buffer {
  if (height < JUNK_FROM) return Buffer.concat(scene.blocks.slice(height - 1, JUNK_FROM - 1).map(({ block }) => block));
  let parent = scene.blocks[JUNK_FROM - 2]!.block;
  for (let at = JUNK_FROM; at < height; ++at) parent = linked(scene.blocks[at - 1]!.block, parent);
  return linked(junkBlock(scene, height), parent);
}

/** A changed block that names another parent. */
function linked(block: Buffer, parent: Buffer): Buffer {
  const changed = Buffer.from(block);
  blockHash(parent).copy(changed, BLOCK.previousBlockHash);
  flip(BLOCK.stateHash)(changed);
  return changed;
}

const singleAttacks: readonly NodeAttack[] = [
  changed("garbage", "Every answer is random.", ALL, () => randomBytes(200)),
  changed("garbage-packets", "Random bytes are sent in place of packets.", ALL, () => new RawReply(randomBytes(200))),
  changed("empty", "Every answer is empty.", ALL, () => Buffer.alloc(0)),
  changed("other-type", "Answers have another packet type.", ALL, (answer) =>
    rawPacket(answer.length + 8, 0x7777, answer),
  ),
  changed("two-answers", "Each answer is sent twice.", ALL, (answer) => new RawReply(Buffer.concat([answer, answer]))),
  attack("silent", "It answers nothing after the first request.", (node) => afterProbe(node, ALL, () => NEVER)),
  attack("silent-blocks", "It never sends a block.", (node) => node.handlers.set(pullBlocks, () => NEVER)),
  attack("closing", "It closes the connection after the first answer.", (node) =>
    afterProbe(node, ALL, () => {
      throw new Error("closed");
    }),
  ),
  attack("no-blocks", "It has no blocks for what it claims.", (node) =>
    node.handlers.set(pullBlocks, () => Buffer.alloc(0)),
  ),
  changed("truncated", "Packets of blocks are cut off.", [pullBlocks], (answer) =>
    rawPacket(answer.length + 8, pullBlocks, answer.subarray(0, answer.length / 2)),
  ),
  changed("size-endless", "Packets announce 4 GiB.", [blockHashes], (answer) =>
    rawPacket(0xffff_ffff, blockHashes, answer),
  ),
  changed("size-zero", "Packets announce no bytes.", [blockHashes], (answer) => rawPacket(0, blockHashes, answer)),
  changed("size-large", "Hashes of 100 MiB.", [blockHashes], () => Buffer.alloc(100 * MIB)),
  changed("blocks-zeros", "Blocks of 140 MiB of zeros.", [pullBlocks], () => Buffer.alloc(140 * MIB)),
  changed("block-large", "One block of 140 MiB, all of it random.", [pullBlocks], (answer) => {
    const block = Buffer.concat([answer.subarray(0, 376), Buffer.alloc(140 * MIB, randomBytes(MIB))]);
    block.writeUInt32LE(block.length, 0);
    return block;
  }),
  ...[
    [chainStatistics, "statistics"],
    [pullBlocks, "blocks"],
    [blockHashes, "hashes"],
  ].map(([type, name]) => ({
    name: `drip-${name}`,
    about: `It sends ${name} with one byte a second.`,
    start: async (scene: NodeScene) => {
      const node = await scene.serve();
      const listening = await drip(node.handlers, Number(type), 1);
      return {
        address: listening.address,
        close: async () => {
          await listening.close();
          await node.close();
        },
      };
    },
  })),
  changed("blocks-cut", "The last block is cut off.", [pullBlocks], (answer) => answer.subarray(0, answer.length - 9)),
  attack("blocks-reversed", "Blocks come in the wrong order.", (node, scene) =>
    node.handlers.set(pullBlocks, () => Buffer.concat(scene.blocks.map(({ block }) => block).reverse())),
  ),
  attack("blocks-repeated", "Each request for blocks is answered with the first ones.", (node, scene) =>
    node.handlers.set(pullBlocks, () => Buffer.concat(scene.blocks.slice(0, 10).map(({ block }) => block))),
  ),
  changed("hashes-random", "Block hashes are random.", [blockHashes], (answer) => randomBytes(answer.length)),
  changed("hashes-many", "More block hashes are sent than requested.", [blockHashes], (answer) =>
    Buffer.concat([answer, randomBytes(32 * 1_000)]),
  ),
  attack("fork-below-final", "It claims another chain from the first block on.", (node) => {
    claimHighScore(node);
    change(node, [blockHashes], (answer) => randomBytes(answer.length));
  }),
  badBlock("signature", "A block has a wrong parent, and a valid signature.", flip(BLOCK.previousBlockHash)),
  badBlock("state-hash", "A block has a wrong state hash, and a valid signature.", flip(BLOCK.stateHash)),
  badBlock("receipts-hash", "A block has a wrong receipts hash, and a valid signature.", flip(BLOCK.receiptsHash)),
  badBlock("difficulty", "A block has a wrong difficulty, and a valid signature.", flip(BLOCK.difficulty)),
  badBlock("proof", "A block has a wrong proof of its generation hash, and a valid signature.", flip(BLOCK.proofGamma)),
  badBlock("future", "A block is a day ahead of its time, and has a valid signature.", later(86_400_000n)),
  badBlock("past", "A block is older than its parent, and has a valid signature.", later(-86_400_000n)),
  attack("harvester", "A block is signed by an account that may not harvest.", (node, scene) => {
    node.switchTo(scene.signedAgain(() => undefined, deriveSigner("attack", "outsider")));
    claimHighScore(node);
  }),
  attack("lower-branch", "It claims a high score for a valid branch with a lower one.", (node, scene) => {
    node.switchTo(scene.lower);
    claimHighScore(node);
  }),
  attack("alternating", "It switches between two branches after each request.", (node, scene) => {
    let n = 0;
    for (const type of [chainStatistics, blockHashes, pullBlocks]) {
      const good = node.handlers.get(type)!;
      node.handlers.set(type, (...request) => {
        node.switchTo(n++ % 2 === 0 ? scene.lower : scene.blocks);
        return good(...request);
      });
    }
  }),
  ...bitAttacks,
  attack("proof-forged", "Finalization is proven by others than the voters.", (node, scene) =>
    node.showProofs(new Map([[2, scene.proof(deriveDevnetKeys("forger"))]])),
  ),
  attack("proof-huge", "A proof has 15 MiB.", (node) => node.showProofs(new Map([[2, randomBytes(15 * MIB)]]))),
  attack("proof-too-huge", "A proof has 100 MiB.", (node) => node.showProofs(new Map([[2, Buffer.alloc(100 * MIB)]]))),
  ...[
    { name: "replayed-proof", what: "junk blocks", blockAt: junkFrom },
    { name: "replayed-proof-headers", what: "the right headers with junk", blockAt: junkBlock },
  ].map(({ name, what, blockAt }) =>
    attack(name, `It serves the voters' proof, and below its block ${what}, each of 140 MiB.`, (node, scene) => {
      node.showProofs(new Map([[2, scene.proof()]]));
      node.handlers.set(pullBlocks, (request) => {
        const height = Number(request.readBigUInt64LE(0));
        return height <= JUNK_FROM ? junkFrom(scene, height) : blockAt(scene, height);
      });
    }),
  ),
  attack("pool-junk", "The pool has 8 MB of invalid transactions.", (node) =>
    node.handlers.set(pullTransactions, () => junkPool(8_000_000, 176)),
  ),
  attack("pool-huge", "The pool has 146 MB of invalid transactions, different ones each time.", (node) =>
    node.handlers.set(pullTransactions, () => junkPool(146_000_000, 4_096)),
  ),
  attack("partial-junk", "The partial transactions are 8 MB of random bytes.", (node) =>
    node.handlers.set(pullPartialTransactionInfos, () => randomBytes(8_000_000)),
  ),
  changed("clock", "The network's time is a year ahead.", [timeSyncNetworkTime], (answer) => {
    for (const offset of [0, 8]) answer.writeBigUInt64LE(answer.readBigUInt64LE(offset) + 31_536_000_000n, offset);
    return answer;
  }),
  changed("other-network", "It belongs to another network.", [nodeDiscoveryPullPing], flipped(40, 1)),
];

/** Several hostile nodes at once, before the honest one in the list. */
function together(name: string, about: string, names: readonly string[]): NodeAttack {
  return {
    name,
    about,
    start: async (scene) => {
      const chosen = names.map((one) => singleAttacks.find((attack) => attack.name === one)!);
      const [first, ...others] = await Promise.all(chosen.map((attack) => attack.start(scene)));
      return {
        address: first!.address,
        others: others.map(({ address }) => address),
        close: async () => {
          await Promise.all([first!, ...others].map((node) => node.close()));
        },
      };
    },
  };
}

export const nodeAttacks: readonly NodeAttack[] = [
  ...singleAttacks,
  together(
    "six-at-once",
    "Six nodes: silent, dripping, without blocks, on a lower branch, with a bad block, closing.",
    ["silent-blocks", "drip-blocks", "no-blocks", "lower-branch", "state-hash", "alternating"],
  ),
  together("six-mute", "Six nodes that answer nothing after the first request.", Array(6).fill("silent")),
  together("six-silent", "Six nodes that claim a high score, and are silent or dripping.", [
    ...["silent-blocks", "silent-blocks", "drip-statistics", "drip-hashes", "drip-blocks", "no-blocks"],
  ]),
];
