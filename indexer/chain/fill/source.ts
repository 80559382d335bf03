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
