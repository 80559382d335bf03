import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { stateHandlers } from "../../devnet/protocol/state-handlers.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import type { ChainTables } from "../../ledger/tables/chain-tables.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { recordedConfig } from "./known-networks.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";

/**
 * A node with state: it executes the blocks that it serves, and answers state paths as of its head. Like the reference it deletes what has finally ended with the next block that it accepts.
 */
export class StateNode {
  readonly node: BranchNode;
  readonly #state: ChainState;
  #hashes: string[] = [];
  #finalizedHeight = 1;

  /** @param node that has no state of its own */
  constructor(node: BranchNode, config: NetworkConfig) {
    this.node = node;
    this.#state = new ChainState(config);
    for (const [type, handler] of stateHandlers(this.#state)) node.handlers.set(type, handler);
  }

  static start(chain: RecordedChain, blocks: readonly ServedBlock[]): Promise<StateNode> {
    return StateNode.startOf({ ...recordedNode(chain), config: recordedConfig(chain) }, blocks);
  }

  /** A node of any network. */
  static async startOf(
    { config, ...served }: { network: NetworkIdentity; nodeInfo?: Buffer; config: NetworkConfig },
    blocks: readonly ServedBlock[],
  ): Promise<StateNode> {
    const node = new StateNode(await BranchNode.start({ ...served, blocks: blocks.slice(0, 1) }), config);
    node.switchTo(blocks);
    return node;
  }

  get address(): { host: string; port: number } {
    return this.node.address;
  }

  get tables(): ChainTables {
    return this.#state.tables;
  }

  /** Serves `blocks` (the whole chain from the nemesis block on) from now on. */
  switchTo(blocks: readonly ServedBlock[]): void {
    const decoded = blocks.map(({ block }) => this.node.decode(block));
    const hashes = decoded.map(({ hash }) => hash.toString("hex"));
    const different = hashes.findIndex((hash, index) => hash !== this.#hashes[index]);
    const common = different < 0 ? hashes.length : different;
    this.#state.rollbackTo(common);
    for (const block of decoded.slice(common)) {
      this.#state.execute(block, (result) => matchesHeader(result, block.entity));
    }
    const finalized = decoded[this.#finalizedHeight - 1];
    if (finalized) this.#state.finalize(finalized.height, finalized.timestamp, 0);
    this.#hashes = hashes;
    this.node.switchTo(blocks);
  }

  /** Reports it at once; ended entries are deleted with the next `switchTo`. */
  finalize(finalization: { epoch: number; point: number; height: number }): void {
    this.#finalizedHeight = finalization.height;
    this.node.finalize(finalization);
  }

  close(): Promise<void> {
    return this.node.close();
  }
}
