import { blockHeaderSize } from "../../../catapult/entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../../../catapult/entity/entity-layout.js";
import { blockHash } from "../../../catapult/entity/hashes.js";
import { BlockRejectedError } from "../../../catapult/verify/verify.js";
import { type ChainEnd, scoreAfter } from "../step/chain-position.js";
import type { RawBlock } from "../step/raw-rows.js";

/** A block from a node or the database, unverified. */
export interface SourceBlock extends RawBlock {
  /** For an executed block: the upper limit of its generation hash's hit, if the network verifies hits. */
  readonly target?: bigint | undefined;
  /** Whether votes prove it although a check of ours rejects it: then its signatures are not verified. */
  readonly isProven?: boolean;
  /** See `BlockOutcome`. */
  readonly hasOtherReceipts?: boolean | undefined;
}

/** A source of blocks. */
export interface BlockSource {
  /**
   * The blocks `from` to `to` (inclusive), some at a time, in order. It reads ahead, but within bounds: its memory
   * does not depend on the range.
   */
  read(from: number, to: number): AsyncIterable<readonly SourceBlock[]>;
}

/**
 * The end of the chain after `blocks`, from their headers alone: nothing is verified yet, so that several pieces of a
 * chain can be verified concurrently, each against the end of the previous one.
 * @returns undefined when the last block is of an unknown type: only decoding shows the size of its header
 * @throws BlockRejectedError when a block is too short to have a header
 */
export function endAfter(end: ChainEnd, blocks: readonly SourceBlock[]): ChainEnd | undefined {
  let { height, hash, timestamp, score } = end;
  for (const [index, { bytes }] of blocks.entries()) {
    height += 1;
    if (bytes.length < BLOCK.normalHeaderSize) {
      throw new BlockRejectedError(height, "block.size", `${bytes.length} bytes are not a block`);
    }
    const header = {
      height,
      timestamp: Number(bytes.readBigUInt64LE(BLOCK.timestamp)),
      difficulty: bytes.readBigUInt64LE(BLOCK.difficulty),
    };
    score = scoreAfter({ height, hash, timestamp, score }, header);
    timestamp = header.timestamp;
    if (index < blocks.length - 1) continue;
    if (blockHeaderSize(bytes.readUInt16LE(VERIFIABLE.type)) === undefined) return undefined;
    hash = blockHash(bytes);
  }
  return { height, hash, timestamp, score };
}
