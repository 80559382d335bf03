import { blockHeaderSize } from "../../catapult/entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { blockHash } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { verifyBody } from "../../catapult/verify/verify.js";
import type { VotedBranch } from "../../ledger/finalization/verify-proof.js";
import { LARGEST_RANGE } from "../step/range-limit.js";

/** Blocks of a chain that is to be compared with votes. */
export interface ComparedChain {
  readonly network: NetworkIdentity;
  /** Bytes of the blocks from `first` on, at most up to `last`: as many as arrive at once. */
  read(first: number, last: number): Promise<readonly Buffer[]>;
}

/**
 * The hashes of consecutive blocks from `height` on that votes prove: those that they name, and the ancestors of these.
 *
 * Ancestors are read downwards, so the hash of each block is known before it is read, and nothing but that is kept. What
 * does not match ends the reading at once. The first block is read alone, and each time at most as many as were proven
 * before: so a node cannot send much for nothing.
 *
 * @returns undefined if there are none, or the chain is another one
 * @throws BlockRejectedError for a block whose transactions are not those of its header
 */
export async function provenHashes(
  { blocks }: VotedBranch,
  height: number,
  { network, read }: ComparedChain,
): Promise<Buffer[] | undefined> {
  const [lowest] = blocks;
  const named = blocks.filter((block) => block.height >= height).map(({ hash }) => hash);
  if (!lowest || named.length === 0) return undefined;
  const ancestors: Buffer[] = [];
  let expected = lowest.hash;
  let count = 1;
  for (let last = lowest.height; last > height; ) {
    const first = Math.max(height + 1, last - count + 1);
    const found = await read(first, last);
    if (found.length === 0) return undefined;
    if (found.length < last - first + 1) {
      count = Math.ceil(found.length / 2);
      continue;
    }
    for (const bytes of found.toReversed()) {
      if (!hashOf(bytes)?.equals(expected)) return undefined;
      verifyBody(bytes, network);
      expected = Buffer.from(bytes.subarray(BLOCK.previousBlockHash, BLOCK.transactionsHash));
      ancestors.push(expected);
      last -= 1;
    }
    count = Math.min(LARGEST_RANGE.maxBlocks, 2 * count);
  }
  return [...ancestors.reverse(), ...named];
}

/** The hash of a block, given its bytes; undefined if they have no header of a known type. */
export function hashOf(bytes: Buffer): Buffer | undefined {
  if (bytes.length < BLOCK.normalHeaderSize) return undefined;
  const size = blockHeaderSize(bytes.readUInt16LE(VERIFIABLE.type));
  return size !== undefined && bytes.length >= size ? blockHash(bytes, size) : undefined;
}

/** Blocks that votes prove although a check of ours rejects them, or one of those before them. */
export class ProvenHashes {
  #hashes = new Set<string>();

  /** Replaces those added before, which have been written by now. @returns false if the first of them is known */
  add(hashes: readonly Buffer[]): boolean {
    const [first] = hashes;
    if (!first) return false;
    const isKnown = this.has(first);
    this.#hashes = new Set(hashes.map((hash) => hash.toString("latin1")));
    return !isKnown;
  }

  has(hash: Buffer): boolean {
    return this.#hashes.has(hash.toString("latin1"));
  }

  /** Whether votes prove a block, given its bytes. */
  hasBlock(bytes: Buffer): boolean {
    const hash = this.#hashes.size > 0 ? hashOf(bytes) : undefined;
    return hash !== undefined && this.has(hash);
  }
}
