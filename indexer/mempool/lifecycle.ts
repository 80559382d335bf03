import { type Cosignature, joinCosignatures } from "../../catapult/entity/cosignature.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { asAggregate } from "../../catapult/entity/transaction.js";
import {
  renderCosignatureMessage,
  renderRemovedMessage,
  renderStatusMessage,
  renderTransactionMessage,
} from "../../catapult/json/transaction.js";
import type { EventChannel } from "../../database/tables/events.js";
import type { AnnouncementKind, PendingGroup } from "../../database/tables/pending.js";
import type { PartialAggregate, PendingTransaction } from "./pending-transaction.js";

/** A pending transaction, as a row or about to become one. */
export interface PendingRow {
  /** Number of its id: the sequence of the event that reported it. */
  readonly number: number;
  readonly deadline: number;
  /** Addresses whose subscribers get its messages. */
  readonly addresses: readonly Buffer[];
  /** The transaction itself, if it has no row yet. */
  readonly fresh?: BlockTransaction;
}

/** A partial aggregate. */
export interface PartialRow extends PendingRow {
  /** Without cosignatures. */
  readonly payload: Buffer;
  /** In order of arrival. */
  readonly cosignatures: readonly Cosignature[];
}

/** Why a transaction was rejected. */
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
  readonly announced?: { readonly kind: AnnouncementKind; readonly heard: boolean } | undefined;
}

/** The event log of a lifecycle's messages, and the current time. */
export interface LifecycleContext {
  readonly now: Date;
  /** Writes an event. @returns its sequence */
  emit(channel: EventChannel, addresses: readonly Buffer[], data: string): number;
  /** A complete aggregate as it was while partial. */
  asPartial(aggregate: BlockTransaction): PartialAggregate;
}

/**
 * A rejection older than this when its transaction is accepted belongs to another attempt, in ms. The broker reports
 * rejections and additions in no certain order, within a fraction of a second.
 */
const REJECTION_VALID_MS = 5_000;

/** How long after a conclusion of the indexer a status of the node is about the same attempt, in ms. */
const CONCLUSION_VALID_MS = 30_000;

/** The value for partial transactions, as in the reference: their final cosigners are unknown. */
const NO_MERKLE_COMPONENT_HASH = Buffer.alloc(32);

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
 * | partial, unconfirmed | removed, rejected, or expired | partialRemoved, unconfirmedRemoved |
 * | partial, unconfirmed | confirmed | as if it had been in the pool: …, unconfirmedRemoved (and then confirmedAdded)
 * |
 * | announced here, never reported | confirmed | unconfirmedAdded, unconfirmedRemoved (and then confirmedAdded) |
 * | any | rejected, by the node or by a gateway | status |
 *
 * What is already known changes nothing and is not reported again, so sources may overlap.
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
    if (!partial && !awaited && announced?.kind === "partial" && !announced.heard) {
      this.#addPartial(context.asPartial(pending.transaction), addresses, context);
    }
    this.#leavePartial(cosignaturesIn(pending.transaction), context);
    const message = renderTransactionMessage(pending.transaction, 0);
    const number = context.emit("unconfirmedAdded", addresses, message);
    const { deadline, transaction } = pending;
    this.#taken(context);
    this.now = { ...this.now, unconfirmed: { number, deadline, addresses, fresh: transaction } };
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
   * It was removed from the pool or the cache of partial ones. If that does not imply its outcome, it becomes
   * awaited.
   */
  remove(group: PendingGroup, context: LifecycleContext): void {
    const waiting = this.now[group];
    if (!waiting) return;
    this.#leave(group, context);
    if (this.now.rejection || this.now.unconfirmed || this.now.partial) return;
    const { deadline, addresses } = waiting;
    this.now = { ...this.now, awaited: { group, deadline, addresses } };
  }

  /**
   * The node rejected it. A pending one is removed only when the node reports that: it may have rejected another
   * attempt to announce it.
   */
  rejectByNode(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { unconfirmed, partial, awaited, rejection } = this.now;
    const isOver = rejection && !rejection.fromNode && ageOf(rejection, context) < CONCLUSION_VALID_MS;
    this.#heard();
    this.now = {
      ...this.now,
      rejection: { code, deadline, fromNode: true, recordedAt: context.now },
      awaited: undefined,
    };
    // The end was reported when it was concluded here; the node's own status is late.
    if (isOver && !unconfirmed && !partial) return;
    this.#emitStatus(
      code,
      deadline,
      union(addresses, unconfirmed?.addresses, partial?.addresses, awaited?.addresses),
      context,
    );
  }

  /**
   * A gateway rejected an announcement of it, which the node never received. Every subscriber gets the message; it
   * becomes a status only if nothing else is known: another announcement of the same transaction, with other
   * cosignatures, is not affected.
   */
  rejectByGateway(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { confirmed, unconfirmed, partial, awaited, announced } = this.now;
    const isUnderWay = unconfirmed || partial || awaited || (announced && !announced.heard);
    if (!confirmed && !isUnderWay) {
      this.now = { ...this.now, rejection: { code, deadline, fromNode: true, recordedAt: context.now } };
    }
    this.#emitStatus(code, deadline, addresses, context);
  }

  /**
   * Its deadline has passed: it is removed, and gets a status unless the node sent one. `codes` are those of its last
   * group.
   */
  expire(codes: Readonly<Record<PendingGroup, string>>, context: LifecycleContext): void {
    const { unconfirmed, partial, awaited } = this.now;
    const last = unconfirmed ?? partial ?? awaited;
    if (!last) return;
    const code = unconfirmed ? codes.unconfirmed : partial ? codes.partial : codes[awaited?.group ?? "unconfirmed"];
    this.#leave("partial", context);
    this.#leave("unconfirmed", context);
    this.now = { ...this.now, awaited: undefined };
    if (this.now.rejection || this.now.confirmed) return;
    this.#conclude(code, BigInt(last.deadline), last.addresses, context);
  }

  /** It was announced, and not reported until its deadline. */
  giveUp(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { confirmed, unconfirmed, partial, awaited, rejection } = this.now;
    if (confirmed || unconfirmed || partial || awaited || rejection) return;
    this.#conclude(code, deadline, addresses, context);
  }

  /** It is in a block that is being written. */
  confirm(transaction: BlockTransaction, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { unconfirmed, partial, awaited, announced } = this.now;
    const unheard = announced !== undefined && !announced.heard && !awaited;
    if (!unconfirmed && (partial || unheard)) {
      const deadline = Number(transaction.entity.deadline);
      this.addUnconfirmed({ hash: this.hash, transaction, deadline }, addresses, context);
    }
    this.#leave("unconfirmed", context);
    this.#heard();
    this.now = { ...this.now, confirmed: true, rejection: undefined, awaited: undefined };
  }

  #addPartial(pending: PendingTransaction, addresses: readonly Buffer[], context: LifecycleContext): void {
    const { deadline } = pending;
    const transaction = { ...pending.transaction, merkleComponentHash: NO_MERKLE_COMPONENT_HASH };
    const number = context.emit("partialAdded", addresses, renderTransactionMessage(transaction, 0));
    this.#taken(context);
    const payload = transaction.bytes;
    this.now = {
      ...this.now,
      partial: { number, deadline, addresses, fresh: transaction, payload, cosignatures: [] },
    };
  }

  /** A new attempt: an old rejection no longer applies. */
  #taken(context: LifecycleContext): void {
    const { rejection } = this.now;
    const stands = rejection && ageOf(rejection, context) < REJECTION_VALID_MS;
    this.#heard();
    this.now = { ...this.now, awaited: undefined, rejection: stands ? rejection : undefined };
  }

  #heard(): void {
    const { announced } = this.now;
    if (announced) this.now = { ...this.now, announced: { ...announced, heard: true } };
  }

  #leavePartial(cosignatures: readonly Cosignature[], context: LifecycleContext): void {
    for (const cosignature of cosignatures) this.addCosignature(cosignature, context);
    this.#leave("partial", context);
  }

  #leave(group: PendingGroup, context: LifecycleContext): void {
    const waiting = this.now[group];
    if (!waiting) return;
    context.emit(`${group}Removed`, waiting.addresses, renderRemovedMessage(this.hash));
    this.now = { ...this.now, [group]: undefined };
  }

  #conclude(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    this.now = { ...this.now, rejection: { code, deadline, fromNode: false, recordedAt: context.now } };
    this.#emitStatus(code, deadline, addresses, context);
  }

  #emitStatus(code: string, deadline: bigint, addresses: readonly Buffer[], context: LifecycleContext): void {
    context.emit("status", addresses, renderStatusMessage({ hash: this.hash, code, deadline }));
  }
}

/** The bytes of an aggregate with its current cosignatures. */
export function cosignedPayload({ payload, cosignatures }: PartialRow): Buffer {
  return joinCosignatures(payload, cosignatures);
}

function ageOf({ recordedAt }: Rejection, { now }: LifecycleContext): number {
  return now.getTime() - recordedAt.getTime();
}

function cosignaturesIn({ entity }: BlockTransaction): readonly Cosignature[] {
  return asAggregate(entity)?.cosignatures ?? [];
}

function union(...lists: (readonly Buffer[] | undefined)[]): Buffer[] {
  return [...new Map(lists.flatMap((list) => list ?? []).map((one) => [one.toString("hex"), one])).values()];
}
