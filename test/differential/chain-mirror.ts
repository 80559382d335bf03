import { decodeBlock } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";

/** The first block of a node's chain that we have not executed, and others after it. */
const BATCH = { maxBlocks: 20, maxBytes: 20_000_000 };

/** The chain of a node, executed by our own rules in memory. */
export class ChainMirror {
  readonly #client: NodeClient;
  readonly #identity: NetworkIdentity;
  readonly #blocks: Block[] = [];
  readonly #finalizedBefore: [height: number, finalizedHeight: number][] = [];
  readonly #state: ChainState;
  #finalizedHeight = 0;
  /** The newest block that the node held for final when it was asked last. */
  #nodeFinalizedHeight = 1;
  #rollbacks = 0;

  constructor(client: NodeClient, config: NetworkConfig, identity: NetworkIdentity, nemesis: Buffer) {
    this.#client = client;
    this.#identity = identity;
    this.#state = new ChainState(config);
    this.#execute(nemesis);
  }

  get state(): ChainState {
    return this.#state;
  }

  get height(): number {
    return this.#state.height;
  }

  /** All blocks, from the first. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** What was final, and pruned, when each block was executed; only where it changed. */
  get finalizedBefore(): readonly (readonly [height: number, finalizedHeight: number])[] {
    return this.#finalizedBefore.filter(([, final], index, all) => index === 0 || all[index - 1]![1] !== final);
  }

  get finalizedHeight(): number {
    return this.#finalizedHeight;
  }

  /** How often the node has left a branch that we had executed. */
  get rollbacks(): number {
    return this.#rollbacks;
  }

  /**
   * Executes what the node has above us. Returns the new blocks, without those of a branch that was left.
   *
   * @throws BlockExecutionError, or an Error for a block whose hashes differ from those of our execution
   */
  async follow(): Promise<readonly Block[]> {
    const { height } = await this.#client.chainStatistics();
    if (height === this.height && (await this.#isOurs(height))) {
      await this.#finalize(false);
      return [];
    }
    while (!(await this.#isOurs(this.height))) this.#rollBack();
    const blocks: Block[] = [];
    while (this.height < height) {
      const received = await this.#client.blocks(this.height + 1, BATCH);
      if (received.length === 0) break;
      for (const bytes of received) blocks.push(this.#execute(bytes));
    }
    await this.#finalize(blocks.length > 0);
    return blocks;
  }

  async #isOurs(height: number): Promise<boolean> {
    const [hash] = await this.#client.blockHashes(height, 1);
    return hash?.equals(this.#blocks[height - 1]!.hash) === true;
  }

  #rollBack(): void {
    this.#rollbacks += 1;
    this.#state.rollbackTo(this.height - 1);
    this.#blocks.pop();
    this.#finalizedBefore.pop();
  }

  #execute(bytes: Buffer): Block {
    const block = decodeBlock(bytes, this.#identity);
    const executed = this.#state.execute(block, (result) => matchesHeader(result, block.entity));
    if (!matchesHeader(executed, block.entity)) {
      this.#state.rollbackTo(block.height - 1);
      const [receipts, state] = [executed.receiptsHash, executed.stateHash].map(hex);
      throw new Error(`Block ${block.height} differs: our receipts are ${receipts}, our state is ${state}`);
    }
    this.#blocks.push(block);
    this.#finalizedBefore.push([block.height, this.#finalizedHeight]);
    return block;
  }

  /**
   * A node prunes when it adds a block, up to what it holds for final then: that is at least what it told before we
   * saw the block.
   */
  async #finalize(hasBlocks: boolean): Promise<void> {
    const final = Math.min(this.#nodeFinalizedHeight, this.height);
    if (hasBlocks && final > this.#finalizedHeight) {
      this.#finalizedHeight = final;
      this.#state.finalize(final, this.#blocks[final - 1]!.timestamp);
    }
    this.#nodeFinalizedHeight = (await this.#client.finalizationStatistics()).height;
  }
}
