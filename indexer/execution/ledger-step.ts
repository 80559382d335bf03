import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { VotingSetTable } from "../../database/tables/state.js";
import type { OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { ExecutionNotes } from "../chain/executed-chain.js";
import type { ReplacedState } from "../step/state-change.js";

/** How a step moves the chain. */
export interface LedgerMove {
  readonly blocks: readonly VerifiedBlock[];
  /** After the step. */
  readonly finalizedHeight: number;
  /** As claimed by the node: above `finalizedHeight` while the index catches up. */
  readonly nodeFinalizedHeight: number;
}

/** What the blocks that are not written yet have changed, and what was noted of them. */
export class LedgerStep implements ExecutionNotes {
  /** Keys whose entries differ from the stored ones: changed by these blocks, or by others that were rolled back. */
  readonly changed = new StateKeySet();
  replaced: ReplacedState[] = [];
  readonly votingSets: VotingSetTable[] = [];
  readonly overruled: OverruledCheck[] = [];
  readonly differing: number[] = [];

  /** The block above `height` was rejected. */
  truncate(height: number): void {
    this.replaced = this.replaced.filter((one) => one.height <= height);
  }
}
