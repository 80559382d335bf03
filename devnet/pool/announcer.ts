import type { Logger } from "pino";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { DevnetTransaction } from "../chain/transaction.js";
import { decodeDevnetTransaction, splitTransactions } from "../chain/transaction.js";
import { Gatherer } from "./gatherer.js";
import type { PartialTransactions } from "./partial-transactions.js";
import { RecentHashes } from "./recent-hashes.js";
import type { RejectionSubject } from "./rejection.js";
import type { Rejections } from "./rejections.js";
import { checkSignatures, failureOfError } from "./transaction-check.js";
import type { TransactionPool } from "./transaction-pool.js";

/** The result of announcing a transaction. */
export interface AnnounceResult {
  /** 32 bytes. */
  readonly hash: Buffer;
  /** Whether it is unconfirmed now. */
  readonly isUnconfirmed: boolean;
  /** Why it was rejected. Absent, with `isUnconfirmed` false: dropped without a status, as by a node. */
  readonly rejection?: FailureName;
}

/** The result of announcing a bonded aggregate. */
export interface AnnouncePartialResult extends AnnounceResult {
  /** Whether it is partial now. */
  readonly isPartial: boolean;
}

/** Dependencies of an announcer. */
export interface AnnouncerOptions {
  readonly state: ChainState;
  readonly network: NetworkIdentity;
  readonly pool: TransactionPool;
  readonly partials: PartialTransactions;
  readonly rejections: Rejections;
  readonly log: Logger;
  /** Milliseconds for which pushes of one peer are collected before they are checked together; 0 = not at all. */
  readonly gatherMs: number;
  /** Milliseconds for which a repeated push is ignored; 0 = never. */
  readonly recentMs: number;
  /** Milliseconds since the network's epoch. */
  readonly now: () => number;
}

const COSIGNATURE_SIZE = 136;
/** The first half of a signature, which identifies a cosignature. */
const COSIGNATURE_POINT = [40, 72] as const;

interface ReadTransaction extends RejectionSubject {
  readonly transaction?: DevnetTransaction;
  readonly failure?: FailureName | undefined;
}

/**
 * Processes announced transactions. As on a node, those that arrive together are checked together, and one that fails
 * a stateless check causes all others of its batch to be dropped, except partial aggregates.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #gatherer: Gatherer<ReadTransaction>;
  readonly #partialGatherer: Gatherer<ReadTransaction>;
  readonly #recentCosignatures: RecentHashes;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    // A complete aggregate with other cosignatures is another one, a partial one is not.
    this.#gatherer = this.#createGatherer(
      (batch) => this.#announce(batch),
      ({ hash, transaction }) => transaction?.merkleComponentHash ?? hash,
    );
    this.#partialGatherer = this.#createGatherer(
      (batch) => this.#announcePartials(batch),
      ({ hash }) => hash,
    );
    this.#recentCosignatures = new RecentHashes({ durationMs: options.recentMs, now: options.now });
  }

  /**
   * Processes the payload of a push packet of a peer. Never throws: what cannot be split into transactions is
   * dropped.
   */
  push(payload: Buffer, peer: string): void {
    this.#gather(this.#gatherer, payload, peer);
  }

  /**
   * Processes the payload of a push packet of bonded aggregates; if it contains another transaction, all of it is
   * dropped.
   */
  pushPartials(payload: Buffer, peer: string): void {
    this.#gather(this.#partialGatherer, payload, peer, TRANSACTION_TYPE.aggregate_bonded);
  }

  /**
   * Processes the payload of a push packet of detached cosignatures, 136 bytes each; a payload of another size is
   * dropped.
   */
  pushCosignatures(payload: Buffer): void {
    if (payload.length % COSIGNATURE_SIZE !== 0) return;
    for (let offset = 0; offset < payload.length; offset += COSIGNATURE_SIZE) {
      const cosignature = Buffer.from(payload.subarray(offset, offset + COSIGNATURE_SIZE));
      if (this.#recentCosignatures.add(cosignature.subarray(...COSIGNATURE_POINT)))
        this.#options.partials.addCosignature(cosignature);
    }
  }

  /** Processes an aggregate whose cosignatures are complete, as if the node itself had announced it. */
  pushComplete(aggregate: Buffer): void {
    this.push(aggregate, "");
  }

  /**
   * Checks a batch of transactions, and adds them to the pool. Throws `EntityError` if one cannot be decoded at all.
   */
  announce(batch: readonly Buffer[]): AnnounceResult[] {
    return this.#announce(batch.map((bytes) => this.#read(bytes)));
  }

  /** Checks bonded aggregates, and adds them as partial. Throws `EntityError` if one cannot be decoded at all. */
  announcePartials(batch: readonly Buffer[]): AnnouncePartialResult[] {
    return this.#announcePartials(batch.map((bytes) => this.#read(bytes)));
  }

  /** Discards what was collected and not yet checked. */
  stop(): void {
    this.#gatherer.stop();
    this.#partialGatherer.stop();
  }

  /** @param identity by which a repeated push is recognized */
  #createGatherer(
    take: (batch: readonly ReadTransaction[]) => unknown,
    identity: (one: ReadTransaction) => Buffer,
  ): Gatherer<ReadTransaction> {
    const { gatherMs, recentMs, now, log } = this.#options;
    const recent = new RecentHashes({ durationMs: recentMs, now });
    const isNew = (one: ReadTransaction) => recent.add(identity(one));
    return new Gatherer<ReadTransaction>({ gatherMs, log, take: (batch) => take(batch.filter(isNew)) });
  }

  #gather(gatherer: Gatherer<ReadTransaction>, payload: Buffer, peer: string, onlyType?: number): void {
    try {
      const transactions = splitTransactions(payload);
      const other = transactions.find((bytes) => onlyType && bytes.readUInt16LE(VERIFIABLE.type) !== onlyType);
      if (other) throw new EntityError("transaction.type", "is not that of a bonded aggregate");
      const read = transactions.map((bytes) => this.#read(bytes));
      gatherer.add(read, payload.length, peer);
    } catch (error) {
      const reason = (error as Error).message;
      this.#options.log.warn({ peer, reason }, "devnet: dropped a push of transactions");
    }
  }

  #announce(batch: readonly ReadTransaction[]): AnnounceResult[] {
    const { pool, state, network, rejections } = this.#options;
    // known transactions are not checked again
    const isKnown = ({ hash }: ReadTransaction) => pool.has(hash) || state.isConfirmed(hash);
    const checks = [
      (transaction: DevnetTransaction) => state.checkStateless(transaction),
      (transaction: DevnetTransaction) => checkSignatures(transaction, network),
    ];
    for (const check of checks) {
      const checked = batch.map((one) => ({
        ...one,
        failure: one.failure ?? (one.transaction && !isKnown(one) ? check(one.transaction) : undefined),
      }));
      const failed = checked.filter(({ failure }) => failure);
      if (failed.length === 0) continue;
      for (const { failure, ...rejected } of failed) if (failure) rejections.add(rejected, failure);
      return checked.map(({ hash, failure }) => announceResult(hash, pool.has(hash), failure));
    }
    return batch.map(({ hash, transaction }) => {
      const failure = transaction && pool.add(transaction);
      return announceResult(hash, pool.has(hash), failure);
    });
  }

  #announcePartials(batch: readonly ReadTransaction[]): AnnouncePartialResult[] {
    const { pool, partials, state, rejections } = this.#options;
    return batch.map((one) => {
      const { hash, transaction } = one;
      const isKnown = partials.has(hash) || pool.has(hash) || state.isConfirmed(hash);
      if (!isKnown && one.failure) rejections.add(one, one.failure);
      const failure = isKnown ? undefined : (one.failure ?? (transaction && partials.add(transaction)));
      return { ...announceResult(hash, pool.has(hash), failure), isPartial: partials.has(hash) };
    });
  }

  #read(bytes: Buffer): ReadTransaction {
    const { network } = this.#options;
    if (bytes.length < TRANSACTION.headerSize) throw new EntityError("transaction.size", `is ${bytes.length}`);
    try {
      const transaction = decodeDevnetTransaction(bytes, network);
      const { hash, deadline, relatedAddresses } = transaction;
      return { hash, deadline, relatedAddresses, transaction };
    } catch (error) {
      const failure = error instanceof EntityError ? failureOfError(error) : undefined;
      if (!failure) throw error;
      const signerPublicKey = bytes.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
      return {
        hash: transactionHash(bytes, network),
        deadline: bytes.readBigUInt64LE(TRANSACTION.deadline),
        relatedAddresses: [addressOfPublicKey(signerPublicKey, network.identifier)],
        failure,
      };
    }
  }
}

function announceResult(hash: Buffer, isUnconfirmed: boolean, failure: FailureName | undefined): AnnounceResult {
  return { hash, isUnconfirmed, ...(failure && { rejection: failure }) };
}
