import type { Generated } from "kysely";
import type { Numeric } from "./numeric.js";

export interface BlockTable {
  /** Height and zeros: 12 bytes. */
  id: Buffer;
  height: number;
  hash: Buffer;
  generation_hash: Buffer;
  /** Entity type: 0x8043 nemesis, 0x8143 normal, 0x8243 importance. */
  type: number;
  /** Milliseconds since the network's epoch adjustment; grows with the height. */
  timestamp: number;
  difficulty: Numeric;
  /** Chain score up to and including this block. */
  score: Numeric;
  fee_multiplier: number;
  /** Atomic units of the currency mosaic. */
  total_fee: number;
  signer_public_key: Buffer;
  signer_address: Buffer;
  beneficiary_address: Buffer;
  transactions_count: number;
  /** With embedded ones. */
  total_transactions_count: number;
  statements_count: number;
  /** Bytes. */
  size: number;
  /** REST body. */
  document: string;
}
/** The node's own bytes, from which every other table can be rebuilt. */
export interface RawBlockTable {
  height: number;
  block: Buffer;
  statement: Buffer;
  /** Roots under the state hash, 32 bytes each, one behind the other; empty where the node gave none. */
  sub_cache_merkle_roots: Buffer;
}

export interface TransactionTable {
  id: Buffer;
  /** True for a transaction inside an aggregate, whose id has an embedded index above 0. */
  embedded: boolean;
  /** Of top-level transactions only, as the next. */
  hash: Buffer | null;
  merkle_component_hash: Buffer | null;
  type: number;
  version: number;
  signer_public_key: Buffer;
  signer_address: Buffer;
  /** As written in the transaction: an alias stays one. Null where the type has none. */
  recipient_address: Buffer | null;
  /** Atomic units of the currency mosaic. */
  max_fee: number | null;
  /** Fee paid: size times the block's fee multiplier, atomic units. */
  fee: number | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number | null;
  /** Bytes. */
  size: number;
  /** REST body, of aggregates without their transactions. */
  document: string;
}

/** Whom a transaction concerns. An aggregate concerns everybody whom its embedded transactions concern. */
export interface TransactionAddressTable {
  address: Buffer;
  id: Buffer;
  embedded: boolean;
  type: number;
}

/** What transfers carry: amounts of one mosaic in one transaction added up. */
export interface TransactionMosaicTable {
  /** Id of the mosaic (8 bytes, big-endian); followed by a byte where the transaction names it by an alias only. */
  mosaic_id: Buffer;
  id: Buffer;
  embedded: boolean;
  amount: number;
}

export interface TransactionStatementTable {
  /** Height and place among the block's transaction statements: 12 bytes. */
  id: Buffer;
  primary_id: number;
  secondary_id: number;
  /** Leaf of the block's receipts tree. */
  hash: Buffer;
  document: string;
}

export interface ReceiptTable {
  statement_id: Buffer;
  index: number;
  type: number;
  sender_address: Buffer | null;
  recipient_address: Buffer | null;
  target_address: Buffer | null;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer | null;
  amount: number | null;
  /** Mosaic or namespace that expired: 8 bytes, big-endian. */
  artifact_id: Buffer | null;
}

export interface ResolutionStatementTable {
  id: Buffer;
  /** Address (24 bytes) or mosaic id (8 bytes, big-endian) as transactions wrote it. */
  unresolved: Buffer;
  hash: Buffer;
  document: string;
}

/** What a block did to an account's balance of a mosaic; nothing for what came and went in one block. */
export interface BalanceChangeTable {
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** 24 bytes. */
  address: Buffer;
  height: number;
  /** Atomic units: what came less what went. */
  change: number;
}

/** Every finalized block that was seen, by finalization round. */
export interface FinalizedBlockTable {
  epoch: number;
  point: number;
  height: number;
  hash: Buffer;
}

/** One row: where the index stands. Rows, counters, events and this row move in one transaction. */
export interface HeadTable {
  id: 1;
  /** 0 before the nemesis block. */
  height: number;
  hash: Buffer;
  /** Sum of block scores, as the node's chain statistics give it. */
  score: Numeric;
  finalized_epoch: number;
  finalized_point: number;
  finalized_height: number;
  finalized_hash: Buffer;
  /** Sequence of the newest event; 0 before the first. */
  event_sequence: number;
  network_identifier: number | null;
  generation_hash_seed: Buffer | null;
  /** The newest height at which every state entry was as the node had it; null before the first time. */
  state_height: number | null;
  /** Number of the newest row of state; ids are made of it. */
  state_sequence: Generated<number>;
  /** What blocks up to here changed in the state was noted; only in a database older than its state tables is it below `height`. */
  touched_height: Generated<number>;
  /** The head's height where the state comes of executing every block, with all that continuing needs; else null. */
  ledger_height: number | null;
}

/** What blocks hold and the program that wrote them did not know; state entries of that kind are in `pending_states`. */
export interface UnknownEntityTable {
  /** Of its block, transaction or statement. */
  id: Buffer;
  /** `block`, `transaction`, `embedded`, or `receipt n` for the n-th of its statement, from 0. */
  place: string;
  type: number;
  version: number;
}
