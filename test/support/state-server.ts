import { decodeBlock } from "../../catapult/entity/block.js";
import { stateHandlers } from "../../devnet/protocol/state-handlers.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import type { BranchNode, ServedBlock } from "./branch-node.js";

/**
 * Lets a node serve a chain of which it has these blocks, with the state paths after its newest block, as any node
 * serves them.
 */
export function serveWithState(
  node: BranchNode,
  blocks: readonly ServedBlock[],
  network: Parameters<typeof decodeBlock>[1],
  config: NetworkConfig,
): void {
  const state = new ChainState(config);
  for (const { block } of blocks) {
    const decoded = decodeBlock(block, network);
    state.execute(decoded, (result) => matchesHeader(result, decoded.entity));
  }
  node.switchTo(blocks);
  for (const [type, handler] of stateHandlers(state)) node.handlers.set(type, handler);
}
