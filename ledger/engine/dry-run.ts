import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { createExecutionContext, createValidationContext } from "../rules/execution-context.js";
import { type MissingApproval, missingApprovals } from "../rules/multisig.js";
import type { ExecutableTransaction } from "../rules/notifications.js";
import type { RuleBook, ValidationContext } from "../rules/rule-book.js";
import type { AccountState } from "../tables/accounts.js";
import { ChainTables } from "../tables/chain-tables.js";
import { isLockActive } from "../tables/locks.js";
import { mapKey } from "../trees/state-table.js";
import { publishTransaction } from "./publish.js";
import { checkCosignatories, checkPartial, computeMaxFee } from "./transaction-checks.js";

/** An amount of a mosaic that an account has after a transaction, and had before. */
export interface BalanceChange {
  readonly address: Buffer;
  readonly mosaicId: bigint;
  readonly before: bigint;
  readonly after: bigint;
}

/** An entry of the state that a transaction creates, changes or removes. */
export interface TriedEntry extends StateKey {
  readonly change: "created" | "changed" | "removed";
}

/** What a transaction that succeeds changes. */
export interface DryRunChanges {
  readonly balances: readonly BalanceChange[];
  readonly entries: readonly TriedEntry[];
  /**
   * Its receipts and resolutions, in the form of a node's block statement response, as if it were alone in its block.
   */
  readonly statement: Buffer;
}

export interface DryRunOptions {
  /** Atomic units that it pays; by default its maximum fee, as for a node that has it in no block yet. */
  readonly fee?: bigint;
  /** Whether cosignatures that are missing count as given, because their signers have not been asked yet. */
  readonly assumesCosignatures?: boolean;
  /** Whether a bonded aggregate's lock counts as given: without its signature, the aggregate has no hash to lock. */
  readonly assumesLock?: boolean;
}

/** The result of trying a transaction: why it fails, or what it changes. */
export type DryRunResult =
  | { readonly failure: FailureName; readonly changes?: undefined }
  | { readonly failure?: undefined; readonly changes: DryRunChanges };

/** As the node has it: what an unconfirmed transaction publishes does not depend on the height. */
const UNCONFIRMED = 0;

/** What a dry run looks up on a state that is only partly known. */
export interface UnknownLookUps {
  readonly size: number;
  /**
   * Notes that something is looked up: `unknown` if it has no entry.
   *
   * @throws DryRunLimitError for too many
   */
  note(unknown: StateKey | undefined): void;
}

/** Thrown when a dry run needs more of the state, or more work, than one may. */
export class DryRunLimitError extends Error {
  override readonly name = "DryRunLimitError";
}

/**
 * Transactions that are tried one after the other, as if they were in the next block, on top of a state that stays as
 * it is: as a node does with what is announced (catapult `cache_tx/UtUpdater`). It is stale once that state changes.
 */
export class DryRun {
  readonly #tables: ChainTables;
  readonly #rules: RuleBook;
  /** Height of the last block. */
  readonly #height: number;
  readonly #unknown: UnknownLookUps | undefined;

  /** @param unknown notes keys without an entry that are looked up, if the state is only partly known */
  constructor(rules: RuleBook, state: ChainTables, height: number, unknown?: UnknownLookUps) {
    this.#rules = rules;
    this.#height = height;
    this.#unknown = unknown;
    this.#tables = new ChainTables(rules.config, state);
    if (unknown) this.#tables.watch((key) => unknown.note(key));
  }

  /**
   * Executes a transaction at `timestamp` (ms since the network's epoch). Returns why it fails; then nothing changed.
   *
   * @throws RangeError for a transaction of an unknown type
   */
  add(transaction: ExecutableTransaction, timestamp: number, options?: DryRunOptions): FailureName | undefined {
    const { failure } = this.#run(transaction, timestamp, UNCONFIRMED, options);
    this.#forgetTouched();
    return failure;
  }

  /** Like `add`, but by the rules of the next block; returns the changes too. */
  try(transaction: ExecutableTransaction, timestamp: number, options?: DryRunOptions): DryRunResult {
    const { failure, statement } = this.#run(transaction, timestamp, this.#height + 1, options);
    if (!failure) return { changes: { ...this.#takeChanges(), statement: statement.build().bytes } };
    this.#forgetTouched();
    return { failure };
  }

  #run(transaction: ExecutableTransaction, timestamp: number, height: number, options: DryRunOptions = {}) {
    const { fee = computeMaxFee(transaction), assumesCosignatures = false, assumesLock = false } = options;
    const checks = createValidationContext(this.#tables, this.#rules.config, this.#height + 1, timestamp);
    const context = createExecutionContext(checks);
    const { journal, confirmed } = this.#tables;
    const checkpoint = journal.checkpoint();
    let failure: FailureName | undefined;
    // What a rule rejects may be because of what is unknown. Then the rest is gone through for what it looks up; of the
    // rejected transaction, which may be one of an aggregate, nothing more is executed: the rules before bound that
    // work.
    let isRejected = false;
    publishTransaction(this.#rules, transaction, fee, height, (notification) => {
      if (failure && !this.#unknown?.size) return;
      if (notification.kind === "sourceChange") isRejected = false;
      const found = this.#rules.checkStateful(notification, checks);
      const isAssumed =
        (assumesCosignatures && notification.kind === "embeddedTransaction") ||
        (assumesLock && found === "Failure_LockHash_Unknown_Hash");
      if (found && !isAssumed) {
        failure ??= found;
        isRejected = true;
      } else if (!isRejected) this.#execute(() => this.#rules.execute(notification, context));
    });
    if (failure) journal.revertTo(checkpoint);
    else confirmed.set(mapKey(transaction.hash), transaction.entity.deadline);
    return { failure, statement: context.statement };
  }

  /** Why a bonded aggregate, without its cosignatures, may not be partial; see `ChainState.checkPartial`. */
  checkPartial(aggregate: ExecutableTransaction, timestamp: number): FailureName | undefined {
    return checkPartial(this.#rules, aggregate, this.#contextAtHead(timestamp));
  }

  /** Whether these cosigners complete an aggregate; see `ChainState.checkCosignatories`. */
  checkCosignatories(aggregate: ExecutableTransaction, cosignerPublicKeys: readonly Buffer[]): FailureName | undefined {
    return checkCosignatories(this.#rules, aggregate, cosignerPublicKeys, this.#contextAtHead(0));
  }

  /** The accounts that have not approved an aggregate's transactions, if these addresses sign it. */
  missingApprovals(aggregate: ExecutableTransaction, signers: readonly Buffer[]): readonly MissingApproval[] {
    return missingApprovals(aggregate, signers, this.#contextAtHead(0));
  }

  /** Whether there is a hash lock for an aggregate that can be used in the next block. */
  hasLock(aggregateHash: Buffer): boolean {
    const lock = this.#tables.hashLocks.get(aggregateHash);
    return lock !== undefined && isLockActive(lock, this.#height + 1);
  }

  /** As in the reference, partial transactions are checked as of the last block, not the next one. */
  #contextAtHead(timestamp: number): ValidationContext {
    return createValidationContext(this.#tables, this.#rules.config, this.#height, timestamp);
  }

  /** On a state that is partly unknown, an observer may miss what its validators would have required. */
  #execute(observe: () => void): void {
    if (!this.#unknown) {
      observe();
      return;
    }
    try {
      observe();
    } catch (error) {
      if (this.#unknown.size === 0 || error instanceof DryRunLimitError) throw error;
    }
  }

  #forgetTouched(): void {
    for (const table of this.#tables.stateTables()) table.forgetTouched();
  }

  #takeChanges(): Omit<DryRunChanges, "statement"> {
    const balances: BalanceChange[] = [];
    const entries: TriedEntry[] = [];
    for (const kind of STATE_KINDS) {
      const table = this.#tables.byKind(kind);
      for (const { key, before, after } of table.takeTouched()) {
        entries.push({ kind, key, change: !before ? "created" : after ? "changed" : "removed" });
        if (kind === "account")
          for (const one of balanceChanges(key, before as AccountState, after as AccountState)) balances.push(one);
      }
    }
    return { balances, entries };
  }
}

function balanceChanges(address: Buffer, before: AccountState | undefined, after: AccountState | undefined) {
  const amounts = new Map<bigint, { before: bigint; after: bigint }>();
  for (const { id, amount } of before?.balances ?? []) amounts.set(id, { before: amount, after: 0n });
  for (const { id, amount } of after?.balances ?? []) {
    const known = amounts.get(id);
    if (known) known.after = amount;
    else amounts.set(id, { before: 0n, after: amount });
  }
  return [...amounts]
    .filter(([, change]) => change.before !== change.after)
    .map(([mosaicId, change]) => ({ address, mosaicId, ...change }));
}
