import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Chain } from "../chain/chain.js";
import type { DevnetRules } from "../network/settings.js";
import type { PacketHandler } from "./packet-server.js";
import { uint64, withoutPayload } from "./payload.js";

const EMPTY = Buffer.alloc(0);
const ZERO_HEIGHT = Buffer.alloc(8);

/** Responses about blocks by packet type, as the reference node's. */
export function chainHandlers(chain: Chain, rules: DevnetRules): [number, PacketHandler][] {
  /** Answers for heights from 1 to the chain's; others get an empty response. */
  const byHeight = (size: number, answer: (height: number, request: Buffer) => Buffer): PacketHandler => {
    return (request) => {
      if (request.length !== size) return undefined;
      const height = request.readBigUInt64LE(0);
      return height === 0n || height > BigInt(chain.height) ? EMPTY : answer(Number(height), request);
    };
  };

  const pullBlock = byHeight(8, (height) => chain.block(height));
  const hashes = byHeight(12, (height, request) => {
    const count = Math.min(request.readUInt32LE(8), rules.maxHashesPerSyncAttempt, chain.height - height + 1);
    return Buffer.concat(Array.from({ length: count }, (_, index) => chain.entry(height + index).hash));
  });
  const blocks = byHeight(16, (height, request) => {
    const count = Math.min(request.readUInt32LE(8), rules.maxBlocksPerSyncAttempt, chain.height - height + 1);
    const maxSize = Math.min(request.readUInt32LE(12), rules.maxChainBytesPerSyncAttempt);
    const parts: Buffer[] = [];
    for (let index = 0, size = 0; index < count; index += 1) {
      size += chain.entry(height + index).size;
      // one block is always sent
      if (index > 0 && size > maxSize) break;
      parts.push(chain.block(height + index));
    }
    return Buffer.concat(parts);
  });

  return [
    // a height of 0 means the last block
    [
      PacketType.pullBlock,
      (request, peer) => pullBlock(request.equals(ZERO_HEIGHT) ? uint64(BigInt(chain.height)) : request, peer),
    ],
    [PacketType.blockHashes, hashes],
    [PacketType.pullBlocks, blocks],
    [
      PacketType.chainStatistics,
      withoutPayload(() => {
        const { score } = chain.head;
        const low = BigInt.asUintN(64, score);
        return uint64(BigInt(chain.height), BigInt(chain.finalized.height), score >> 64n, low);
      }),
    ],
    // pushed blocks are ignored
    [PacketType.pushBlock, () => undefined],
  ];
}
