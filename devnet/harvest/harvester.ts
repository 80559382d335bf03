import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block } from "../../catapult/entity/model.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { nextDifficulty } from "../../ledger/header/difficulty.js";
import { assembleBlock } from "../chain/block-assembly.js";
import type { Chain, StoredBlock } from "../chain/chain.js";
import { Tip } from "../chain/tip.js";
import type { DevnetTransaction } from "../chain/transaction.js";
import { toDevnetTransaction } from "../chain/transaction.js";
import type { VotingSets } from "../chain/voting-sets.js";
import type { DevnetKeys } from "../network/keys.js";
import type { DevnetNetwork } from "../network/network.js";
import type { DevnetEvents } from "../pool/events.js";
import type { PartialTransactions } from "../pool/partial-transactions.js";
import type { PoolSelection, TransactionPool } from "../pool/transaction-pool.js";
import { lowestMultiplier } from "../pool/transaction-pool.js";

/** A branch that replaces the blocks above a height. */
export interface BranchPlan {
  /** Height of the last common block. */
  readonly from: number;
  /** Transactions of each new block, in this order. */
  readonly blocks: readonly (readonly DevnetTransaction[])[];
}

/** Dependencies of a harvester. */
export interface HarvesterOptions {
  readonly chain: Chain;
  readonly state: ChainState;
  readonly votingSets: VotingSets;
  readonly pool: TransactionPool;
  readonly partials: PartialTransactions;
  readonly network: DevnetNetwork;
  readonly keys: DevnetKeys;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
  readonly events: DevnetEvents;
}

interface CreatedBlock {
  readonly stored: StoredBlock;
  readonly transactions: readonly DevnetTransaction[];
}

/** Creates blocks: on top of the chain from the pool, or a new branch for tests. */
export class Harvester {
  readonly #options: HarvesterOptions;

  constructor(options: HarvesterOptions) {
    this.#options = options;
  }

  /** Appends a block with the transactions of the pool to the chain. */
  harvest(): StoredBlock {
    const { chain, state, pool, now } = this.#options;
    const timestamp = Math.max(chain.head.timestamp + 1, now());
    const created = this.#create(new Tip(chain), timestamp, pool.select(timestamp));
    try {
      chain.append(created.stored);
    } catch (error) {
      state.rollbackTo(chain.height);
      throw error;
    }
    this.#emit([created], []);
    return created.stored;
  }

  /**
   * Replaces the blocks above a height by others, atomically: no state between the two branches is visible.
   * Transactions of dropped blocks that the new ones do not contain return to the pool. Throws RangeError for a
   * height that is final or does not exist, and BlockExecutionError for a transaction that cannot be executed; then
   * nothing has changed.
   */
  fork(plan: BranchPlan): StoredBlock[] {
    const { chain, state, network, events } = this.#options;
    const { from, blocks } = plan;
    const { height: finalizedHeight } = chain.finalized;
    if (!Number.isSafeInteger(from) || from < finalizedHeight || from > chain.height)
      throw new RangeError(`a branch can begin at heights ${finalizedHeight} to ${chain.height}, not at ${from}`);
    if (blocks.length === 0) throw new RangeError("a branch needs blocks");

    const dropped: Block[] = [];
    for (let height = from + 1; height <= chain.height; height += 1)
      dropped.push(decodeBlock(chain.block(height), network.identity));
    state.rollbackTo(from);
    const created = this.#createBranch(plan, dropped);
    if (dropped.length > 0) events.emit("dropBlocks", from);
    this.#emit(created, dropped);
    return created.map(({ stored }) => stored);
  }

  /** Creates all blocks of a branch and appends them to the chain, or restores the state. */
  #createBranch({ from, blocks }: BranchPlan, dropped: readonly Block[]): CreatedBlock[] {
    const { chain, state, votingSets } = this.#options;
    const tip = new Tip(chain, from);
    const created: CreatedBlock[] = [];
    try {
      for (const [index, transactions] of blocks.entries()) {
        const timestamp = this.#branchTimestamp(tip.head.timestamp, dropped[index]);
        const block = this.#create(tip, timestamp, { transactions, feeMultiplier: lowestMultiplier(transactions) });
        created.push(block);
        tip.add(block.stored);
      }
      chain.replaceAbove(
        from,
        created.map(({ stored }) => stored),
      );
      return created;
    } catch (error) {
      state.rollbackTo(from);
      for (const block of dropped) {
        state.execute(block);
        votingSets.note(state);
      }
      throw error;
    }
  }

  /** A time after the parent's, and different from that of the replaced block, so that the two blocks differ. */
  #branchTimestamp(parentTimestamp: number, replaced: Block | undefined): number {
    if (replaced) return Math.max(parentTimestamp, replaced.timestamp) + 1;
    return Math.max(parentTimestamp + 1, this.#options.now());
  }

  /** Creates the block on top of others, and executes it on the state. */
  #create(tip: Tip, timestamp: number, { transactions, feeMultiplier }: PoolSelection): CreatedBlock {
    const { state, votingSets, network, keys } = this.#options;
    const { rules } = network;
    const height = tip.height + 1;
    const previousImportanceHeight = Math.max(1, height - 1 - ((height - 1) % rules.importanceGrouping));
    const stored = assembleBlock(
      {
        height,
        timestamp,
        difficulty: nextDifficulty(tip.last(rules.maxDifficultyBlocks), rules),
        previousBlockHash: tip.head.hash,
        previousGenerationHash: tip.head.generationHash,
        previousImportanceBlockHash: tip.at(previousImportanceHeight).hash,
        feeMultiplier,
        transactions,
        signer: keys.remote,
        vrf: keys.vrf,
        beneficiaryAddress: addressOfPublicKey(keys.beneficiary.publicKey, rules.networkIdentifier),
      },
      rules,
      state,
    );
    votingSets.note(state);
    return { stored, transactions: transactions.map((transaction, index) => ({ ...transaction, index })) };
  }

  #emit(created: readonly CreatedBlock[], dropped: readonly Block[]): void {
    const { pool, partials, events } = this.#options;
    for (const { stored, transactions } of created) events.emit("block", stored, transactions);
    const reverted = dropped.flatMap(({ transactions }) => transactions.map(toDevnetTransaction));
    partials.chainChanged(reverted);
    pool.rebase(reverted);
  }
}
