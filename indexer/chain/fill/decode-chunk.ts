import { splitHashes } from "../../../catapult/entity/hashes.js";
import type { Block, NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import { BlockRejectedError, verifyBlock } from "../../../catapult/verify/verify.js";
import { verifyHit } from "../../../ledger/header/generation-rules.js";
import type { SourceBlock } from "../source/source.js";
import { type BlockRows, RowMaker, type RowTimes } from "../step/block-rows.js";
import type { ChainEnd } from "../step/chain-position.js";

/** Consecutive blocks, and the parent of the first. */
export interface Chunk {
  readonly parent: ChainEnd;
  readonly blocks: readonly SourceBlock[];
  /** The same blocks, decoded; none if they are not yet. */
  readonly decoded?: readonly Block[] | undefined;
}

export interface DecodeOptions {
  readonly network: NetworkIdentity;
  /** Whether to verify all signatures; hashes always are. */
  readonly checkSignatures: boolean;
}

/** The rows of a chunk's blocks. */
export interface DecodedChunk extends BlockRows {
  readonly spent: DecodingTimes;
}

/** Durations of the parts, in ms. */
export interface DecodingTimes extends RowTimes {
  /** Decoding blocks, including their hashes. */
  readonly decode: number;
  /** Verifying them, and decoding their statements. */
  readonly verify: number;
}

/** A block that leaves a hundred megabytes of garbage behind. */
const LARGE_BLOCK_BYTES = 2 * 1024 * 1024;
/** Number of blocks that are decoded at a time: short-lived objects cost the garbage collector least. */
const PIECE_BLOCKS = 32;

/** Whether a chunk has a block of tens of thousands of transactions, as the first one of a public network has. */
export function isLarge({ blocks }: Pick<Chunk, "blocks">): boolean {
  return blocks.some(({ bytes }) => bytes.length >= LARGE_BLOCK_BYTES);
}

/**
 * Checks blocks and makes of them what is written.
 * @throws BlockRejectedError naming the block and the field that does not hold
 */
export function decodeChunk({ parent, blocks, decoded = [] }: Chunk, options: DecodeOptions): DecodedChunk {
  const maker = new RowMaker(parent);
  const spent = { decode: 0, verify: 0 };
  for (let start = 0; start < blocks.length; start += PIECE_BLOCKS) {
    const startedAt = performance.now();
    const end = start + PIECE_BLOCKS;
    const piece = { parent: maker.end, blocks: blocks.slice(start, end), decoded: decoded.slice(start, end) };
    const { verified, decodeMs } = verifyAll(piece, options);
    spent.decode += decodeMs;
    spent.verify += performance.now() - startedAt - decodeMs;
    maker.add(verified);
  }
  return { ...maker.rows(), spent: { ...spent, ...maker.times } };
}

function verifyAll(
  { parent, blocks, decoded }: Required<Chunk>,
  options: DecodeOptions,
): { readonly verified: VerifiedBlock[]; readonly decodeMs: number } {
  let previous: { readonly height: number; readonly hash: Buffer; readonly timestamp: number } = parent;
  let decodeMs = 0;
  const verified = blocks.map((source, place) => {
    const { bytes, statement, subCacheMerkleRoots, target, isProven } = source;
    const startedAt = performance.now();
    const block = verifyBlock({
      bytes,
      decoded: decoded?.[place],
      statementBytes: statement,
      isProven,
      subCacheMerkleRoots: splitHashes(subCacheMerkleRoots),
      network: options.network,
      ...(previous.height > 0 && { previous }),
      checkSignatures: options.checkSignatures,
      onDecoded: () => {
        decodeMs += performance.now() - startedAt;
      },
    });
    if (block.height !== previous.height + 1) {
      throw new BlockRejectedError(previous.height + 1, "height", `is ${block.height}`);
    }
    verifyHit(block, target);
    previous = block;
    return block;
  });
  return { verified, decodeMs };
}
