import type { Cosignature } from "../../catapult/entity/cosignature.js";
import type { RejectedAnnouncement } from "../../database/mempool/rejected-announcements.js";
import type { PartialAggregate, PendingTransaction } from "./pending-transaction.js";

/** A transaction was added to the node's pool. */
export interface UnconfirmedAdded {
  readonly kind: "unconfirmedAdded";
  readonly hash: Buffer;
  readonly pending: PendingTransaction;
  /** Addresses that it concerns according to the node (24 bytes each), besides those in the transaction. */
  readonly addresses: readonly Buffer[];
}

/** A bonded aggregate was added to the node's partial transactions. */
export interface PartialAdded {
  readonly kind: "partialAdded";
  readonly hash: Buffer;
  readonly pending: PartialAggregate;
  readonly addresses: readonly Buffer[];
}

/** The node accepted a cosignature of a partial transaction (`hash`). */
export interface CosignatureAdded {
  readonly kind: "cosignatureAdded";
  readonly hash: Buffer;
  readonly cosignature: Cosignature;
}

/** The node no longer has a transaction; the reason is unknown. */
export interface Removed {
  readonly kind: "unconfirmedRemoved" | "partialRemoved";
  readonly hash: Buffer;
}

/** The node rejected a transaction. */
export interface RejectedByNode {
  readonly kind: "rejectedByNode";
  readonly hash: Buffer;
  /** Name of the status code. */
  readonly code: string;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** A gateway rejected an announcement after it had answered 202: the node never received it. */
export interface RejectedByGateway extends RejectedAnnouncement {
  readonly kind: "rejected";
}

/** A transaction was rejected and removed, and has not returned since. */
export interface Settled {
  readonly kind: "settled";
  readonly hash: Buffer;
}

/** A transaction can no longer be confirmed: its deadline has passed. */
export interface Expired {
  readonly kind: "expired";
  readonly hash: Buffer;
}

/** An announced transaction's deadline has passed, and the node never reported it. */
export interface NeverReported {
  readonly kind: "notTaken";
  readonly hash: Buffer;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** The node does not have an announced transaction, although it was pushed to it. */
export interface Missing {
  readonly kind: "missing";
  readonly hash: Buffer;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** Something that happened to one transaction, as reported by a node or concluded from the time. */
export type Change =
  | UnconfirmedAdded
  | PartialAdded
  | CosignatureAdded
  | Removed
  | RejectedByNode
  | RejectedByGateway
  | Settled
  | Expired
  | NeverReported
  | Missing;
