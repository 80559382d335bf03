import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { Finalization } from "../../database/queries/head.js";
import type { BlockRows } from "./block-rows.js";
import type { ChainPosition } from "./chain-position.js";
import type { RawBlock } from "./raw-rows.js";
import type { StateChange } from "./state-change.js";

/** The work of one database transaction: from `previous`, back to `rollBackTo`, and on to the last block. */
export interface Step {
  /** Required position of the head row. */
  readonly previous: ChainPosition;
  /** The last kept block; absent if nothing is dropped. */
  readonly rollBackTo?: ChainPosition | undefined;
  /** Of the new blocks, some at a time: the first follow `rollBackTo` or `previous`. May be empty. */
  readonly rows: readonly BlockRows[];
  /** The bytes of the new blocks; empty if they are stored already. */
  readonly raw: readonly RawBlock[];
  /** Statements and roots that are stored in another form, or not at all. */
  readonly recomputed?: readonly RecomputedBytes[] | undefined;
  /** How the step changes the state. */
  readonly state: StateChange;
  /** Blocks that became final, the newest last; at most as high as the new head. */
  readonly finalizations: readonly Finalization[];
  /** Why no newer block is final, in one sentence; undefined if there is no reason to say so. */
  readonly unproven?: string | undefined;
  /** Whether events are emitted: those of `blocks`, which are all new blocks then. */
  readonly announce: boolean;
  /** Empty where no events are emitted. */
  readonly blocks: readonly VerifiedBlock[];
}

/** The statement and the roots of a block, if the stored ones are missing or different. */
export interface RecomputedBytes {
  readonly height: number;
  readonly statement: Buffer;
  /** 32 bytes each, concatenated. */
  readonly subCacheMerkleRoots: Buffer;
}
