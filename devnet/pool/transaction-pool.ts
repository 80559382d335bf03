import type { Logger } from "pino";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { DryRun } from "../../ledger/engine/dry-run.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import type { DevnetTransaction } from "../chain/transaction.js";
import type { DevnetRules } from "../network/settings.js";
import type { DevnetEvents } from "./events.js";
import type { Rejections } from "./rejections.js";

/** Filter of a request for unconfirmed transactions. */
export interface PoolFilter {
  /** Milliseconds since the network's epoch. */
  readonly minDeadline: bigint;
  readonly minFeeMultiplier: number;
  /** The first four bytes of hashes (as a little-endian number) that the peer already has. */
  readonly knownShortHashes: ReadonlySet<number>;
}

/** Transactions for the next block, and the fee multiplier that all of them can pay. */
export interface PoolSelection {
  readonly transactions: readonly DevnetTransaction[];
  readonly feeMultiplier: number;
}

/** Dependencies of a pool. */
export interface PoolOptions {
  readonly state: ChainState;
  readonly rules: DevnetRules;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
  readonly events: DevnetEvents;
  readonly rejections: Rejections;
  readonly log: Logger;
}

/** Unconfirmed transactions in order of arrival, each executable after those before it. */
export class TransactionPool {
  readonly #options: PoolOptions;
  readonly #transactions = new Map<string, DevnetTransaction>();
  #draft: DryRun;
  #size = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#draft = options.state.startDryRun();
  }

  /** Number of transactions. */
  get length(): number {
    return this.#transactions.size;
  }

  /** Bytes of all transactions. */
  get size(): number {
    return this.#size;
  }

  has(hash: Buffer): boolean {
    return this.#transactions.has(mapKey(hash));
  }

  /**
   * Adds a new transaction, if it can be executed now. Returns why not; transactions that are known already or pay
   * too little are dropped without a status, as by a node.
   */
  add(transaction: DevnetTransaction): FailureName | undefined {
    const { state, events, log } = this.#options;
    if (this.has(transaction.hash) || state.isConfirmed(transaction.hash)) return undefined;
    if (this.#paysTooLittle(transaction)) {
      const hash = transaction.hash.toString("hex");
      log.debug({ hash, multiplier: transaction.maxFeeMultiplier }, "devnet: transaction fee is below the minimum");
      return undefined;
    }
    const failure = this.#insert(transaction);
    if (!failure) events.emit("unconfirmedAdded", transaction);
    return failure;
  }

  /**
   * Rebuilds the pool after the chain changed: first with the transactions of dropped blocks, then with those already
   * in the pool. Confirmed ones are removed, those that can no longer be executed are rejected.
   */
  rebase(reverted: readonly DevnetTransaction[]): void {
    const { state, events } = this.#options;
    const before = new Map(this.#transactions);
    this.#transactions.clear();
    this.#size = 0;
    this.#draft = state.startDryRun();
    for (const transaction of [...reverted, ...before.values()])
      if (!state.isConfirmed(transaction.hash) && !this.#paysTooLittle(transaction)) this.#insert(transaction);
    for (const [key, transaction] of before)
      if (!this.#transactions.has(key)) events.emit("unconfirmedRemoved", transaction);
    for (const [key, transaction] of this.#transactions)
      if (!before.has(key)) events.emit("unconfirmedAdded", transaction);
  }

  /** Transactions that another node does not have, as many as fit into a response. */
  unknown(filter: PoolFilter): Buffer[] {
    const { unconfirmedTransactionsCacheMaxResponseSize: maxSize } = this.#options.rules;
    const unknown: Buffer[] = [];
    let size = 0;
    for (const { bytes, hash, deadline, maxFeeMultiplier } of this.#transactions.values()) {
      if (deadline < filter.minDeadline || maxFeeMultiplier < filter.minFeeMultiplier) continue;
      if (filter.knownShortHashes.has(hash.readUInt32LE(0))) continue;
      size += bytes.length;
      if (size > maxSize) break;
      unknown.push(bytes);
    }
    return unknown;
  }

  /** Selects the oldest transactions that are valid in a block of this time (ms since the network's epoch). */
  select(timestamp: number): PoolSelection {
    const { state, rules } = this.#options;
    const draft = state.startDryRun();
    const transactions: DevnetTransaction[] = [];
    let count = 0;
    for (const transaction of this.#transactions.values()) {
      if (count + transaction.count > rules.maxTransactionsPerBlock) break;
      if (draft.add(transaction, timestamp)) continue;
      transactions.push(transaction);
      count += transaction.count;
    }
    return { transactions, feeMultiplier: lowestMultiplier(transactions) };
  }

  #paysTooLittle({ maxFeeMultiplier }: DevnetTransaction): boolean {
    return maxFeeMultiplier < this.#options.rules.minFeeMultiplier;
  }

  #insert(transaction: DevnetTransaction): FailureName | undefined {
    const { rules, rejections, now } = this.#options;
    const key = mapKey(transaction.hash);
    if (this.#transactions.has(key)) return undefined;
    const isFull = this.#size + transaction.bytes.length > rules.unconfirmedTransactionsCacheMaxSize;
    const failure = isFull ? "Failure_Chain_Unconfirmed_Cache_Too_Full" : this.#draft.add(transaction, now());
    if (failure) {
      rejections.add(transaction, failure);
      return failure;
    }
    this.#transactions.set(key, transaction);
    this.#size += transaction.bytes.length;
    return undefined;
  }
}

/** The fee multiplier that all transactions of a block can pay: the lowest one. 0 if there are none. */
export function lowestMultiplier(transactions: readonly DevnetTransaction[]): number {
  return transactions.reduce(
    (lowest, { maxFeeMultiplier }) => Math.min(lowest, maxFeeMultiplier),
    transactions.length ? Infinity : 0,
  );
}
