import type { Logger } from "pino";
import { EntityError } from "../catapult/entity-error.js";
import { TRANSACTION } from "../catapult/entity-layout.js";
import { transactionHash } from "../catapult/hashes.js";
import type { DevnetNetwork } from "./network.js";
import type { RefusalName } from "./refusal.js";
import type { DevnetTransaction } from "./transaction.js";
import { decodeDevnetTransaction, splitTransactions } from "./transaction.js";
import { findRefusal, refusalOfError } from "./transaction-check.js";
import type { TransactionPool } from "./transaction-pool.js";

/** What became of an announced transaction. */
export interface AnnounceResult {
  /** 32 bytes. */
  readonly hash: Buffer;
  /** Whether it waits for a block now. */
  readonly isUnconfirmed: boolean;
  /** Why it was refused. Absent, with `isUnconfirmed` false: dropped in silence, as a node does. */
  readonly refusal?: RefusalName;
}

/** What an announcer needs of its node. */
export interface AnnouncerOptions {
  readonly network: DevnetNetwork;
  readonly pool: TransactionPool;
  readonly log: Logger;
  /** Milliseconds for which pushes of one peer are gathered before they are checked together; 0: not at all. */
  readonly gatherMs: number;
}

/** Most bytes gathered of one peer before they are checked. */
const MAX_GATHERED_SIZE = 4 * 1024 * 1024;

interface Gathered {
  readonly transactions: Buffer[];
  readonly timer: NodeJS.Timeout;
  size: number;
}

/**
 * Takes announced transactions. As at a node, those that come together are checked together, and one that fails a
 * check without state takes all others of its batch with it.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #gathered = new Map<string, Gathered>();

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Takes the payload of a push packet of a peer. Never throws: what cannot be cut into transactions is dropped. */
  push(payload: Buffer, peer: string): void {
    const { log, gatherMs } = this.#options;
    try {
      const transactions = splitTransactions(payload);
      if (gatherMs === 0) this.announce(transactions);
      else this.#gather(transactions, payload.length, peer);
    } catch (error) {
      log.warn({ peer, reason: (error as Error).message }, "devnet: a push of transactions was dropped");
    }
  }

  /** Checks a batch of transactions, and puts them into the pool. Throws `EntityError` if one cannot be read at all. */
  announce(batch: readonly Buffer[]): AnnounceResult[] {
    const { pool } = this.#options;
    const checked = batch.map((bytes, index) => this.#check(bytes, index));
    const isSound = checked.every(({ refusal }) => refusal === undefined);
    return checked.map(({ hash, refusal, transaction, deadline }) => {
      if (refusal) pool.refuse({ hash, deadline }, refusal);
      if (refusal || !transaction || !isSound) return { hash, isUnconfirmed: false, ...(refusal && { refusal }) };
      const stateRefusal = pool.add(transaction);
      return { hash, isUnconfirmed: pool.has(hash), ...(stateRefusal && { refusal: stateRefusal }) };
    });
  }

  /** Forgets what was gathered and not yet checked. */
  stop(): void {
    for (const { timer } of this.#gathered.values()) clearTimeout(timer);
    this.#gathered.clear();
  }

  #check(
    bytes: Buffer,
    index: number,
  ): {
    hash: Buffer;
    deadline: number;
    transaction?: DevnetTransaction;
    refusal: RefusalName | undefined;
  } {
    const { network } = this.#options;
    if (bytes.length < TRANSACTION.headerSize)
      throw new EntityError(`transactions[${index}].size`, `is ${bytes.length}`);
    const hash = transactionHash(bytes, network.identity);
    const deadline = Number(bytes.readBigUInt64LE(TRANSACTION.deadline));
    try {
      const transaction = decodeDevnetTransaction(bytes, network.identity);
      return { hash, deadline, transaction, refusal: findRefusal(transaction, network) };
    } catch (error) {
      const refusal = error instanceof EntityError ? refusalOfError(error) : undefined;
      if (!refusal) throw error;
      return { hash, deadline, refusal };
    }
  }

  #gather(transactions: readonly Buffer[], size: number, peer: string): void {
    const gathered = this.#gathered.get(peer) ?? {
      transactions: [],
      timer: setTimeout(() => this.#flush(peer), this.#options.gatherMs),
      size: 0,
    };
    this.#gathered.set(peer, gathered);
    gathered.transactions.push(...transactions);
    gathered.size += size;
    if (gathered.size > MAX_GATHERED_SIZE) this.#flush(peer);
  }

  #flush(peer: string): void {
    const gathered = this.#gathered.get(peer);
    if (!gathered) return;
    clearTimeout(gathered.timer);
    this.#gathered.delete(peer);
    try {
      this.announce(gathered.transactions);
    } catch (error) {
      this.#options.log.warn({ peer, reason: (error as Error).message }, "devnet: a batch of transactions was dropped");
    }
  }
}
