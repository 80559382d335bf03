import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { Finalization } from "../../database/queries/head.js";
import type { ChainPosition } from "./chain-position.js";
import type { StateChange } from "./state-change.js";

/** What one database transaction does: from `previous`, back to `rollBackTo`, and on to the last of `blocks`. */
export interface Step {
  /** Where the head row must stand now. */
  readonly previous: ChainPosition;
  /** The last block that is kept; absent when nothing is dropped. */
  readonly rollBackTo?: ChainPosition | undefined;
  /** Each links to the one before it, the first to `rollBackTo` or `previous`. May be empty. */
  readonly blocks: readonly VerifiedBlock[];
  /** The newest finalized block, when it moved; at most as high as the new head. */
  readonly finalization?: Finalization | undefined;
  /** What the step does to the state; absent where no state is kept, which may not roll back. */
  readonly state?: StateChange | undefined;
  /** Whether listeners are told: true when following, false when filling up what nobody waits for. */
  readonly announce: boolean;
}

/** The place before the nemesis block. */
export const BEFORE_NEMESIS: ChainPosition = { height: 0, hash: Buffer.alloc(32) };
