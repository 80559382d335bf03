import type { Cosignature } from "../../catapult/entity/cosignature.js";
import type { RejectedAnnouncement } from "../../database/mempool/rejected-announcements.js";
import type { PartialAggregate, PendingTransaction } from "./pending-transaction.js";

/** The node holds a transaction that waits for a block. */
export interface UnconfirmedAdded {
  readonly kind: "unconfirmedAdded";
  readonly hash: Buffer;
  readonly pending: PendingTransaction;
  /** Whom the node says that it concerns (24 bytes each), besides those whom the transaction names. */
  readonly addresses: readonly Buffer[];
}

/** The node holds a bonded aggregate that waits for cosignatures. */
export interface PartialAdded {
  readonly kind: "partialAdded";
  readonly hash: Buffer;
  readonly pending: PartialAggregate;
  readonly addresses: readonly Buffer[];
}

/** The node took a cosignature of a partial transaction (`hash`). */
export interface CosignatureAdded {
  readonly kind: "cosignatureAdded";
  readonly hash: Buffer;
  readonly cosignature: Cosignature;
}

/** The node does not hold a transaction any more; why is not known. */
export interface Removed {
  readonly kind: "unconfirmedRemoved" | "partialRemoved";
  readonly hash: Buffer;
}

/** The node refused a transaction. */
export interface Refused {
  readonly kind: "refused";
  readonly hash: Buffer;
  /** Name of the code. */
  readonly code: string;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** A gateway rejected an announcement that it had accepted: the node never saw it. */
export interface Rejected extends RejectedAnnouncement {
  readonly kind: "rejected";
}

/** A transaction can come into no block any more: its deadline is over. */
export interface Expired {
  readonly kind: "expired";
  readonly hash: Buffer;
}

/** A transaction was announced, its deadline is over, and the node never spoke of it. */
export interface NotTaken {
  readonly kind: "notTaken";
  readonly hash: Buffer;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** Something that happened to one transaction, as a node tells it or as it follows from time. */
export type Change =
  | UnconfirmedAdded
  | PartialAdded
  | CosignatureAdded
  | Removed
  | Refused
  | Rejected
  | Expired
  | NotTaken;
