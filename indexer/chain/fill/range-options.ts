import type { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { Finalization, Head } from "../../../database/queries/head.js";
import type { Executor } from "../execution/executor.js";
import type { Finality } from "../finality/finality.js";
import type { VotedBranches } from "../finality/votes.js";
import type { Source } from "../source/source.js";
import type { BlockRange } from "../step/block-range.js";
import type { ChainEnd, ChainPosition } from "../step/chain-position.js";
import type { IndexContext } from "../step/index-context.js";
import { MAX_RANGE } from "../step/range-limit.js";
import type { RangeListener } from "../step/range-listener.js";
import type { StageClock } from "../step/stage-times.js";
import type { RangeWriter } from "../write/write.js";
import type { DecoderPool } from "./decoder-pool.js";

/** Where blocks come from, and where they are written. */
export interface RangeContext extends IndexContext {
  readonly source: Source;
  readonly ledger: Executor;
  readonly finality: Finality;
  readonly writer: RangeWriter;
  readonly listener: RangeListener;
  readonly watch?: RangeWatch | undefined;
}

export interface WantedBlocks {
  readonly head: Head;
  /** The last kept block: the head, unless blocks are dropped. */
  readonly base: ChainPosition;
  /** Last height. */
  readonly to: number;
  readonly sourceHeight: number;
  /** The latest final block, as the source claims. */
  readonly finalized: Finalization;
  /** Whether a block with this timestamp (ms since the network's epoch) ends the range before it. */
  readonly stopsBefore?: ((timestamp: number) => boolean) | undefined;
  /**
   * Near the source's head: whether a range that ends with this block emits events, and its blocks can be undone. Far
   * below it none does, and the state is loaded again, should blocks be dropped.
   */
  readonly emitsEvents?: ((end: ChainEnd) => boolean) | undefined;
}

/** Everything that the stages of writing blocks need. */
export interface RangeOptions {
  readonly context: RangeContext;
  readonly wanted: WantedBlocks;
  readonly decoders: DecoderPool;
  readonly clock: StageClock;
  readonly limits: RangeLimits;
  /** What votes prove of the blocks, also of one that a check of ours rejects. */
  readonly branches: VotedBranches;
  /** A block that was rejected: it is executed without checks if votes prove it. */
  readonly rejected: BlockRejectedError | undefined;
  /** Something was written, in `ms` milliseconds. */
  readonly onWritten: (range: BlockRange, ms: number) => Promise<void>;
}

/** Gets the progress of a range. */
export interface RangeWatch {
  /** The blocks of a range up to this height are verified. */
  verified(height: number): void;
  wrote(): void;
}

/** How much of a range is in memory, and how much is written in one transaction. */
export interface RangeLimits {
  /**
   * Maximum blocks that a thread verifies at a time: small enough to keep all threads busy. The first are fewer, so that
   * something is written soon; the more blocks follow, the more they are, because their keys and lists are numbered and
   * counted together.
   */
  readonly verified: { readonly first: number; readonly growth: number; readonly max: number };
  /** Maximum bytes of blocks that are being verified or queued for writing. */
  readonly verifiedBytes: number;
  /** Blocks of a transaction: of the first, and of any. */
  readonly written: { readonly first: number; readonly max: number };
  /** Bytes of a transaction, as they are sent to the database. */
  readonly writtenBytes: number;
  /** How long a transaction should take, ms. */
  readonly targetMs: number;
}

const MIB = 1024 * 1024;
/**
 * Far below the head, a transaction is short enough to lose little, and long enough that an account which many blocks
 * change is written once for them.
 */
export const FAR: RangeLimits = {
  verified: { first: 256, growth: 1 / 16, max: 1_024 },
  verifiedBytes: 12 * MIB,
  written: { first: 200, max: 10_000 },
  writtenBytes: 32 * MIB,
  targetMs: 8_000,
};
/**
 * Near the head, decoded blocks are in memory until their events are written, and someone waits for these. Which blocks are
 * written together does not depend on the time.
 */
export const NEAR: RangeLimits = {
  verified: { first: MAX_RANGE.maxBlocks, growth: 0, max: MAX_RANGE.maxBlocks },
  verifiedBytes: 3 * MIB,
  written: { first: MAX_RANGE.maxBlocks, max: 8 * MAX_RANGE.maxBlocks },
  writtenBytes: 8 * MIB,
  targetMs: Number.POSITIVE_INFINITY,
};

/** Whether the blocks are far below the source's head. */
export function isFar({ emitsEvents }: WantedBlocks): boolean {
  return emitsEvents === undefined;
}
