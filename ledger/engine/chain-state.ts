import type { FailureName } from "../../catapult/announcement/status-code.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { NetworkConfig } from "../config/network-config.js";
import { createRuleBook } from "../rules/all-rules.js";
import { createValidationContext } from "../rules/execution-context.js";
import type { ExecutableBlock, ExecutableTransaction } from "../rules/notifications.js";
import type { RuleBook, ValidationContext } from "../rules/rule-book.js";
import { ChainTables } from "../tables/chain-tables.js";
import { dynamicFeeMultiplier } from "../tables/fee-multiplier.js";
import {
  computeImportanceHeight,
  type ImportanceCounts,
  importanceCounts,
  loadHighValueAccounts,
} from "../tables/importance.js";
import type { Checkpoint } from "../trees/journal.js";
import { bytesOfMapKey, mapKey } from "../trees/state-table.js";
import { executeBlock } from "./block-execution.js";
import { DryRun } from "./dry-run.js";
import { type EndedEntry, entryOf } from "./entry-changes.js";
import { loadEntry, type StateBasis, type StoredEntry } from "./entry-loader.js";
import { BlockExecutionError, type ExecutedBlock } from "./executed-block.js";
import { checkCosignatories, checkPartial, checkStateless } from "./transaction-checks.js";

/**
 * Blocks for which removed namespaces are kept: a day on the public networks. The creators of blocks learn of finality
 * within minutes.
 */
const KEPT_NAMESPACE_BLOCKS = 2_880;

/** How the state after a block relates to that of the network. */
export interface StateDifference {
  /** Height since which the state hash is another one than that of the headers; undefined while it is right. */
  readonly since: number | undefined;
  /** Roots of the nine sub-caches as computed, 32 bytes each, concatenated. */
  readonly roots: Buffer;
}

/**
 * The state of a chain, and the rules by which blocks change it. Blocks executed here can be rolled back until they are
 * final, or their undo data is discarded; blocks below the height where a state was loaded cannot.
 *
 * Invariants of the undo data:
 * - `#undoFloor` is the lowest height that can be rolled back to: the highest of where the state was loaded, what was
 *   finalized, and up to where undo data was discarded; so it is never below the finalized height nor above `#height`;
 * - each block above it has a checkpoint, no other block has one, and the journal begins with the first of them: so
 *   finalization of a block below it discards nothing;
 * - outside of `execute`, each tree is that of the entries: no key waits for its update.
 */
export class ChainState {
  readonly config: NetworkConfig;
  readonly tables: ChainTables;
  readonly #rules: RuleBook;
  readonly #checkpoints = new Map<number, Checkpoint>();
  /** The changed keys of the blocks that can be rolled back. */
  readonly #changedKeys = new Map<number, readonly StateKey[]>();
  #height = 0;
  #finalizedHeight = 0;
  #undoFloor = 0;
  #hasDiffered = false;

  constructor(config: NetworkConfig) {
    this.config = config;
    this.tables = new ChainTables(config);
    this.#rules = createRuleBook(config);
  }

  /**
   * The state of a chain whose entries were stored.
   *
   * @throws EntityError naming the field of an entry that cannot be decoded
   */
  static async load(
    config: NetworkConfig,
    { height, finalizedHeight, feeMultipliers, confirmed }: StateBasis,
    entries: AsyncIterable<{ readonly kind: StateKind; readonly entry: StoredEntry }>,
  ): Promise<ChainState> {
    const state = new ChainState(config);
    const { tables } = state;
    for await (const { kind, entry } of entries) loadEntry(tables, kind, entry, height);
    for (const table of tables.stateTables()) table.endLoading();
    loadHighValueAccounts({ tables, config });
    tables.lastImportanceHeight.load(computeImportanceHeight(height + 1, config.importanceGrouping));
    tables.feeMultipliers.load(feeMultipliers);
    tables.dynamicFeeMultiplier.load(dynamicFeeMultiplier(config, feeMultipliers));
    for (const { hash, deadline } of confirmed) tables.confirmed.load(mapKey(hash), BigInt(deadline));
    state.#height = height;
    state.#finalizedHeight = finalizedHeight;
    state.#undoFloor = height;
    state.#pruneRestored(state.#keysThatEnd());
    return state;
  }

  /** Height of the last block executed, 0 before the nemesis block. */
  get height(): number {
    return this.#height;
  }

  /** Whether a transaction is in a block; reliable only until its deadline has passed. */
  isConfirmed(transactionHash: Buffer): boolean {
    return this.tables.isConfirmed(transactionHash);
  }

  /**
   * Executes the next block. What an alias of an ended namespace means in it depends on whether its creator had removed
   * the namespace (see `Namespaces`): the first meaning with which the block can be executed, and fits, is taken.
   *
   * @param fits whether the result is that of the block's header; by default any is
   * @param isProven whether votes prove the block: then nothing is checked, and what cannot be executed is left out
   * @throws BlockExecutionError if it does not follow, or naming the transaction and its failure; then nothing
   * changed.
   */
  execute(
    block: ExecutableBlock,
    fits: (result: ExecutedBlock) => boolean = () => true,
    isProven = false,
  ): ExecutedBlock {
    if (block.height !== this.#height + 1) {
      throw new BlockExecutionError(`block ${block.height} does not follow block ${this.#height}`);
    }
    const { journal, namespaces } = this.tables;
    const checkpoint = journal.checkpoint();
    namespaces.forgetLookUps();
    const first = this.#attempt(block, isProven);
    const ends = namespaces.endsLookedUp(block.height);
    const hasOneMeaning = ends.length === 0;
    if (first.result && (hasOneMeaning || fits(first.result))) return this.#accept(block, checkpoint, first.result);
    for (const end of ends) {
      this.#revertTo(checkpoint);
      namespaces.deleteEnded(end);
      const { result } = this.#attempt(block, isProven);
      if (result && fits(result)) return this.#accept(block, checkpoint, result);
    }
    this.#revertTo(checkpoint);
    if (!first.result) throw asExecutionError(block, first.error);
    return this.#accept(block, checkpoint, this.#executeBlock(block, isProven));
  }

  #executeBlock(block: ExecutableBlock, isProven: boolean): ExecutedBlock {
    return executeBlock({ tables: this.tables, config: this.config, rules: this.#rules }, block, isProven);
  }

  #attempt(block: ExecutableBlock, isProven: boolean): { readonly result?: ExecutedBlock; readonly error?: unknown } {
    try {
      return { result: this.#executeBlock(block, isProven) };
    } catch (error) {
      return { error };
    }
  }

  #accept(block: ExecutableBlock, checkpoint: Checkpoint, result: ExecutedBlock): ExecutedBlock {
    this.#checkpoints.set(block.height, checkpoint);
    this.#changedKeys.set(
      block.height,
      result.changes.map(({ kind, key }) => ({ kind, key })),
    );
    this.#height = block.height;
    return result;
  }

  /** Whether `rollbackTo(height)` is possible: the undo data of the blocks above is there. */
  canRollBackTo(height: number): boolean {
    return height >= this.#undoFloor;
  }

  /**
   * Rolls back all blocks above `height`. Returns the keys that they changed, some perhaps twice.
   *
   * @throws RangeError unless `canRollBackTo(height)`
   */
  rollbackTo(height: number): readonly StateKey[] {
    if (height >= this.#height) return [];
    const checkpoint = this.#checkpoints.get(height + 1);
    if (checkpoint === undefined) {
      throw new RangeError(`cannot roll back to ${height}: there is no undo data below ${this.#undoFloor}`);
    }
    this.#revertTo(checkpoint);
    const changed: StateKey[] = [];
    for (let reverted = height + 1; reverted <= this.#height; ++reverted) {
      for (const key of this.#changedKeys.get(reverted) ?? []) changed.push(key);
      this.#checkpoints.delete(reverted);
      this.#changedKeys.delete(reverted);
    }
    this.#height = height;
    this.#pruneRestored(changed);
    return changed;
  }

  /** An entry in stored form, after the last block; undefined if there is none. */
  entry(key: StateKey): StoredEntry | undefined {
    return entryOf(this.tables, key);
  }

  /** The entries that `finalize(height)` will change: locks and root namespaces that ended. */
  endedBy(height: number, keptFor = KEPT_NAMESPACE_BLOCKS): readonly EndedEntry[] {
    const { journal } = this.tables;
    const checkpoint = journal.checkpoint();
    const keys = new StateKeySet();
    keys.addAll(this.#prune(height, keptFor));
    const entries = [...keys].map((key) => ({ ...key, after: this.entry(key) }));
    journal.revertTo(checkpoint);
    return entries;
  }

  /**
   * Marks blocks up to `height` (at time `timestamp`, ms since the network's epoch) as final: expired locks and
   * namespaces up to there, and transactions whose deadline passed, are removed.
   *
   * @param keptFor number of blocks for which removed namespaces are kept, in case a block's creator still had them
   */
  finalize(height: number, timestamp: number, keptFor = KEPT_NAMESPACE_BLOCKS): void {
    if (height > this.#height) throw new RangeError(`cannot finalize ${height}: the chain ends at ${this.#height}`);
    const { confirmed, journal } = this.tables;
    const beforePruning = journal.checkpoint();
    this.#prune(height, keptFor);
    journal.forgetSince(beforePruning);
    confirmed.forget((deadline) => deadline < BigInt(timestamp));
    this.#finalizedHeight = Math.max(this.#finalizedHeight, height);
    this.forgetUndo(height);
  }

  /**
   * Discards the data for rolling back blocks up to `height`, although they may not be final: this bounds its memory.
   */
  forgetUndo(height: number): void {
    const floor = Math.min(height, this.#height);
    for (let passed = this.#undoFloor + 1; passed <= floor; ++passed) {
      this.#checkpoints.delete(passed);
      this.#changedKeys.delete(passed);
    }
    if (floor <= this.#undoFloor) return;
    this.#undoFloor = floor;
    const { journal } = this.tables;
    journal.forgetBefore(this.#checkpoints.get(floor + 1) ?? journal.checkpoint());
  }

  /** Why a transaction is invalid in any state, signatures aside. */
  checkStateless(transaction: ExecutableTransaction): FailureName | undefined {
    return checkStateless(this.#rules, transaction);
  }

  /**
   * Why a bonded aggregate, without its cosignatures, may not be partial.
   *
   * @param timestamp now, in ms since the network's epoch.
   */
  checkPartial(aggregate: ExecutableTransaction, timestamp: number): FailureName | undefined {
    return checkPartial(this.#rules, aggregate, this.#contextAtHead(timestamp));
  }

  /**
   * Whether these cosigners complete a bonded aggregate: undefined if so, `Failure_Aggregate_Missing_Cosignatures` if
   * more are needed, `Failure_Aggregate_Ineligible_Cosignatories` if one of them is not involved.
   */
  checkCosignatories(aggregate: ExecutableTransaction, cosignerPublicKeys: readonly Buffer[]): FailureName | undefined {
    return checkCosignatories(this.#rules, aggregate, cosignerPublicKeys, this.#contextAtHead(0));
  }

  /** Starts a dry run of transactions for the next block. */
  startDryRun(): DryRun {
    return new DryRun(this.#rules, this.tables, this.#height);
  }

  /** Roots of the nine sub-caches after the last block. */
  subCacheMerkleRoots(): readonly Buffer[] {
    return this.tables.stateTables().map((table) => table.rootHash());
  }

  /** Height since which the state differs from that of the network; undefined while its state hash is right. */
  get differsSince(): number | undefined {
    return this.tables.differsSince.get() || undefined;
  }

  /** Notes whether the last block's state hash is that of its header, which votes prove. */
  noteStateHash(isRight: boolean): void {
    const { differsSince } = this.tables;
    if (isRight) differsSince.set(0);
    else if (differsSince.get() === 0) differsSince.set(this.#height);
    this.#hasDiffered ||= !isRight;
  }

  /** How the state differs from that of the network; undefined if it never did. */
  difference(): StateDifference | undefined {
    if (!this.#hasDiffered) return undefined;
    return { since: this.differsSince, roots: Buffer.concat(this.subCacheMerkleRoots()) };
  }

  /** Notes of a loaded state since which height it differs from that of the network. */
  loadDifference(since: number): void {
    this.tables.differsSince.load(since);
    this.#hasDiffered = true;
  }

  /** The contents of the footer of the last executed importance block. */
  importanceCounts(): ImportanceCounts {
    return importanceCounts({ tables: this.tables, config: this.config, height: this.#height });
  }

  /** Removes what ended up to `height`, and was not final before. Returns its keys, some perhaps twice. */
  #prune(height: number, keptFor: number): StateKey[] {
    const { namespaces, hashLocks, secretLocks } = this.tables;
    const keys: StateKey[] = [];
    for (let passed = this.#finalizedHeight + 1; passed <= height; ++passed) {
      for (const id of namespaces.prune(passed, keptFor)) keys.push({ kind: "namespace", key: idBytes(id) });
      for (const id of hashLocks.prune(passed)) keys.push({ kind: "hashLock", key: bytesOfMapKey(id) });
      for (const id of secretLocks.prune(passed)) keys.push({ kind: "secretLock", key: bytesOfMapKey(id) });
    }
    return keys;
  }

  *#keysThatEnd(): Generator<StateKey> {
    for (const kind of ["namespace", "hashLock", "secretLock"] as const) {
      for (const key of this.tables.byKind(kind).keys()) yield { kind, key };
    }
  }

  /** Removes entries that a roll-back brought back, though their end is final. */
  #pruneRestored(keys: Iterable<StateKey>): void {
    const { namespaces, hashLocks, secretLocks, journal } = this.tables;
    const checkpoint = journal.checkpoint();
    for (const { kind, key } of keys) {
      if (kind === "namespace") namespaces.pruneRoot(key.readBigUInt64LE(), this.#finalizedHeight);
      if (kind === "hashLock") hashLocks.pruneId(mapKey(key), this.#finalizedHeight);
      if (kind === "secretLock") secretLocks.pruneId(mapKey(key), this.#finalizedHeight);
    }
    journal.forgetSince(checkpoint);
  }

  /** As in the reference, partial transactions are checked as of the last block, not the next one. */
  #contextAtHead(timestamp: number): ValidationContext {
    return createValidationContext(this.tables, this.config, this.#height, timestamp);
  }

  /** Undoes everything since a checkpoint: trees and entries are as they were then, and no key waits for an update. */
  #revertTo(checkpoint: Checkpoint): void {
    this.tables.journal.revertTo(checkpoint);
    for (const table of this.tables.stateTables()) table.forgetTouched();
  }
}

/** A rule may fail on what it does not know, or on a state that it does not expect: that rejects the block too. */
function asExecutionError({ height }: ExecutableBlock, error: unknown): unknown {
  if (error instanceof BlockExecutionError) return error;
  return new BlockExecutionError(`block ${height}: ${(error as Error).message}`, { cause: error });
}
