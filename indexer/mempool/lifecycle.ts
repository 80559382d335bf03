import type { StatusName } from "../../catapult/announcement/status-code.js";
import type { Cosignature } from "../../catapult/entity/cosignature.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { asAggregate } from "../../catapult/entity/transaction.js";
import {
  NO_MERKLE_COMPONENT_HASH,
  renderCosignatureMessage,
  renderRemovedMessage,
  renderStatusMessage,
  renderTransactionMessage,
} from "../../catapult/json/transaction.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { EventChannel } from "../../database/tables/events.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import { asPartialAggregate, type PartialAggregate, type PendingTransaction } from "./pending-transaction.js";

/** A pending transaction, as a row or about to become one. */
export interface PendingRow {
  /** Number of its id: the sequence of the event that reported it. */
  readonly number: number;
  readonly deadline: number;
  /** Addresses whose subscribers get its messages. */
  readonly addresses: readonly Buffer[];
  /** The cosignatures in order of arrival. */
  readonly cosignatures: readonly Cosignature[];
  /** The transaction itself, if it has no row yet. */
  readonly fresh?: BlockTransaction;
}

export interface PartialRow extends PendingRow {
  /** The payload without cosignatures. */
  readonly payload: Buffer;
}

/** Why a transaction was rejected: its status if it is not alive; while it is, it may concern another attempt. */
export interface Rejection {
  readonly code: string;
  readonly deadline: bigint;
  readonly fromNode: boolean;
  readonly recordedAt: Date;
}

/** A transaction whose outcome is unknown. */
export interface Awaited {
  readonly group: PendingGroup;
  readonly deadline: number;
  readonly addresses: readonly Buffer[];
}

/** The known state of one transaction. */
export interface KnownState {
  readonly confirmed: boolean;
  readonly unconfirmed?: PendingRow | undefined;
  readonly partial?: PartialRow | undefined;
  readonly rejection?: Rejection | undefined;
  readonly awaited?: Awaited | undefined;
  /** Set if a gateway announced it, and whether the node has reported it. */
  readonly announced?: { readonly kind: AnnouncementKind; readonly isReported: boolean } | undefined;
}

/** The event log of a lifecycle's messages, and the current time. */
export interface LifecycleContext {
  readonly now: Date;
  /** Writes an event. @returns its sequence */
  emit(channel: EventChannel, addresses: readonly Buffer[], data: string): number;
  /** Addresses of cosigners by their public keys; none if they do not get its status. */
  addressesOf(cosigners: readonly Buffer[]): readonly Buffer[];
  readonly network: NetworkIdentity;
}

/** Status codes of expired transactions, as on nodes: they are true of a hash, whichever attempt they answer. */
const EXPIRED: Readonly<Record<PendingGroup, StatusName>> = {
  unconfirmed: "Failure_Core_Past_Deadline",
  partial: "Failure_Extension_Partial_Transaction_Cache_Prune",
};
/** Status code of an announcement that the node does not have, or never reported: it neither accepted nor rejected it. */
export const NOT_TAKEN: StatusName = "Neutral";
/** A node's code for a repetition of a confirmed transaction. */
const REPEATED: StatusName = "Failure_Hash_Already_Exists";

/** A rejection that is older than this when its transaction is removed is not the reason, in ms. */
const REJECTION_VALID_MS = 5_000;

/** How long a rejected transaction must be gone until it counts as failed, in ms: longer than a broker needs. */
export const SETTLED_MS = 2_000;

/** How long after a reported end a status of the node is about the same attempt, in ms. */
const CONCLUSION_VALID_MS = 30_000;

/**
 * The lifecycle of one transaction before its block: its known state, and the rules of its transitions and their
 * messages.
 *
 * | state | event | messages, in this order |
 * |---|---|---|
 * | – | added to the pool | unconfirmedAdded |
 * | – | added as partial | partialAdded, a cosignature for each that it has |
 * | partial | cosigned | cosignature |
 * | partial | added to the pool | missing cosignatures, partialRemoved, unconfirmedAdded |
 * | partial, unconfirmed | removed | partialRemoved, unconfirmedRemoved |
 * | partial, unconfirmed, awaited | expired | partialRemoved, unconfirmedRemoved, status |
 * | awaited | rejected shortly before or since, and no sign of life for {@link SETTLED_MS} | status |
 * | partial, unconfirmed | confirmed | as if it had been in the pool: …, unconfirmedRemoved (then confirmedAdded) |
 * | announced here, never reported | confirmed | unconfirmedAdded, unconfirmedRemoved (and then confirmedAdded) |
 * | not alive | rejected, by the node or by a gateway | status, unless it has failed with the same code last |
 * | held | missing in the pool of the node to which it was pushed | status `Neutral` |
 *
 * What is already known changes nothing and is not reported again, so sources may overlap.
 *
 * The status of a transaction is the first of these that is known (`database/mempool/transaction-statuses.ts`):
 *
 * | status | because | alive | ends by |
 * |---|---|---|---|
 * | confirmed | it is in a block | yes | a fork |
 * | unconfirmed, partial | the node shows it | yes | its removal, a block |
 * | its last group | awaited: it was removed, or its block dropped, and the outcome is unknown | yes | any news, its deadline |
 * | the group it would have | held: announced here, and neither reported nor missing yet | – | any news, its deadline |
 * | failed | it was rejected, or has expired | no | another announcement, a node that has it |
 *
 * What a node rejects or removes while another node, which is followed, has it, is applied when that one has it no
 * longer (`other-pool.ts`): they may be on different branches. A rejection while it is alive may concern another attempt, as of a copy with another signature, or one that was made
 * too early: it is kept without a message, and becomes the status only when the transaction is removed and does not
 * return.
 */
export class Lifecycle {
  readonly hash: Buffer;
  readonly before: KnownState;
  now: KnownState;

  constructor(hash: Buffer, known: KnownState) {
    this.hash = hash;
    this.before = known;
    this.now = known;
  }

  /** @returns false when it is already confirmed: then it may be reverted soon, or the report is old */
  addUnconfirmed(pending: PendingTransaction, addresses: readonly Buffer[], context: LifecycleContext): boolean {
    const { confirmed, unconfirmed, partial, announced, awaited } = this.now;
    if (confirmed) return false;
    if (unconfirmed) return true;
    if (!partial && !awaited && announced?.kind === "partial" && !announced.isReported) {
      this.#addPartial(asPartialAggregate(pending.transaction, context.network), addresses, context);
    }
    const cosignatures = asAggregate(pending.transaction.entity)?.cosignatures ?? [];
    for (const cosignature of cosignatures) this.addCosignature(cosignature, context);
    this.#leave("partial", context);
    const message = renderTransactionMessage(pending.transaction, 0);
    const number = context.emit("unconfirmedAdded", addresses, message);
    const { deadline, transaction } = pending;
    this.#taken();
    this.now = { ...this.now, unconfirmed: { number, deadline, addresses, cosignatures, fresh: transaction } };
    return true;
  }

  /** @returns false when it is already confirmed: then it may be reverted soon, or the report is old */
  addPartial(pending: PartialAggregate, addresses: readonly Buffer[], context: LifecycleContext): boolean {
    if (this.now.confirmed) return false;
    if (this.now.unconfirmed) return true;
    if (!this.now.partial) this.#addPartial(pending, addresses, context);
    for (const cosignature of pending.cosignatures) this.addCosignature(cosignature, context);
    return true;
  }

  addCosignature(cosignature: Cosignature, context: LifecycleContext): void {
    const { partial } = this.now;
    const { signerPublicKey } = cosignature;
    if (!partial || partial.cosignatures.some((one) => one.signerPublicKey.equals(signerPublicKey))) return;
    const message = renderCosignatureMessage({ ...cosignature, parentHash: this.hash });
    context.emit("cosignature", partial.addresses, message);
    this.now = { ...this.now, partial: { ...partial, cosignatures: [...partial.cosignatures, cosignature] } };
  }

  /**
   * The transaction was removed from the pool, or from the cache of partial transactions. If that does not imply its
   * outcome, the transaction becomes awaited.
   */
  remove(group: PendingGroup, context: LifecycleContext): void {
    const waiting = this.now[group];
    if (!waiting) return;
    const concerned = this.#concerned(context);
    this.#leave(group, context);
    if (this.now.unconfirmed || this.now.partial) return;
    const { deadline } = waiting;
    const { rejection } = this.now;
    const isReason = rejection && ageOf(rejection, context) < REJECTION_VALID_MS;
    this.now = {
      ...this.now,
      awaited: { group, deadline, addresses: concerned },
      rejection: isReason ? rejection : undefined,
    };
  }

  /** The node rejected it, or another attempt to announce it if it is alive. */
  rejectByNode(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { confirmed, rejection } = this.now;
    const isConcluded = rejection && ageOf(rejection, context) < CONCLUSION_VALID_MS && !rejection.fromNode;
    const hasFailed = isConcluded || this.#hasFailedWith(code);
    this.#markReported();
    if (confirmed && code === REPEATED) return;
    this.now = { ...this.now, rejection: { code, deadline, fromNode: true, recordedAt: context.now } };
    if (confirmed || (this.#isAlive && !Object.values<string>(EXPIRED).includes(code))) return;
    const concerned = this.#concerned(context);
    this.#end(context);
    // The end was reported already.
    if (hasFailed) return;
    this.#emitStatus(code, deadline, union(addresses, concerned), context);
  }

  /**
   * A gateway rejected an announcement of it, which the node never received. Another announcement of the same
   * transaction, with other cosignatures, is not affected.
   */
  rejectByGateway(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    if (this.#isAlive || this.#isUnreported) return;
    const hasFailed = this.#hasFailedWith(code);
    this.now = { ...this.now, rejection: { code, deadline, fromNode: true, recordedAt: context.now } };
    if (!hasFailed) this.#emitStatus(code, deadline, addresses, context);
  }

  /** The transaction was rejected and removed, and has not returned since: the rejection was the reason. */
  settle(context: LifecycleContext): void {
    const { awaited, rejection } = this.now;
    if (!awaited || !rejection) return;
    this.#end(context);
    this.#emitStatus(rejection.code, rejection.deadline, awaited.addresses, context);
  }

  /** Its deadline has passed: it is removed, and gets the status of its last group, unless the node gave a reason. */
  expire(context: LifecycleContext): void {
    const { confirmed, unconfirmed, partial, awaited, rejection } = this.now;
    if (awaited && rejection) {
      this.settle(context);
      return;
    }
    const last = unconfirmed ?? partial ?? awaited;
    if (!last) return;
    const group = unconfirmed ? "unconfirmed" : partial ? "partial" : (awaited?.group ?? "unconfirmed");
    const concerned = this.#concerned(context);
    this.#end(context);
    if (!confirmed) this.#conclude(EXPIRED[group], BigInt(last.deadline), concerned, context);
  }

  /** The node to which it was pushed does not have it, and gave no reason. It is pushed again, and may return. */
  miss(deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    if (this.#isAlive || !this.#isUnreported) return;
    const hasFailed = this.#hasFailedWith(NOT_TAKEN);
    this.now = { ...this.now, rejection: { code: NOT_TAKEN, deadline, fromNode: false, recordedAt: context.now } };
    if (!hasFailed) this.#emitStatus(NOT_TAKEN, deadline, addresses, context);
  }

  /** The transaction was announced, and not reported until its deadline. */
  giveUp(deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    if (this.#isAlive || !this.#isUnreported) return;
    // Its rejection was reported when it was announced before.
    if (this.now.rejection) this.#markReported();
    else this.#conclude(NOT_TAKEN, deadline, addresses, context);
  }

  /** The transaction is in a block that is being written. */
  confirm(transaction: BlockTransaction, addresses: readonly Buffer[], context: LifecycleContext): void {
    // The transaction's block may be written already.
    this.now = { ...this.now, confirmed: false };
    const { unconfirmed, partial, awaited, announced } = this.now;
    const isNew = announced !== undefined && !announced.isReported && !awaited;
    if (!unconfirmed && (partial || isNew)) {
      const deadline = Number(transaction.entity.deadline);
      this.addUnconfirmed({ hash: this.hash, transaction, deadline }, addresses, context);
    }
    this.#leave("unconfirmed", context);
    this.#markReported();
    this.now = { ...this.now, confirmed: true, rejection: undefined, awaited: undefined };
  }

  /** Whether it was reported to have failed with this code, and has not been alive since. */
  #hasFailedWith(code: string): boolean {
    return !this.#isAlive && this.now.rejection?.code === code;
  }

  get #isAlive(): boolean {
    const { confirmed, unconfirmed, partial, awaited } = this.now;
    return confirmed || Boolean(unconfirmed ?? partial ?? awaited);
  }

  /** Announced, and not yet reported. */
  get #isUnreported(): boolean {
    return this.now.announced?.isReported === false;
  }

  /** Who gets its status: also those who have only cosigned it. */
  #concerned(context: LifecycleContext): readonly Buffer[] {
    const { unconfirmed, partial, awaited } = this.now;
    const cosigned = [...(partial?.cosignatures ?? []), ...(unconfirmed?.cosignatures ?? [])];
    const cosigners = context.addressesOf(cosigned.map(({ signerPublicKey }) => signerPublicKey));
    return union(unconfirmed?.addresses, partial?.addresses, awaited?.addresses, cosigners);
  }

  #addPartial(pending: PendingTransaction, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { deadline } = pending;
    const transaction = { ...pending.transaction, merkleComponentHash: NO_MERKLE_COMPONENT_HASH };
    const number = context.emit("partialAdded", addresses, renderTransactionMessage(transaction, 0));
    this.#taken();
    const payload = transaction.bytes;
    this.now = {
      ...this.now,
      partial: { number, deadline, addresses, fresh: transaction, payload, cosignatures: [] },
    };
  }

  /** The node accepted it: whatever was rejected before was another attempt. */
  #taken(): void {
    this.#markReported();
    this.now = { ...this.now, awaited: undefined, rejection: undefined };
  }

  #markReported(): void {
    const { announced } = this.now;
    if (announced) this.now = { ...this.now, announced: { ...announced, isReported: true } };
  }

  #leave(group: PendingGroup, context: LifecycleContext): void {
    const waiting = this.now[group];
    if (!waiting) return;
    context.emit(`${group}Removed`, waiting.addresses, renderRemovedMessage(this.hash));
    this.now = { ...this.now, [group]: undefined };
  }

  #end(context: LifecycleContext): void {
    this.#leave("partial", context);
    this.#leave("unconfirmed", context);
    this.now = { ...this.now, awaited: undefined };
  }

  #conclude(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    this.#markReported();
    this.now = { ...this.now, rejection: { code, deadline, fromNode: false, recordedAt: context.now } };
    this.#emitStatus(code, deadline, addresses, context);
  }

  #emitStatus(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    context.emit("status", addresses, renderStatusMessage({ hash: this.hash, code, deadline }));
  }
}

function ageOf({ recordedAt }: Rejection, { now }: LifecycleContext): number {
  return now.getTime() - recordedAt.getTime();
}

function union(...lists: (readonly Buffer[] | undefined)[]): Buffer[] {
  return [...new Map(lists.flatMap((list) => list ?? []).map((one) => [one.toString("hex"), one])).values()];
}
