import { checkAnnouncedTransaction } from "../../catapult/announcement/announcement.js";
import { AnnouncementError } from "../../catapult/announcement/announcement-error.js";
import { statusCodeName } from "../../catapult/announcement/status-code.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { Properties } from "../../catapult/network/properties.js";
import { transactionRules } from "../../catapult/network/transaction-rules.js";
import { type DevnetTransaction, toDevnetTransaction } from "../../devnet/chain/transaction.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { DryRun } from "../../ledger/engine/dry-run.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import type { WalkNetwork } from "./walk-network.js";

const SUCCESS = "Success";
/** Blocks until an announcement without an answer is given up. */
const PATIENCE = 12;

/** An announced transaction, and the answers that would be right. */
interface Announced {
  readonly transaction: DevnetTransaction;
  /** By its bytes alone. */
  readonly stateless: string | undefined;
  /** On the states that the node may have had when it decided. */
  readonly expected: Set<string>;
  readonly height: number;
  /** The node's answer, if it was not expected yet. */
  answer?: string;
}

/** An answer that none of our states explains. */
export interface WrongPrediction {
  readonly height: number;
  readonly hash: string;
  readonly expected: readonly string[];
  readonly answer: string;
  readonly bytes: string;
}

/** Answers by their code: as predicted, or not. */
export interface PredictionCounts {
  readonly equal: Map<string, number>;
  readonly wrong: WrongPrediction[];
  /** Announcements that the node neither confirmed nor rejected. */
  silent: number;
}

/**
 * Predicts what a node answers to announcements: each is tried on the newest state and everything that is pending. A
 * prediction is repeated with each new block, since the node may know that block earlier than we do.
 */
export class Predictions {
  readonly #state: ChainState;
  readonly #identity: NetworkIdentity;
  readonly #properties: Properties;
  readonly #now: () => number;
  readonly #pending = new Map<string, Announced>();
  readonly counts: PredictionCounts = { equal: new Map(), wrong: [], silent: 0 };
  #draft: DryRun;

  /** @param now in ms since the network's epoch */
  constructor(state: ChainState, network: WalkNetwork, now: () => number) {
    this.#state = state;
    this.#identity = network.identity;
    this.#properties = new Properties(network.properties["config-network.properties"]!);
    this.#now = now;
    this.#draft = state.startDryRun();
  }

  /** Announcements without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Tries a transaction; it is not pending then, unless it succeeded. Returns the expected answer. */
  try(bytes: Buffer): { readonly answer: string; readonly isStateless: boolean; readonly announce: () => void } {
    const transaction = toDevnetTransaction(decodeTransaction(bytes, this.#identity, { reading: "accepted" }));
    // All signatures are valid.
    const stateless = this.#state.checkStateless(transaction);
    const answer = stateless ?? this.#draft.add(transaction, this.#now()) ?? SUCCESS;
    const announce = () => {
      const expected = new Set([answer]);
      this.#pending.set(mapKey(transaction.hash), { transaction, stateless, expected, height: this.#state.height });
    };
    return { answer, isStateless: stateless !== undefined, announce };
  }

  /** Notes the transactions of new blocks, and predicts again what is pending. */
  follow(blocks: readonly Block[]): void {
    for (const { transactions } of blocks) for (const { hash } of transactions) this.#answer(hash, SUCCESS);
    this.#draft = this.#state.startDryRun();
    for (const [key, announced] of this.#pending) {
      if (announced.answer === undefined) this.#predictAgain(announced);
      else this.#evaluate(key, announced);
      if (announced.height + PATIENCE < this.#state.height && this.#pending.delete(key)) this.counts.silent += 1;
    }
  }

  /** Forgets what is pending, as a node does that is started again. */
  forget(): void {
    this.#pending.clear();
    this.#draft = this.#state.startDryRun();
  }

  /** Notes that the node rejected a transaction with this code. */
  reject(hash: Buffer, code: number): void {
    this.#answer(hash, statusCodeName(code));
  }

  /** Why a gateway would not have passed a transaction of the newest block on; undefined if it would. */
  #gatewayRejection({ bytes }: DevnetTransaction): string | undefined {
    const rules = transactionRules(this.#properties, this.#state.height);
    try {
      checkAnnouncedTransaction(bytes, { network: this.#identity, rules });
      return undefined;
    } catch (error) {
      if (!(error instanceof AnnouncementError)) throw error;
      return `no gateway passes it on: ${error.message}`;
    }
  }

  #answer(hash: Buffer, answer: string): void {
    const key = mapKey(hash);
    const announced = this.#pending.get(key);
    if (!announced) return;
    const rejection = answer === SUCCESS ? this.#gatewayRejection(announced.transaction) : undefined;
    if (rejection) this.#wrong(key, { ...announced, expected: new Set([rejection]) }, answer);
    else if (announced.expected.has(answer)) this.#count(key, answer);
    else if (answer === SUCCESS) this.#wrong(key, announced, answer);
    else announced.answer ??= answer;
  }

  #predictAgain({ transaction, stateless, expected }: Announced): void {
    if (stateless === undefined) expected.add(this.#draft.add(transaction, this.#now()) ?? SUCCESS);
  }

  /** A rejected transaction is not part of the draft: it is tried on one of its own. */
  #evaluate(key: string, announced: Announced): void {
    const { expected, answer } = announced;
    const draft = this.#state.startDryRun();
    for (const other of this.#pending.values()) {
      if (other === announced) break;
      if (other.answer === undefined && !other.stateless) draft.add(other.transaction, this.#now());
    }
    if (!announced.stateless) expected.add(draft.add(announced.transaction, this.#now()) ?? SUCCESS);
    if (expected.has(answer!)) this.#count(key, answer!);
    else this.#wrong(key, announced, answer!);
  }

  #count(key: string, answer: string): void {
    this.#pending.delete(key);
    this.counts.equal.set(answer, (this.counts.equal.get(answer) ?? 0) + 1);
  }

  #wrong(key: string, { transaction, expected, height }: Announced, answer: string): void {
    this.#pending.delete(key);
    const hash = transaction.hash.toString("hex");
    const bytes = transaction.bytes.toString("hex");
    this.counts.wrong.push({ height, hash, expected: [...expected], answer, bytes });
  }
}
