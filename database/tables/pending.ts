import type { ColumnType, Generated } from "kysely";
import type { Numeric } from "./numeric.js";

/**
 * A transaction that waits, or one that is embedded in such a one. Ids are 12 bytes: a number that grows by arrival (9),
 * index in the aggregate (3; 0 for the transaction itself, embedded ones from 1).
 */
export interface PendingTransactionTable {
  id: Buffer;
  embedded: boolean;
  /** Of top-level transactions only, as `deadline`, `addresses` and `added_at`. */
  hash: Buffer | null;
  type: number;
  signer_public_key: Buffer;
  /** As written in the transaction: an alias stays one. Null where the type has none. */
  recipient_address: Buffer | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number | null;
  /** Whom its messages are for (24 bytes each). */
  addresses: Buffer[] | null;
  /** Of partial ones: the aggregate without its cosignatures. */
  payload: Buffer | null;
  added_at: Date | null;
  /** REST body, of aggregates without their transactions. */
  document: string;
}
/** Whom a transaction that waits concerns. An aggregate concerns everybody whom its embedded transactions concern. */
export interface PendingTransactionAddressTable {
  address: Buffer;
  id: Buffer;
  embedded: boolean;
  type: number;
}

/** What transfers carry: amounts of one mosaic in one transaction added up. */
export interface PendingTransactionMosaicTable {
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  id: Buffer;
  embedded: boolean;
  /** Nobody has checked a partial one: what is above 2^63 - 1 stands as that. */
  amount: bigint;
}

/** The cosignatures that a partial transaction has by now; its document has them too. */
export interface PartialCosignatureTable {
  /** Of the aggregate. */
  hash: Buffer;
  /** From 0, in the order in which they came. */
  position: number;
  version: Numeric;
  signer_public_key: Buffer;
  signature: Buffer;
}

/** Why transactions were refused, or that their time ran out. */
export interface TransactionStatusTable {
  hash: Buffer;
  /** Name of the code, such as `Failure_Core_Past_Deadline`. */
  code: string;
  /** As the transaction has it; one that was refused may have any. */
  deadline: Numeric;
  /** False where the indexer concluded it: the node may still say more precisely why. */
  from_node: boolean;
  recorded_at: Date;
}

/**
 * Transactions that the network knows and whose fate is open: they left a block that was dropped, the pool, or the
 * cache of partial ones, and nothing was heard of them since. Each gets a status at its deadline at the latest.
 */
export interface AwaitedTransactionTable {
  hash: Buffer;
  /** What it was last, or would be now. */
  group: PendingGroup;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number;
  /** Whom its messages are for (24 bytes each). */
  addresses: Buffer[];
  since: Date;
}

/**
 * What gateways announced to the node: the indexer pushes it again while nothing is heard of it, until its deadline.
 * Rows go at their deadline.
 */
export interface AnnouncementTable {
  /** Of the transaction; of a cosignature the sha3-256 of its payload. */
  hash: Buffer;
  kind: AnnouncementKind;
  /** As it was pushed: the whole transaction, or the detached cosignature (136 bytes). */
  payload: Buffer;
  /** Of a cosignature: the hash of its aggregate. */
  parent_hash: Buffer | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number;
  announced_at: Date;
  last_pushed_at: Date;
  pushes: number;
  /** Null while there is nothing to push: it was heard of. */
  next_push_at: Date | null;
  /** When the node first spoke of it. */
  heard_at: Date | null;
}

/** How something was announced: by `PUT /transactions`, `/transactions/partial` or `/transactions/cosignature`. */
export type AnnouncementKind = "transaction" | "partial" | "cosignature";

/**
 * Announcements that a gateway rejected after it had accepted them: the indexer turns each into a status and its message,
 * and deletes it. Events have one writer and one sequence, so a gateway writes none.
 */
export interface RejectedAnnouncementTable {
  id: Generated<number>;
  /** Of the transaction. */
  hash: Buffer;
  /** Name of the node's code, such as `Failure_Core_Past_Deadline`. */
  code: string;
  /** As the transaction has it. */
  deadline: Numeric;
  /** Whom it concerns (24 bytes each). */
  addresses: Buffer[];
  rejected_at: ColumnType<Date, never, never>;
}

/** What transactions wait for: a block, or cosignatures. */
export type PendingGroup = "unconfirmed" | "partial";
