import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ChainPosition } from "./chain-position.js";
import type { StateChange } from "./state-change.js";

/** The work of one database transaction: from `previous`, back to `rollBackTo`, and on to the last of `blocks`. */
export interface Step {
  /** Required position of the head row. */
  readonly previous: ChainPosition;
  /** The last kept block; absent if nothing is dropped. */
  readonly rollBackTo?: ChainPosition | undefined;
  /** Each links to the one before it, the first to `rollBackTo` or `previous`. May be empty. */
  readonly blocks: readonly VerifiedBlock[];
  /** The newest finalized block, if it moved; at most as high as the new head. */
  readonly finalization?: Finalization | undefined;
  /** How the step changes the state. */
  readonly state: StateChange;
  /** Whether to emit events: true when following, false when filling. */
  readonly announce: boolean;
}

/** The position before the nemesis block. */
export const BEFORE_NEMESIS: ChainPosition = { height: 0, hash: Buffer.alloc(32) };
