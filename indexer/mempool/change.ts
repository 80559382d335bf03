import type { Cosignature } from "../../catapult/entity/cosignature.js";
import type { RejectedAnnouncement } from "../../database/mempool/rejected-announcements.js";
import type { PartialAggregate, PendingTransaction } from "./pending-transaction.js";

/** What happened to the transaction with this hash. */
interface ChangeOf<Kind extends string> {
  readonly kind: Kind;
  readonly hash: Buffer;
}

/** It concerns these addresses (24 bytes each), besides those in the transaction. */
interface Addressed {
  readonly addresses: readonly Buffer[];
}

/** It is rejected, or no node has it. */
interface Failed extends Addressed {
  readonly deadline: bigint;
}

/** Something that happened to one transaction, as reported by a node or concluded from the time. */
export type Change =
  /** It was added to the node's pool. */
  | (ChangeOf<"unconfirmedAdded"> & Addressed & { readonly pending: PendingTransaction })
  /** A bonded aggregate was added to the node's partial transactions. */
  | (ChangeOf<"partialAdded"> & Addressed & { readonly pending: PartialAggregate })
  /** The node accepted a cosignature of a partial transaction. */
  | (ChangeOf<"cosignatureAdded"> & { readonly cosignature: Cosignature })
  /** The node no longer has it; the reason is unknown. */
  | ChangeOf<"unconfirmedRemoved">
  | ChangeOf<"partialRemoved">
  /** The node rejected it, with the status code of this name. */
  | (ChangeOf<"rejectedByNode"> & Failed & { readonly code: string })
  /** A gateway rejected its announcement after it had answered 202: the node never received it. */
  | (ChangeOf<"rejected"> & RejectedAnnouncement)
  /** It was rejected and removed, and has not returned since. */
  | ChangeOf<"settled">
  /** It can no longer be confirmed: its deadline has passed. */
  | ChangeOf<"expired">
  /** It was announced, its deadline has passed, and the node never reported it. */
  | (ChangeOf<"notTaken"> & Failed)
  /** It was announced, and the node does not have it, although it was pushed to it. */
  | (ChangeOf<"missing"> & Failed);
