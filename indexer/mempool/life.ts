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

/** A transaction that waits, as a row or about to become one. */
export interface Waiting {
  /** Number of its id: the sequence of the event that told of it. */
  readonly number: number;
  readonly deadline: number;
  /** Whom its messages are for. */
  readonly addresses: readonly Buffer[];
  /** The transaction itself, where it has no row yet. */
  readonly fresh?: BlockTransaction;
}

/** An aggregate that waits for cosignatures. */
export interface WaitingPartial extends Waiting {
  /** Without cosignatures. */
  readonly payload: Buffer;
  /** In the order in which they came. */
  readonly cosignatures: readonly Cosignature[];
}

/** Why a transaction was refused. */
export interface Refusal {
  readonly code: string;
  readonly deadline: bigint;
  readonly fromNode: boolean;
  readonly recordedAt: Date;
}

/** A transaction whose fate is open. */
export interface Awaited {
  readonly group: PendingGroup;
  readonly deadline: number;
  readonly addresses: readonly Buffer[];
}

/** Everything that is known of one transaction. */
export interface Knowledge {
  readonly confirmed: boolean;
  readonly unconfirmed?: Waiting | undefined;
  readonly partial?: WaitingPartial | undefined;
  readonly refusal?: Refusal | undefined;
  readonly awaited?: Awaited | undefined;
  /** What a gateway announced, and whether the node has spoken of it. */
  readonly announced?: { readonly kind: AnnouncementKind; readonly heard: boolean } | undefined;
}

/** Where a life's messages go, and what time it is. */
export interface Telling {
  readonly now: Date;
  /** Writes an event. @returns its sequence */
  tell(channel: EventChannel, addresses: readonly Buffer[], data: string): number;
  /** A complete aggregate as it was while it waited. */
  asPartial(aggregate: BlockTransaction): PartialAggregate;
}

/**
 * A refusal that is older than this when its transaction is taken is of another attempt, in ms. The broker tells of
 * refusals and of additions in no certain order, within a fraction of a second.
 */
const REFUSAL_STANDS_MS = 5_000;

/** So long after a conclusion of the indexer the node's word is about the same attempt, in ms. */
const CONCLUSION_STANDS_MS = 30_000;

/** What partial transactions have, as in the reference: who cosigns is not known yet. */
const NO_MERKLE_COMPONENT_HASH = Buffer.alloc(32);

/**
 * The life of one transaction before the block: what is known of it, and the rules by which that changes and is told.
 *
 * | it was | it happens | told, in this order |
 * |---|---|---|
 * | – | taken into the pool | unconfirmedAdded |
 * | – | waits for cosignatures | partialAdded, a cosignature for each that it has |
 * | partial | cosigned | cosignature |
 * | partial | taken into the pool | cosignatures that were not told, partialRemoved, unconfirmedAdded |
 * | partial, unconfirmed | left, refused, or its deadline over | partialRemoved, unconfirmedRemoved |
 * | partial, unconfirmed | confirmed | as if it had been in the pool: …, unconfirmedRemoved (and then confirmedAdded) |
 * | announced here, never heard of | confirmed | unconfirmedAdded, unconfirmedRemoved (and then confirmedAdded) |
 * | any | refused, or rejected by a gateway | status |
 *
 * Whatever is known already changes nothing and is not told again, so sources may overlap.
 */
export class Life {
  readonly hash: Buffer;
  readonly before: Knowledge;
  now: Knowledge;

  constructor(hash: Buffer, knowledge: Knowledge) {
    this.hash = hash;
    this.before = knowledge;
    this.now = knowledge;
  }

  /** @returns false when it is confirmed by what is known: then it may be reverted soon, or the news is old */
  addUnconfirmed(pending: PendingTransaction, addresses: readonly Buffer[], telling: Telling): boolean {
    const { confirmed, unconfirmed, partial, announced, awaited } = this.now;
    if (confirmed) return false;
    if (unconfirmed) return true;
    if (!partial && !awaited && announced?.kind === "partial" && !announced.heard) {
      this.#addPartial(telling.asPartial(pending.transaction), addresses, telling);
    }
    this.#leavePartial(cosignaturesIn(pending.transaction), telling);
    const message = renderTransactionMessage(pending.transaction, 0);
    const number = telling.tell("unconfirmedAdded", addresses, message);
    const { deadline, transaction } = pending;
    this.#taken(telling);
    this.now = { ...this.now, unconfirmed: { number, deadline, addresses, fresh: transaction } };
    return true;
  }

  /** @returns false when it is confirmed by what is known: then it may be reverted soon, or the news is old */
  addPartial(pending: PartialAggregate, addresses: readonly Buffer[], telling: Telling): boolean {
    if (this.now.confirmed) return false;
    if (this.now.unconfirmed) return true;
    if (!this.now.partial) this.#addPartial(pending, addresses, telling);
    for (const cosignature of pending.cosignatures) this.addCosignature(cosignature, telling);
    return true;
  }

  addCosignature(cosignature: Cosignature, telling: Telling): void {
    const { partial } = this.now;
    const { signerPublicKey } = cosignature;
    if (!partial || partial.cosignatures.some((one) => one.signerPublicKey.equals(signerPublicKey))) return;
    const message = renderCosignatureMessage({ ...cosignature, parentHash: this.hash });
    telling.tell("cosignature", partial.addresses, message);
    this.now = { ...this.now, partial: { ...partial, cosignatures: [...partial.cosignatures, cosignature] } };
  }

  /** It left the pool or the cache of partial ones. Where that does not say what became of it, its fate is open. */
  remove(group: PendingGroup, telling: Telling): void {
    const waiting = this.now[group];
    if (!waiting) return;
    this.#leave(group, telling);
    if (this.now.refusal || this.now.unconfirmed || this.now.partial) return;
    const { deadline, addresses } = waiting;
    this.now = { ...this.now, awaited: { group, deadline, addresses } };
  }

  /** The node refused it. What waits leaves when the node says so: it may have refused another way to announce it. */
  refuse(code: string, deadline: bigint, addresses: readonly Buffer[], telling: Telling): void {
    const { unconfirmed, partial, awaited, refusal } = this.now;
    const isOver = refusal && !refusal.fromNode && ageOf(refusal, telling) < CONCLUSION_STANDS_MS;
    this.#heard();
    this.now = {
      ...this.now,
      refusal: { code, deadline, fromNode: true, recordedAt: telling.now },
      awaited: undefined,
    };
    // The end was told when it was concluded here; the node's own word for it comes late.
    if (isOver && !unconfirmed && !partial) return;
    this.#tellStatus(
      code,
      deadline,
      union(addresses, unconfirmed?.addresses, partial?.addresses, awaited?.addresses),
      telling,
    );
  }

  /**
   * A gateway rejected an announcement of it, which the node never saw. Every listener gets the message; it becomes a status
   * only where nothing else is known: another announcement of the same transaction, with other cosignatures, stays as it is.
   */
  reject(code: string, deadline: bigint, addresses: readonly Buffer[], telling: Telling): void {
    const { confirmed, unconfirmed, partial, awaited, announced } = this.now;
    const isUnderWay = unconfirmed || partial || awaited || (announced && !announced.heard);
    if (!confirmed && !isUnderWay) {
      this.now = { ...this.now, refusal: { code, deadline, fromNode: true, recordedAt: telling.now } };
    }
    this.#tellStatus(code, deadline, addresses, telling);
  }

  /** Its deadline is over: it leaves, and gets a status unless the node gave one. `codes` are those of what it was last. */
  expire(codes: Readonly<Record<PendingGroup, string>>, telling: Telling): void {
    const { unconfirmed, partial, awaited } = this.now;
    const last = unconfirmed ?? partial ?? awaited;
    if (!last) return;
    const code = unconfirmed ? codes.unconfirmed : partial ? codes.partial : codes[awaited?.group ?? "unconfirmed"];
    this.#leave("partial", telling);
    this.#leave("unconfirmed", telling);
    this.now = { ...this.now, awaited: undefined };
    if (this.now.refusal || this.now.confirmed) return;
    this.#conclude(code, BigInt(last.deadline), last.addresses, telling);
  }

  /** It was announced, and until its deadline nothing was heard of it. */
  giveUp(code: string, deadline: bigint, addresses: readonly Buffer[], telling: Telling): void {
    const { confirmed, unconfirmed, partial, awaited, refusal } = this.now;
    if (confirmed || unconfirmed || partial || awaited || refusal) return;
    this.#conclude(code, deadline, addresses, telling);
  }

  /** It stands in a block that is being written. */
  confirm(transaction: BlockTransaction, addresses: readonly Buffer[], telling: Telling): void {
    const { unconfirmed, partial, awaited, announced } = this.now;
    const unheard = announced !== undefined && !announced.heard && !awaited;
    if (!unconfirmed && (partial || unheard)) {
      const deadline = Number(transaction.entity.deadline);
      this.addUnconfirmed({ hash: this.hash, transaction, deadline }, addresses, telling);
    }
    this.#leave("unconfirmed", telling);
    this.#heard();
    this.now = { ...this.now, confirmed: true, refusal: undefined, awaited: undefined };
  }

  #addPartial(pending: PendingTransaction, addresses: readonly Buffer[], telling: Telling): void {
    const { deadline } = pending;
    const transaction = { ...pending.transaction, merkleComponentHash: NO_MERKLE_COMPONENT_HASH };
    const number = telling.tell("partialAdded", addresses, renderTransactionMessage(transaction, 0));
    this.#taken(telling);
    const payload = transaction.bytes;
    this.now = {
      ...this.now,
      partial: { number, deadline, addresses, fresh: transaction, payload, cosignatures: [] },
    };
  }

  /** A new beginning: an old refusal does not count any more. */
  #taken(telling: Telling): void {
    const { refusal } = this.now;
    const stands = refusal && ageOf(refusal, telling) < REFUSAL_STANDS_MS;
    this.#heard();
    this.now = { ...this.now, awaited: undefined, refusal: stands ? refusal : undefined };
  }

  #heard(): void {
    const { announced } = this.now;
    if (announced) this.now = { ...this.now, announced: { ...announced, heard: true } };
  }

  #leavePartial(cosignatures: readonly Cosignature[], telling: Telling): void {
    for (const cosignature of cosignatures) this.addCosignature(cosignature, telling);
    this.#leave("partial", telling);
  }

  #leave(group: PendingGroup, telling: Telling): void {
    const waiting = this.now[group];
    if (!waiting) return;
    telling.tell(`${group}Removed`, waiting.addresses, renderRemovedMessage(this.hash));
    this.now = { ...this.now, [group]: undefined };
  }

  #conclude(code: string, deadline: bigint, addresses: readonly Buffer[], telling: Telling): void {
    this.now = { ...this.now, refusal: { code, deadline, fromNode: false, recordedAt: telling.now } };
    this.#tellStatus(code, deadline, addresses, telling);
  }

  #tellStatus(code: string, deadline: bigint, addresses: readonly Buffer[], telling: Telling): void {
    telling.tell("status", addresses, renderStatusMessage({ hash: this.hash, code, deadline }));
  }
}

/** The bytes of an aggregate with the cosignatures that it has by now. */
export function cosignedPayload({ payload, cosignatures }: WaitingPartial): Buffer {
  return joinCosignatures(payload, cosignatures);
}

function ageOf({ recordedAt }: Refusal, { now }: Telling): number {
  return now.getTime() - recordedAt.getTime();
}

function cosignaturesIn({ entity }: BlockTransaction): readonly Cosignature[] {
  return asAggregate(entity)?.cosignatures ?? [];
}

function union(...lists: (readonly Buffer[] | undefined)[]): Buffer[] {
  return [...new Map(lists.flatMap((list) => list ?? []).map((one) => [one.toString("hex"), one])).values()];
}
