import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutableBlock } from "../../ledger/rules/notifications.js";

/** Executes the next block, and undoes it. Throws like `execute`. Returns the contents of its footer. */
export function preview(state: ChainState, block: ExecutableBlock) {
  state.execute(block);
  const counts = state.importanceCounts();
  state.rollbackTo(block.height - 1);
  return counts;
}
