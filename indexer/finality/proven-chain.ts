import { blockHeaderSize } from "../../catapult/entity/block-entity.js";
import { BLOCK, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { blockHash } from "../../catapult/entity/hashes.js";
import type { Finalization } from "../../database/queries/head.js";

/**
 * The hashes of consecutive blocks that lead to a final one by their parent links, and therefore are final too.
 * Undefined if they do not lead there, or a header is of an unknown type.
 *
 * @param blocks bytes of blocks, the last one at the height of `final`; they are read up to the first wrong link
 */
export async function hashesTo(
  final: Pick<Finalization, "hash">,
  blocks: AsyncIterable<readonly { readonly bytes: Buffer }[]>,
): Promise<Buffer[] | undefined> {
  const hashes: Buffer[] = [];
  for await (const part of blocks) {
    for (const { bytes } of part) {
      const isKnown = bytes.length >= BLOCK.normalHeaderSize && blockHeaderSize(bytes.readUInt16LE(VERIFIABLE.type));
      if (!isKnown || bytes.length < isKnown) return undefined;
      const parent = hashes.at(-1);
      if (parent && !bytes.subarray(BLOCK.previousBlockHash, BLOCK.transactionsHash).equals(parent)) return undefined;
      hashes.push(blockHash(bytes));
    }
  }
  return hashes.at(-1)?.equals(final.hash) ? hashes : undefined;
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
    if (this.#hashes.size === 0 || bytes.length < BLOCK.normalHeaderSize) return false;
    if (blockHeaderSize(bytes.readUInt16LE(VERIFIABLE.type)) === undefined) return false;
    return this.has(blockHash(bytes));
  }
}
