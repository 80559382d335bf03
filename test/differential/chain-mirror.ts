import { decodeBlock } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import type { FinalizationStatistics } from "../../catapult/wire/finalization.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { matchesHeader } from "../../ledger/engine/header-match.js";

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
  /** The newest block that was final for the node when it was asked last. */
  #nodeFinalization: FinalizationStatistics | undefined;
  readonly #finalizations = new Map<string, FinalizationStatistics>();
  readonly #forks: number[] = [];

  constructor(client: NodeClient, config: NetworkConfig, identity: NetworkIdentity, nemesis: Buffer) {
    this.#client = client;
    this.#identity = identity;
    this.#state = new ChainState(config);
    this.#execute(this.#decode(nemesis));
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

  /** Lengths of the branches that we had executed and the node has left. */
  get forks(): readonly number[] {
    return this.#forks;
  }

  /** The finalized block of each round that the node reported, by epoch and point. */
  get finalizations(): ReadonlyMap<string, FinalizationStatistics> {
    return this.#finalizations;
  }

  /** The hash of our block of a height. */
  hashAt(height: number): Buffer | undefined {
    return this.#blocks[height - 1]?.hash;
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
    await this.#leaveBranch();
    const blocks: Block[] = [];
    while (this.height < height) {
      const received = (await this.#client.blocks(this.height + 1, BATCH)).map((bytes) => this.#decode(bytes));
      // The node may have left our branch meanwhile: the next call notices it.
      if (!received[0]?.entity.previousBlockHash.equals(this.hashAt(this.height)!)) break;
      for (const block of received) blocks.push(this.#execute(block));
    }
    await this.#finalize(blocks.length > 0);
    return blocks;
  }

  async #isOurs(height: number): Promise<boolean> {
    const [hash] = await this.#client.blockHashes(height, 1);
    return hash?.equals(this.hashAt(height)!) === true;
  }

  async #leaveBranch(): Promise<void> {
    const left = this.height;
    while (!(await this.#isOurs(this.height))) {
      this.#state.rollbackTo(this.height - 1);
      this.#blocks.pop();
      this.#finalizedBefore.pop();
    }
    if (this.height < left) this.#forks.push(left - this.height);
  }

  #decode(bytes: Buffer): Block {
    return decodeBlock(bytes, this.#identity);
  }

  #execute(block: Block): Block {
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
   * A node prunes when it adds a block, up to what is final for it then: that is at least what it reported before we
   * saw the block. Votes may finalize a block that is not in its chain.
   */
  async #finalize(hasBlocks: boolean): Promise<void> {
    const { height, hash } = this.#nodeFinalization ?? { height: 1, hash: this.hashAt(1)! };
    const isOurs = this.hashAt(height)?.equals(hash) === true;
    if (hasBlocks && isOurs && height > this.#finalizedHeight) {
      this.#finalizedHeight = height;
      this.#state.finalize(height, this.#blocks[height - 1]!.timestamp);
    }
    const finalization = await this.#client.finalizationStatistics();
    this.#nodeFinalization = finalization;
    this.#finalizations.set(`${finalization.epoch}/${finalization.point}`, finalization);
  }
}
