import { createHash } from "node:crypto";
import type { LayeredMap } from "./layered-map.js";
import type { LedgerState, LedgerUndo } from "./ledger-state.js";
import {
  accountAt,
  changeBalance,
  emptyState,
  keyOf,
  layerOn,
  mergeDown,
  putAccount,
  restore,
} from "./ledger-state.js";
import type { DevnetNetwork } from "./network.js";
import type { RefusalName } from "./refusal.js";
import { ReceiptType, StatementWriter } from "./statement-writer.js";
import type { LedgerTransaction } from "./transaction-execution.js";
import { executeTransaction } from "./transaction-execution.js";

const ROOT_COUNT = 9;

/** A block that is to be executed: all of its header that has an effect on the state. */
export interface LedgerBlock {
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  readonly feeMultiplier: number;
  readonly signerAddress: Buffer;
  readonly beneficiaryAddress: Buffer;
  readonly transactions: readonly LedgerTransaction[];
}

/** What came of a block. */
export interface AppliedBlock {
  readonly statement: Buffer;
  /** Leaves of the receipts tree, 32 bytes each. */
  readonly statementLeaves: readonly Buffer[];
  /** Roots of the nine sub-caches after the block; the sha3-256 of all of them is the block's state hash. */
  readonly roots: readonly Buffer[];
}

/** Figures of the footer of an importance block. */
export interface EligibleAccounts {
  readonly votingEligibleAccountsCount: number;
  readonly harvestingEligibleAccountsCount: bigint;
  readonly totalVotingBalance: bigint;
}

/** State on top of a ledger's, to try transactions out. It is stale once the ledger changes. */
export interface LedgerDraft {
  /**
   * Executes a transaction that would stand in a block of this time (ms since the network's epoch) and pay its whole
   * maximal fee. Answers why it cannot; then the draft is as before.
   */
  add(transaction: LedgerTransaction, timestamp: number): RefusalName | undefined;
}

/** The state of a devnet, and the rules by which blocks change it. */
export interface Ledger {
  /** Height of the last block applied, 0 before the nemesis block. */
  readonly height: number;
  /** Whether a transaction stands in a block; certain only until its deadline has passed. */
  isConfirmed(hash: Buffer): boolean;
  /** Starts trying out transactions for the next block. */
  draft(): LedgerDraft;
  /** Executes the next block. Throws {@link LedgerError}, and changes nothing, if a transaction cannot be executed. */
  apply(block: LedgerBlock): AppliedBlock;
  /** Does what {@link Ledger.apply} does, but computes no statement and no roots. */
  replay(block: LedgerBlock): void;
  /** Takes the last block back. */
  revert(): void;
  /** Says that blocks up to this height and time (ms since the network's epoch) will never be taken back. */
  settle(height: number, timestamp: number): void;
  /** Counts the accounts that may harvest and vote now. */
  eligibleAccounts(): EligibleAccounts;
  /** Atomic units of the currency that an address owns. */
  balanceOf(address: Buffer): bigint;
}

/** A block with a transaction that cannot be executed. */
export class LedgerError extends Error {
  override readonly name = "LedgerError";
}

/** Makes the ledger of a network, without the nemesis block. */
export function createLedger(network: DevnetNetwork): Ledger {
  return new AccountLedger(network);
}

/**
 * Knows accounts, the supply of mosaics and aliases; no state trees. Where a node puts the root of a tree, it puts the
 * sha3-256 of all values in the order of their keys: accounts, namespaces and mosaics; zeros for the six others.
 */
class AccountLedger implements Ledger {
  readonly #network: DevnetNetwork;
  readonly #state = emptyState();
  /** Of the heights that can be taken back, the last one at the end. */
  #undo: LedgerUndo[] = [];
  #height = 0;

  constructor(network: DevnetNetwork) {
    this.#network = network;
  }

  get height(): number {
    return this.#height;
  }

  isConfirmed(hash: Buffer): boolean {
    return this.#state.confirmed.has(keyOf(hash));
  }

  draft(): LedgerDraft {
    const network = this.#network;
    const height = this.#height + 1;
    const draft = layerOn(this.#state);
    return {
      add(transaction, timestamp) {
        const layer = layerOn(draft);
        const statement = new StatementWriter();
        const fee = BigInt(transaction.entity.fee.value);
        const context = { network, height, timestamp, primaryId: 1, fee, statement };
        const refusal = executeTransaction(transaction, layer, context);
        if (!refusal) mergeDown(layer);
        return refusal;
      },
    };
  }

  apply(block: LedgerBlock): AppliedBlock {
    const writer = this.#execute(block);
    const { bytes, leaves } = writer.finish();
    return { statement: bytes, statementLeaves: leaves, roots: this.#roots() };
  }

  replay(block: LedgerBlock): void {
    this.#execute(block);
  }

  revert(): void {
    const undo = this.#undo.pop();
    if (!undo) throw new LedgerError(`block ${this.#height} is settled and cannot be taken back`);
    restore(this.#state, undo);
    this.#height -= 1;
  }

  settle(height: number, timestamp: number): void {
    const open = Math.max(0, this.#height - height);
    if (open >= this.#undo.length) return;
    this.#undo = open === 0 ? [] : this.#undo.slice(-open);
    // a transaction whose deadline lies before a settled block can never be confirmed again
    for (const [hash, deadline] of this.#state.confirmed.entries())
      if (deadline !== undefined && deadline < timestamp) this.#state.confirmed.forget(hash);
  }

  eligibleAccounts(): EligibleAccounts {
    const { currencyMosaicId, rules } = this.#network;
    let votingEligibleAccountsCount = 0;
    let harvestingEligibleAccountsCount = 0n;
    let totalVotingBalance = 0n;
    for (const [, account] of this.#state.accounts.entries()) {
      const balance = account?.balances.get(currencyMosaicId) ?? 0n;
      if (balance >= rules.minHarvesterBalance && balance <= rules.maxHarvesterBalance)
        harvestingEligibleAccountsCount += 1n;
      if (balance >= rules.minVoterBalance && account?.votingPublicKey) {
        votingEligibleAccountsCount += 1;
        totalVotingBalance += balance;
      }
    }
    return { votingEligibleAccountsCount, harvestingEligibleAccountsCount, totalVotingBalance };
  }

  balanceOf(address: Buffer): bigint {
    return accountAt(this.#state, address).balances.get(this.#network.currencyMosaicId) ?? 0n;
  }

  #execute(block: LedgerBlock): StatementWriter {
    if (block.height !== this.#height + 1)
      throw new LedgerError(`block ${block.height} does not follow block ${this.#height}`);
    const layer = layerOn(this.#state);
    const statement = new StatementWriter();
    this.#payHarvester(block, layer, statement);
    for (const [index, transaction] of block.transactions.entries()) {
      const fee = BigInt(block.feeMultiplier) * BigInt(transaction.bytes.length);
      const context = { network: this.#network, height: block.height, timestamp: block.timestamp, fee, statement };
      const refusal = layer.confirmed.has(keyOf(transaction.hash))
        ? "the transaction is in the chain already"
        : executeTransaction(transaction, layer, { ...context, primaryId: index + 1 });
      if (refusal) throw new LedgerError(`transaction ${index} of block ${block.height}: ${refusal}`);
      layer.confirmed.set(keyOf(transaction.hash), Number(transaction.entity.deadline.value));
    }
    this.#undo.push(mergeDown(layer));
    this.#height = block.height;
    return statement;
  }

  /** Shares out fees and inflation (catapult `observers/HarvestFeeObserver`). */
  #payHarvester(block: LedgerBlock, state: LedgerState, statement: StatementWriter): void {
    const { rules, currencyMosaicId, harvestSinkAddress } = this.#network;
    const size = block.transactions.reduce((total, { bytes }) => total + bytes.length, 0);
    const total = BigInt(block.feeMultiplier) * BigInt(size) + rules.inflation;
    const networkShare = (total * rules.harvestNetworkPercentage) / 100n;
    const isShared = !block.beneficiaryAddress.equals(block.signerAddress);
    const beneficiaryShare = isShared ? (total * rules.harvestBeneficiaryPercentage) / 100n : 0n;

    const pay = (address: Buffer, amount: bigint) => {
      const owner = accountAt(state, address).harvestsFor ?? address;
      changeBalance(state, owner, currencyMosaicId, amount);
      statement.addBalanceChange(ReceiptType.harvestFee, currencyMosaicId, amount, owner);
    };
    for (const address of [block.signerAddress, block.beneficiaryAddress]) putAccount(state, accountAt(state, address));
    pay(block.signerAddress, total - networkShare - beneficiaryShare);
    if (networkShare > 0n) pay(harvestSinkAddress, networkShare);
    if (beneficiaryShare > 0n) pay(block.beneficiaryAddress, beneficiaryShare);
    if (rules.inflation > 0n) statement.addInflation(currencyMosaicId, rules.inflation);
  }

  #roots(): Buffer[] {
    const { accounts, namespaces, mosaics } = this.#state;
    const roots = [
      hashAll(accounts, (account) => [
        account.address,
        ...[...account.balances].sort(([left], [right]) => (left < right ? -1 : 1)).flat(),
        account.harvestsFor,
        account.vrfPublicKey,
        account.votingPublicKey,
      ]),
      hashAll(namespaces, ({ id, ownerAddress, mosaicId, address }) => [id, ownerAddress, mosaicId, address]),
      hashAll(mosaics, ({ id, ownerAddress, supply }) => [id, ownerAddress, supply]),
    ];
    while (roots.length < ROOT_COUNT) roots.push(Buffer.alloc(32));
    return roots;
  }
}

type RootValue = Buffer | bigint | undefined;

function hashAll<V>(map: LayeredMap<V>, values: (entry: V) => readonly RootValue[]): Buffer {
  const hash = createHash("sha3-256");
  const sorted = [...map.entries()].sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [, entry] of sorted) {
    if (entry === undefined) continue;
    const texts = values(entry).map((value) => (Buffer.isBuffer(value) ? value.toString("hex") : String(value)));
    hash.update(texts.join()).update("\n");
  }
  return hash.digest();
}
