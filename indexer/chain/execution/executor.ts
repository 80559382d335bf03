import { decodeBlock } from "../../../catapult/entity/block.js";
import type { Block } from "../../../catapult/entity/model.js";
import type { StateKey } from "../../../catapult/state/key.js";
import { verifyBlock } from "../../../catapult/verify/verify.js";
import { findBlockHash, readRawBlocks } from "../../../database/queries/blocks.js";
import type { Head } from "../../../database/queries/head.js";
import type { ChainState } from "../../../ledger/engine/chain-state.js";
import type { EndedEntry } from "../../../ledger/engine/entry-changes.js";
import type { VotingSet } from "../../../ledger/finalization/voting-set.js";
import { verifyBlockTime } from "../../../ledger/header/block-time.js";
import { verifyHeader } from "../../../ledger/header/header-rules.js";
import type { Voters } from "../finality/finality.js";
import { ProvenHashes } from "../finality/votes.js";
import { BlockRange } from "../step/block-range.js";
import { type ChainPosition, readPosition } from "../step/chain-position.js";
import type { IndexContext } from "../step/index-context.js";
import { asRejection, type ExecutedChain, type Execution, type UncheckedBlock, unfit } from "./executed-chain.js";
import { openLoadedLedger, replacedKeys } from "./stored-ledger.js";
import type { RejectedExecution } from "./sub-cache-roots.js";

type ExecutorContext = Pick<IndexContext, "db" | "network" | "config" | "log" | "metrics">;

const RAW_BLOCKS_AT_A_TIME = 100;

/**
 * Keeps a ledger beside the index: executes each block before it is written, and returns its changes, so that blocks
 * and state are written in one transaction. What needs no state is verified by others before that. The ledger may be
 * ahead of the index by blocks that are never written: `align` goes back to the index, if these can still be undone, or
 * loads the state again.
 *
 * Invariants:
 * - the ledger is always the state after a block with a known hash; `align` moves it to where a range begins;
 * - what is not in the database may be lost at any time: the ledger is loaded from there, and can be executed again;
 * - no block is executed on a state that has failed, whether the block was wrong or the state: after a failure, `align`
 *   loads it from the database before anything else is executed;
 * - nothing is returned whose hashes differ from the header's.
 */
export class Executor implements Voters {
  readonly #context: ExecutorContext;
  readonly #now: () => number;
  #chain: ExecutedChain | undefined;
  /** Gets the entries that going back to where blocks are written has restored. */
  #restored: BlockRange | undefined;
  /** Blocks that are executed without checks. */
  readonly provenBlocks = new ProvenHashes();
  #rejected: RejectedExecution | undefined;
  /** The failure because of which the state in memory is not used any more. */
  #failure: unknown;
  /** Where the last range began. */
  #base: ChainPosition | undefined;
  /** Whether a range was written since the state was loaded. */
  #hasWritten = false;

  /** @param now the time, ms since 1970; default that of this machine */
  constructor(context: ExecutorContext, now: () => number = Date.now) {
    this.#context = context;
    this.#now = now;
  }

  /** The state after the block where the next range begins; undefined before the first `align`. */
  get ledger(): ChainState | undefined {
    return this.#chain?.ledger;
  }

  /**
   * Moves the ledger to where the next block is to be executed: the head, or the last kept block when others are
   * dropped. What was executed before is in the database by now, or will never be.
   *
   * @returns a range without blocks after `base`, with the entries that dropping blocks restores
   * @throws StoredStateError when stored rows do not match the state
   */
  async align(head: Head, base: ChainPosition): Promise<BlockRange> {
    if (this.#failure) this.#discard();
    // The last range may have begun below the head, on a branch that was not written.
    if (!this.#isAt(head) && !this.#goBack(head) && this.#base) this.#goBack(this.#base);
    if (!this.#isAt(head)) await this.#moveTo(head, head);
    const range = new BlockRange(await readPosition(this.#context.db, base));
    range.indexed = head;
    this.#restored = range;
    this.#base = base;
    if (base.height < head.height) await this.#moveTo(base, head);
    this.#restored = undefined;
    return range;
  }

  /**
   * Executes the block after the ledger's and verifies its header, receipts hash and state hash. Its transactions,
   * signatures and generation hash are verified elsewhere, before it is written. One of the `provenBlocks` is executed
   * without checks, and hashes that are others than computed are noted.
   *
   * @param range receives what it changes
   * @param onDecoded called before the execution, which does not wait: verifies the signatures of the block. Without it, a
   *   wrong signature is no reason to reject the block
   * @throws BlockRejectedError
   */
  execute(bytes: Buffer, range?: BlockRange, onDecoded?: (block: Block, isProven: boolean) => void): UncheckedBlock {
    const { network } = this.#context;
    const chain = this.#requireChain();
    const { ledger, headers } = chain;
    const { height, differsSince, config } = ledger;
    const parent = headers.head;
    const isProven = this.provenBlocks.hasBlock(bytes);
    let usesState = false;
    let executing: Block | undefined;
    let execution: Execution | undefined;
    try {
      const block = decodeBlock(bytes, network);
      if (parent && !block.previousHash.equals(parent.hash)) throw unfit(block, "previousHash");
      onDecoded?.(block, isProven);
      usesState = true;
      if (!isProven) verifyBlockTime(block, config, this.#now());
      const terms = isProven ? undefined : verifyHeader(block, headers, ledger);
      executing = block;
      execution = chain.execute(block, isProven);
      if (!isProven && !execution.match.hasReceiptsHash) throw unfit(block, "receiptsHash");
      if (!isProven && !execution.match.hasStateHash) throw unfit(block, "stateHash");
      chain.accept(block, execution, isProven, range);
      return { block, execution, parent, terms, isProven };
    } catch (error) {
      // The failure of a wrong block and that of a wrong state look alike.
      if (usesState && differsSince === undefined) this.invalidateState(error);
      this.#rejected = executing && rejectedExecution(executing, execution);
      ledger.rollbackTo(height);
      const rejection = asRejection(height + 1, error);
      // An error in the bytes themselves is the cause of everything else, and is reported first.
      verifyBlock({
        bytes,
        statementBytes: NOTHING,
        network,
        ...(parent && { previous: parent }),
        checkSignatures: onDecoded !== undefined,
        isProven,
        execute: () => {
          if (execution) return execution.executed;
          throw rejection;
        },
      });
      throw rejection;
    }
  }

  /** Runs `work`, which executes blocks after `base` that are not written. Afterwards the ledger is there again. */
  async rehearse<T>(head: Head, base: ChainPosition, work: () => Promise<T>): Promise<T> {
    await this.align(head, base);
    try {
      return await work();
    } finally {
      if (!this.#goBack(base)) this.invalidateState(new Error(`The state cannot go back to block ${base.height}`));
    }
  }

  /** The age of a block by the clock of this machine, in ms. */
  computeAge({ timestamp }: Pick<Block, "timestamp">): number {
    return this.#now() - this.#context.config.epochAdjustment - timestamp;
  }

  /** To be called after a failure that may come from the state in memory: it is loaded again before it is used. */
  invalidateState(failure: unknown): void {
    this.#failure ??= failure;
  }

  /** Whether there was such a failure, and not right after the state was loaded: loading it again may help. */
  get mayRecover(): boolean {
    return this.#failure !== undefined && this.#hasWritten;
  }

  /** Height since which the state differs from that of the network; undefined while its state hash is right. */
  get differsSince(): number | undefined {
    return this.ledger?.differsSince;
  }

  /** The entries that end when a block becomes final. */
  endedBy(height: number): readonly EndedEntry[] {
    return this.#requireChain().ledger.endedBy(height);
  }

  /** Marks a block as final. @param timestamp of the block, ms since the network's epoch; default that in memory */
  finalize(
    { height, epoch }: { readonly height: number; readonly epoch: number },
    timestamp = this.#requireChain().headers.at(height)!.timestamp,
  ): void {
    const chain = this.#requireChain();
    chain.ledger.finalize(height, timestamp);
    chain.forgetFinal(height, epoch);
  }

  /** Blocks up to here will not be rolled back: what undoes them is forgotten. */
  forgetUndo(floor: number): void {
    // Below the first block there is nothing to go back to, and on a public network it changes tens of thousands of
    // entries.
    this.#requireChain().ledger.forgetUndo(Math.max(1, floor));
  }

  /** To be called when a range is written. */
  wroteRange(): void {
    this.#hasWritten = true;
  }

  /** To be called when everything that was executed is written. */
  wrote(floor: number): void {
    this.forgetUndo(floor);
    this.#requireChain().forgetHeaders(floor);
  }

  /** The hash of a newer block of the chain, as far as it is in memory. */
  hashAt(height: number): Buffer | undefined {
    return this.#chain?.headers.at(height)?.hash;
  }

  /**
   * The voters of an epoch; undefined if the epoch has long been final, or the state that determines them is not
   * reached yet.
   */
  votingSet(epoch: number): VotingSet | undefined {
    return this.#chain?.votingSets.get(epoch);
  }

  /** The block that `execute` rejected last, if it was rejected during execution or because of its result. */
  get rejected(): RejectedExecution | undefined {
    return this.#rejected;
  }

  /** Whether votes prove the block that `execute` rejected last, at this height: then a rule is missing here. */
  isProvenAndRejected(height: number | null): boolean {
    return this.#rejected?.height === height && this.provenBlocks.has(this.#rejected.hash);
  }

  #requireChain(): ExecutedChain {
    if (!this.#chain) throw new Error("The ledger was not aligned with the index");
    return this.#chain;
  }

  #isAt(position: ChainPosition): boolean {
    return this.#chain?.isAt(position) === true;
  }

  /** Goes back in memory if possible, executes stored blocks if they are above, and otherwise loads the state. */
  async #moveTo(position: ChainPosition, head: Head): Promise<void> {
    if (this.#goBack(position)) return;
    if (await this.#goForward(position)) return;
    await this.#load(position, head);
  }

  /** Throws the state in memory away: the next one is loaded. */
  #discard(): void {
    const { log, metrics } = this.#context;
    if (this.ledger) {
      log.warn({ height: this.ledger.height, err: this.#failure }, "Loading the state again after a failure");
      metrics?.count("state_reloads_total");
    }
    this.#failure = undefined;
    this.#chain = undefined;
  }

  #goBack(position: ChainPosition): boolean {
    const changed = this.#chain?.goBack(position);
    if (changed) this.#noteEntries(changed);
    return changed !== undefined;
  }

  /** Executes blocks of the index, if the ledger is the state after one of them. */
  async #goForward(position: ChainPosition): Promise<boolean> {
    const { db } = this.#context;
    if (!this.#chain) return false;
    const { ledger, headers } = this.#chain;
    if (ledger.height === 0 || ledger.height > position.height) return false;
    const hash = await findBlockHash(db, ledger.height);
    if (!hash || !headers.head?.hash.equals(hash)) return false;
    while (ledger.height < position.height) {
      const from = ledger.height + 1;
      const rows = await readRawBlocks(db, from, Math.min(position.height, from + RAW_BLOCKS_AT_A_TIME - 1));
      if (rows.length === 0) return false;
      for (const { block } of rows) {
        try {
          this.execute(block);
        } catch (error) {
          // The index has verified it before: it is the state in memory that is wrong.
          this.invalidateState(error);
          this.#discard();
          return false;
        }
      }
    }
    return this.#isAt(position);
  }

  async #load(position: ChainPosition, head: Head): Promise<void> {
    const { db } = this.#context;
    this.#chain = undefined;
    this.#hasWritten = false;
    this.#chain = await openLoadedLedger(this.#context, position.height, head);
    if (position.height > 0) this.#noteEntries(await replacedKeys(db, position.height));
  }

  /** Notes that entries are others than the stored ones: a roll-back restored them. */
  #noteEntries(keys: readonly StateKey[]): void {
    const { ledger } = this.#requireChain();
    this.#restored?.addEntries(keys.map((key) => ({ ...key, after: ledger.entry(key) })));
  }
}

const NOTHING = Buffer.alloc(0);

function rejectedExecution({ height, hash, entity }: Block, execution: Execution | undefined): RejectedExecution {
  const roots = execution && { subCacheMerkleRoots: execution.executed.subCacheMerkleRoots };
  return { height, hash, stateHash: Buffer.from(entity.stateHash), ...roots };
}
