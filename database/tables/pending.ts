import type { ColumnType, Generated } from "kysely";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Numeric } from "./embedded-flag.js";

/**
 * A pending transaction, or one embedded in it. Ids are 12 bytes: a number that grows by arrival (9), index in the
 * aggregate (3; 0 for the transaction itself, embedded ones from 1).
 */
export interface PendingTransactionTable {
  id: Buffer;
  group: PendingGroup;
  embedded: boolean;
  /** For top-level transactions only, like `deadline`, `addresses`, `payload` and `added_at`. */
  hash: Buffer | null;
  type: number;
  signer_public_key: Buffer;
  /** The recipient address as in the transaction: not resolved. Null if the type has none. */
  recipient_address: Buffer | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number | null;
  /** Addresses whose subscribers get its messages (24 bytes each). */
  addresses: Buffer[] | null;
  /** Its bytes; those of an aggregate without its cosignatures. */
  payload: Buffer | null;
  /** Where it is in the payload, which is that of the aggregate for an embedded one. */
  position: number;
  size: number;
  /** Bytes of the transactions that are embedded in it. */
  embedded_size: number;
  added_at: Date | null;
}

/** Addresses that a pending transaction concerns. An aggregate concerns all addresses of its embedded transactions. */
export interface PendingTransactionAddressTable {
  group: PendingGroup;
  address: Buffer;
  id: Buffer;
}

/** Mosaics of transfers: amounts of one mosaic in one transaction summed. */
export interface PendingTransactionMosaicTable {
  group: PendingGroup;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  id: Buffer;
  /** Partial transactions are unverified: values above 2^63 - 1 are stored as that. */
  amount: bigint;
}

/** The current cosignatures of a pending aggregate. */
export interface PendingCosignatureTable {
  /** The id of the aggregate. */
  id: Buffer;
  /** From 0, in order of arrival. */
  position: number;
  signer_public_key: Buffer;
  /** The cosignature as in an aggregate: version (8), public key (32), signature (64). */
  cosignature: Buffer;
}

/** Why transactions were rejected or expired. */
export interface TransactionStatusTable {
  hash: Buffer;
  /** Name of the code, such as `Failure_Core_Past_Deadline`. */
  code: string;
  /** The deadline as in the transaction; a rejected one may have any value. */
  deadline: Numeric;
  /** False if concluded by the indexer: the node may still report a more precise reason. */
  from_node: boolean;
  recorded_at: Date;
}

/**
 * Transactions whose outcome is unknown: they were removed with a dropped block, from the pool, or from the cache of
 * partial ones, and not reported since. Each gets a status at its deadline at the latest.
 */
export interface AwaitedTransactionTable {
  hash: Buffer;
  /** Its last group, or the one it would have now. */
  group: PendingGroup;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number;
  /** Addresses whose subscribers get its messages (24 bytes each). */
  addresses: Buffer[];
  since: Date;
}

/**
 * Announcements of gateways: the indexer pushes them again until the node reports them. Rows are deleted at their
 * deadline.
 */
export interface AnnouncementTable {
  /** Hash of the transaction; for a cosignature the sha3-256 of its payload. */
  hash: Buffer;
  kind: AnnouncementKind;
  /** The payload as pushed: the whole transaction, or the detached cosignature (136 bytes). */
  payload: Buffer;
  /** For a cosignature: the hash of its aggregate. */
  parent_hash: Buffer | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number;
  announced_at: Date;
  last_pushed_at: Date;
  pushes: number;
  /** When each node got these bytes last: times in ISO 8601 by the node's identity in hex digits. */
  pushed_to: Record<string, string>;
  state: AnnouncementState;
  /** Null unless it is `pushed`. */
  next_push_at: Date | null;
  /** When the node first reported it. */
  reported_at: Date | null;
  /** The client for whom it was held: an IPv4 address, or the /64 of an IPv6 address. */
  held_for: string | null;
}

/**
 * What becomes of an announcement: `held` until the node would take it; `pushed`, and pushed again until the node reports
 * it; `reported`, or without anything left to push.
 */
export type AnnouncementState = "held" | "pushed" | "reported";

/** The route of the announcement: `PUT /transactions`, `/transactions/partial` or `/transactions/cosignature`. */
export type AnnouncementKind = "transaction" | "partial" | "cosignature";

/**
 * Announcements that a gateway rejected after it had answered 202: the indexer turns each into a status and its
 * message, and deletes it. Events have one writer and one sequence, so a gateway writes none.
 */
export interface RejectedAnnouncementTable {
  id: Generated<number>;
  /** The hash of the transaction. */
  hash: Buffer;
  /** Name of the node's code, such as `Failure_Core_Past_Deadline`. */
  code: string;
  /** The deadline as in the transaction. */
  deadline: Numeric;
  /** Addresses that it concerns (24 bytes each). */
  addresses: Buffer[];
  rejected_at: ColumnType<Date, never, never>;
}
