import type { Block, NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { findBlockHash, readRawBlocks } from "../../database/queries/blocks.js";
import type { Head } from "../../database/queries/head.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import { checkOrNote, type OverruledCheck } from "../../ledger/engine/overruled-check.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";
import { verifyBlockTime } from "../../ledger/header/block-time.js";
import { verifyHeader } from "../../ledger/header/header-rules.js";
import { epochOf } from "../../ledger/state/epoch.js";
import { asRejection, type ExecutedChain, type Execution } from "../chain/executed-chain.js";
import { rollbackFloor, type Voters } from "../finality/finality.js";
import { ProvenHashes } from "../finality/proven-chain.js";
import type { ChainPosition } from "../step/chain-position.js";
import { registrationRows } from "../step/registrations.js";
import type { StateChange } from "../step/state-change.js";
import { type LedgerMove, LedgerStep } from "./ledger-step.js";
import { type LedgerSource, openLoadedLedger } from "./loaded-ledger.js";
import { provenOutcome } from "./proven-outcome.js";
import { replacedKeys } from "./stored-ledger.js";
import type { RejectedExecution } from "./sub-cache-roots.js";

export interface LedgerFollowerOptions extends LedgerSource {
  readonly network: NetworkIdentity;
  /** The time, ms since 1970; default that of this machine. */
  readonly now?: (() => number) | undefined;
  /** Called when the state in memory is thrown away after a failure. */
  readonly onDiscarded?: (() => void) | undefined;
}

const RAW_BLOCKS_AT_A_TIME = 100;
const ABSENT = { value: undefined };

/**
 * Keeps a ledger beside the index: executes each block before it is written, and returns its changes, so that blocks
 * and state are written in one transaction.
 *
 * Invariants:
 * - the ledger is always the state after a block with a known hash; `align` moves it to where a step begins;
 * - what is not in the database may be lost at any time: the ledger is loaded from there, and can be executed again;
 * - no block is executed on a state that has failed, whether the block was wrong or the state: after a failure, `align`
 *   loads it from the database before anything else is executed;
 * - nothing is returned whose hashes differ from the header's.
 */
export class LedgerFollower implements Voters {
  readonly #options: LedgerFollowerOptions;
  #chain: ExecutedChain | undefined;
  #step = new LedgerStep();
  /** Blocks whose checks are overruled. */
  readonly provenBlocks = new ProvenHashes();
  #executing: RejectedExecution | undefined;
  #rejected: RejectedExecution | undefined;
  /** The failure because of which the state in memory is not used any more. */
  #failure: unknown;
  /** Where the last step began. */
  #base: ChainPosition | undefined;
  /** Whether a step was written since the state was loaded. */
  #hasWritten = false;

  constructor(options: LedgerFollowerOptions) {
    this.#options = options;
  }

  /** The state after the block where a step begins; undefined before the first `align`. */
  get ledger(): ChainState | undefined {
    return this.#chain?.ledger;
  }

  /**
   * Moves the ledger to where the next block is to be executed: the head, or the last kept block when others are
   * dropped. The previous step is in the database by now, or will never be.
   *
   * @throws StoredStateError when stored rows do not match the state
   */
  async align(head: Head, base: ChainPosition): Promise<void> {
    if (this.#failure) this.#discard();
    // The last step may have begun below the head, on a branch that was not written.
    if (!this.#isAt(head) && this.#base) this.#goBack(this.#base);
    if (!this.#isAt(head)) await this.#moveTo(head, head);
    this.#step = new LedgerStep();
    this.#base = base;
    if (base.height < head.height) await this.#moveTo(base, head);
  }

  /**
   * Executes the block after the ledger's and verifies the result. Of one of the `provenBlocks`, failures of checks and
   * hashes that are others than computed are noted for the step instead. Throws like `verifyBlock`.
   */
  verify({
    bytes,
    parent,
  }: {
    readonly bytes: Buffer;
    readonly parent: ChainPosition & { readonly timestamp: number };
  }): VerifiedBlock {
    const { network } = this.#options;
    const chain = this.#requireChain();
    const { ledger } = chain;
    const { height } = ledger;
    let execution: Execution | undefined;
    let usesState = false;
    const overruled: OverruledCheck[] | undefined = this.provenBlocks.hasBlock(bytes) ? [] : undefined;
    const differed = ledger.differsSince !== undefined;
    this.#executing = undefined;
    try {
      const verified = verifyBlock({
        bytes,
        statementBytes: Buffer.alloc(0),
        network,
        ...(parent.height > 0 && { previous: parent }),
        onInvalidSignature:
          overruled && ((rule) => overruled.push({ height: height + 1, rule, transaction: undefined })),
        execute: (decoded) => {
          usesState = true;
          execution = this.#execute(chain, decoded, overruled);
          return overruled ? provenOutcome(execution.executed, execution.match) : execution.executed;
        },
      });
      chain.accept(verified, execution!, overruled, this.#step);
      // Below the first block there is nothing to go back to, and on a public network it changes tens of thousands of
      // entries.
      if (verified.height === 1) ledger.forgetUndo(1);
      this.#executing = undefined;
      return verified;
    } catch (error) {
      // The failure of a wrong block and that of a wrong state look alike.
      if (usesState && !differed) this.distrust(error);
      this.#rejected = this.#executing;
      ledger.rollbackTo(height);
      this.#step.truncate(height);
      throw error;
    }
  }

  /**
   * Runs `work`, which verifies further blocks that are not written with this step. Afterwards the ledger is where it
   * was.
   */
  async rehearse<T>(work: () => Promise<T>): Promise<T> {
    const { ledger, headers } = this.#requireChain();
    const { height } = ledger;
    const { hash } = headers.head!;
    const step = this.#step;
    this.#step = new LedgerStep();
    try {
      return await work();
    } finally {
      if (!this.#goBack({ height, hash })) this.distrust(new Error(`The state cannot go back to block ${height}`));
      this.#step = step;
    }
  }

  /** The age of a block by the clock of this machine, in ms; undefined before the first `align`. */
  ageOf({ timestamp }: Pick<Block, "timestamp">): number | undefined {
    if (!this.ledger) return undefined;
    return (this.#options.now ?? Date.now)() - this.ledger.config.epochAdjustment - timestamp;
  }

  /** To be called after a failure that may come from the state in memory: it is loaded again before it is used. */
  distrust(failure: unknown): void {
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

  /** The state change of a step that moves the chain in this way. All its blocks were passed to `verify`, in order. */
  change(move: LedgerMove): StateChange {
    const { blocks, finalizedHeight } = move;
    const { ledger } = this.#requireChain();
    const step = this.#step;
    const floor = rollbackFloor(move, ledger.height);
    const keys = new StateKeySet();
    keys.addAll(step.changed);
    const ended = ledger.endedBy(finalizedHeight);
    const endedKeys = new StateKeySet();
    endedKeys.addAll(ended);
    const changed = [...keys].filter(({ kind, key }) => !endedKeys.has(kind, key));
    return {
      registrations: blocks.flatMap(registrationRows),
      values: [
        ...changed.map(({ kind, key }) => ({ kind, key, ...ABSENT, ...ledger.entry({ kind, key }) })),
        ...ended.map(({ kind, key, after }) => ({ kind, key, ...ABSENT, ...after })),
      ],
      replaced: step.replaced.filter(({ height }) => height > floor),
      votingSets: step.votingSets,
      overruled: step.overruled,
      differing: step.differing,
      difference: ledger.difference(),
      floor,
    };
  }

  /**
   * To be called when a step was written.
   *
   * @param finalized the block that became final with it, and its time in ms since the network's epoch
   */
  wrote(move: LedgerMove, finalized: { readonly height: number; readonly timestamp: number } | undefined): void {
    const chain = this.#requireChain();
    const { ledger } = chain;
    const floor = rollbackFloor(move, ledger.height);
    this.#step = new LedgerStep();
    this.#hasWritten = true;
    if (finalized) ledger.finalize(finalized.height, finalized.timestamp);
    ledger.forgetUndo(floor);
    chain.forgetFinal(floor, epochOf(Math.max(1, move.finalizedHeight), ledger.config.votingSetGrouping));
  }

  /**
   * The voters of an epoch; undefined if the epoch has long been final, or the state that determines them is not
   * reached yet.
   */
  votingSet(epoch: number): VotingSet | undefined {
    return this.#chain?.votingSets.get(epoch);
  }

  /** The block that `verify` rejected last, if it was rejected during execution or because of its result. */
  get rejected(): RejectedExecution | undefined {
    return this.#rejected;
  }

  /** Whether votes prove the block that `verify` rejected last, at this height: then a rule is missing here. */
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

  #execute(chain: ExecutedChain, block: Block, overruled: OverruledCheck[] | undefined): Execution {
    const { ledger, headers } = chain;
    try {
      // The time of a proven block shows that the clock is wrong, which is no rule.
      if (!overruled) verifyBlockTime(block, ledger.config, (this.#options.now ?? Date.now)());
      checkOrNote(overruled, block.height, () => verifyHeader(block, headers, ledger));
      const { height, hash } = block;
      const executing = { height, hash, stateHash: Buffer.from(block.entity.stateHash) };
      this.#executing = executing;
      const execution = chain.execute(block, overruled);
      const { executed } = execution;
      this.#executing = { ...executing, subCacheMerkleRoots: executed.subCacheMerkleRoots };
      for (const { kind, key, before } of executed.changes) {
        this.#step.changed.add(kind, key);
        if (block.height > 1) this.#step.replaced.push({ height: block.height, kind, key, before });
      }
      return execution;
    } catch (error) {
      throw asRejection(block.height, error);
    }
  }

  /** Goes back in memory if possible, executes stored blocks if they are above, and otherwise loads the state. */
  async #moveTo(position: ChainPosition, head: Head): Promise<void> {
    if (this.#goBack(position)) return;
    if (await this.#goForward(position)) return;
    await this.#load(position, head);
  }

  /** Throws the state in memory away: the next one is loaded. */
  #discard(): void {
    const { log, onDiscarded } = this.#options;
    if (this.ledger) {
      log.warn({ height: this.ledger.height, err: this.#failure }, "Loading the state again after a failure");
      onDiscarded?.();
    }
    this.#failure = undefined;
    this.#chain = undefined;
    this.#step = new LedgerStep();
  }

  #goBack(position: ChainPosition): boolean {
    const changed = this.#chain?.goBack(position);
    if (changed) this.#step.changed.addAll(changed);
    return changed !== undefined;
  }

  /** Executes blocks of the index, if the ledger is the state after one of them. */
  async #goForward(position: ChainPosition): Promise<boolean> {
    const { db } = this.#options;
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
          this.verify({ bytes: block, parent: headers.head! });
        } catch (error) {
          // The index has verified it before: it is the state in memory that is wrong.
          this.distrust(error);
          this.#discard();
          return false;
        }
      }
    }
    return this.#isAt(position);
  }

  async #load(position: ChainPosition, head: Head): Promise<void> {
    const { db } = this.#options;
    this.#chain = undefined;
    this.#hasWritten = false;
    this.#chain = await openLoadedLedger(this.#options, position.height, head);
    if (position.height > 0) this.#step.changed.addAll(await replacedKeys(db, position.height));
  }
}
