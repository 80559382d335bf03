import type { ColumnType, Generated } from "kysely";
import type { Numeric } from "./numeric.js";

/** The stored form of an id, see `entityNumber`; a `bigint` from the driver only if it is large. */
export type EntityId = ColumnType<number | bigint, bigint, bigint>;

export interface BlockTable {
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
  /** Including embedded ones. */
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
  /** Roots under the state hash, 32 bytes each, concatenated; empty if the node sent none. */
  sub_cache_merkle_roots: Buffer;
}

export interface TransactionTable {
  id: EntityId;
  /** True for an embedded transaction, whose id has an embedded index above 0. */
  embedded: boolean;
  /** For top-level transactions only, like the next. */
  hash: Buffer | null;
  merkle_component_hash: Buffer | null;
  type: number;
  version: number;
  signer_public_key: Buffer;
  signer_address: Buffer;
  /** As in the transaction: not resolved. Null if the type has none. */
  recipient_address: Buffer | null;
  /** Atomic units of the currency mosaic. */
  max_fee: number | null;
  /** Fee paid: size times the block's fee multiplier, atomic units. */
  fee: number | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number | null;
  /** Bytes. */
  size: number;
  /** REST body, for aggregates without embedded transactions. */
  document: string;
}

/** Addresses that a transaction concerns. An aggregate concerns all addresses of its embedded transactions. */
export interface TransactionAddressTable {
  address: Buffer;
  id: EntityId;
  embedded: boolean;
  type: number;
}

/** Mosaics of transfers: amounts of one mosaic in one transaction summed. */
export interface TransactionMosaicTable {
  /** Id of the mosaic (8 bytes, big-endian); followed by a byte if the transaction names it by an alias only. */
  mosaic_id: Buffer;
  id: EntityId;
  embedded: boolean;
  amount: number;
}

export interface TransactionStatementTable {
  /** Height and position among the block's transaction statements. */
  id: EntityId;
  primary_id: number;
  secondary_id: number;
  /** Leaf of the block's receipts tree. */
  hash: Buffer;
  document: string;
}

export interface ReceiptTable {
  statement_id: EntityId;
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
  id: EntityId;
  /** Address (24 bytes) or mosaic id (8 bytes, big-endian) as in transactions. */
  unresolved: Buffer;
  hash: Buffer;
  document: string;
}

/** Change of an account's balance of a mosaic in a block; no row if the sum is 0. */
export interface BalanceChangeTable {
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** 24 bytes. */
  address: Buffer;
  height: number;
  /** Atomic units: received minus sent. */
  change: number;
}

/** Every finalized block that was observed, by finalization round. */
export interface FinalizedBlockTable {
  epoch: number;
  point: number;
  height: number;
  hash: Buffer;
}

/** One row: the head of the index. Rows, counters, events and this row change in one transaction. */
export interface HeadTable {
  id: 1;
  /** 0 before the nemesis block. */
  height: number;
  hash: Buffer;
  /** Sum of block scores, as in the node's chain statistics. */
  score: Numeric;
  finalized_epoch: number;
  finalized_point: number;
  finalized_height: number;
  finalized_hash: Buffer;
  /** Sequence of the newest event; 0 before the first. */
  event_sequence: number;
  network_identifier: number | null;
  generation_hash_seed: Buffer | null;
  /** The newest height at which the whole state was consistent with the node; null before the first time. */
  state_height: number | null;
  /** Number of the newest row of state; ids are derived from it. */
  state_sequence: Generated<number>;
  /**
   * Height up to which changed state keys were recorded; below `height` only in a database older than its state
   * tables.
   */
  touched_height: Generated<number>;
  /**
   * The head's height if the state was computed by executing every block, with all data needed to continue; otherwise
   * null.
   */
  ledger_height: number | null;
  /** Whether a migration has emptied the tables of blocks: `backfill --source raw` has to fill them first. */
  must_be_filled: Generated<boolean>;
}

/** Entities in blocks that were unknown to the indexer; such state entries are in `pending_states`. */
export interface UnknownEntityTable {
  /** Id of its block, transaction or statement. */
  id: EntityId;
  /** `block`, `transaction`, `embedded`, or `receipt n` for the n-th of its statement, from 0. */
  place: string;
  type: number;
  version: number;
}
