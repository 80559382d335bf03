import type { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { ProofRules } from "../../../ledger/finalization/verify-proof.js";
import type { ProofSource, VotedBranches } from "../finality/votes.js";
import type { ChainPosition } from "../step/chain-position.js";
import type { RawBlock } from "../step/raw-rows.js";

/** What a source says about its chain, unverified. */
export interface SourceChain {
  readonly height: number;
  readonly score: bigint;
  /** The latest final block. */
  readonly finalized: Finalization;
}

/**
 * Where blocks and proofs come from: nodes, or the database. Nothing of it is verified. A source may change its branch
 * between any two requests, or be another node then: `blockHashes` shows where it is.
 */
export interface Source extends ProofSource {
  /** Such as "The node", for messages. */
  readonly name: string;
  /** Whether the blocks come from the database: then their bytes are not written again. */
  readonly isStored: boolean;
  chain(): Promise<SourceChain>;
  /** The bytes of the blocks from `from` on, at most up to `to`: as many as arrive at once; none if there are none. */
  blocks(from: number, to: number): Promise<readonly Buffer[]>;
  /**
   * The blocks `from` to `to` (inclusive), some at a time, in order. It reads ahead, but within bounds: its memory
   * does not depend on the range.
   *
   * @throws BlocksMissingError, BackfillRangeError when a block is missing
   */
  read(from: number, to: number): AsyncIterable<readonly RawBlock[]>;
  /** What votes prove about the chain. @param finalized what `chain` returned */
  branches(finalized: Finalization, rules: ProofRules): Promise<VotedBranches>;
}

/**
 * Whether a source has left the branch of a block that was rejected: the block may belong to no branch at all.
 *
 * @param parent the block that it had to follow
 * @param bytes of the block
 */
export async function hasLeftBranch(
  source: Pick<Source, "blocks" | "blockHashes">,
  parent: ChainPosition,
  bytes: Buffer,
  { height, field }: BlockRejectedError,
): Promise<boolean> {
  const [again] = await source.blocks(height, height);
  if (!again?.equals(bytes)) return true;
  if (field !== "previousHash" || parent.height === 0) return false;
  const [theirs] = await source.blockHashes(parent.height, 1);
  return theirs !== undefined && !theirs.equals(parent.hash);
}

/** A source has left the branch of the blocks that were requested. */
export class BranchLeftError extends Error {
  override readonly name = "BranchLeftError";

  constructor({ name }: Pick<Source, "name">, cause: BlockRejectedError) {
    super(`${name} switched to another branch while block ${cause.height} was requested`, { cause });
  }
}

/** A node lacks a block that it should have: it has switched to a shorter branch, or sent false information. */
export class BlocksMissingError extends Error {
  override readonly name = "BlocksMissingError";

  constructor({ name }: Pick<Source, "name">, height: number) {
    super(`${name} no longer has block ${height}`);
  }
}
