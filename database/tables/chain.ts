import type { ColumnType, Generated } from "kysely";
import type { Numeric } from "./embedded-flag.js";

/** The stored form of an id, see `entityNumber`; a `bigint` from the driver only if it is large. */
export type EntityId = ColumnType<number | bigint, bigint, bigint>;

/**
 * Number of a key of the table `keys`. Columns that are "flagged" have twice the number, and one more for an embedded
 * transaction: so each transaction is in one index of a list, and each of the two has statistics of its own.
 */
export interface KeyTable {
  /** From 1, without gaps, in the order in which the chain first names the keys. */
  id: number;
  /** The height of the block that first names it. */
  height: number;
  /** See `KeyKind`. */
  kind: number;
  key: Buffer;
}

export interface BlockTable {
  /** Milliseconds since the network's epoch adjustment; grows with the height. */
  timestamp: number;
  fee_multiplier: number;
  /** Atomic units of the currency mosaic; a `bigint` from the driver only if it is large. */
  total_fee: ColumnType<number | bigint, bigint, bigint>;
  height: number;
  /** Number of a public key. */
  signer: number;
  /** Number of an address. */
  beneficiary: number;
  /** Number of the address of the main account whose own or linked key signed the block. */
  harvester: number;
  transactions_count: number;
  /** Including embedded ones. */
  total_transactions_count: number;
  statements_count: number;
  /** Bytes of the header with its footer at the start of the block. */
  header_size: number;
  difficulty: Numeric;
  /** Chain score up to and including this block. */
  score: Numeric;
  hash: Buffer;
  generation_hash: Buffer;
}
/**
 * The node's own bytes, from which every other table can be rebuilt and bodies are rendered. Large ones are stored in
 * uncompressed chunks of 2 kB, so that slices can be read.
 */
export interface RawBlockTable {
  height: number;
  block: Buffer;
  statement: Buffer;
  /** Roots under the state hash, 32 bytes each, concatenated; empty if the node sent none. */
  sub_cache_merkle_roots: Buffer;
}

export interface TransactionTable {
  id: EntityId;
  /** Milliseconds since the network's epoch adjustment; for top-level transactions only, like the hash. */
  deadline: number | null;
  /** Number of a public key, flagged. */
  signer: number;
  /** Number of an address, flagged: as in the transaction, not resolved. Null if the type has none. */
  recipient: number | null;
  /** Type, flagged: top-level transactions have even numbers. */
  type: number;
  /** Offset of the transaction in its block, in bytes. */
  position: number;
  /** Bytes. */
  size: number;
  /** Bytes of the embedded transactions of an aggregate, which follow its header of 168 bytes; 0 for all others. */
  embedded_size: number;
  hash: Buffer | null;
}

/** Addresses that a transaction concerns. An aggregate concerns all addresses of its embedded transactions. */
export interface TransactionAddressTable {
  id: EntityId;
  /** Number of an address, flagged. */
  account: number;
  type: number;
}

/** Mosaics of transfers: amounts of one mosaic in one transaction summed. */
export interface TransactionMosaicTable {
  id: EntityId;
  amount: number;
  /** Number of a mosaic, flagged; of another kind if the transaction names it by an alias only. */
  mosaic: number;
}

export interface TransactionStatementTable {
  /** Height and position among the block's transaction statements. */
  id: EntityId;
  primary_id: number;
  secondary_id: number;
  /** Offset of the statement in the bytes of the block's statement. */
  position: number;
  /** Bytes. */
  size: number;
}

export interface ReceiptTable {
  statement_id: EntityId;
  amount: number | null;
  /** Numbers of addresses. */
  sender: number | null;
  recipient: number | null;
  target: number | null;
  /** Number of the mosaic or namespace that expired. */
  artifact: number | null;
  type: number;
}

export interface ResolutionStatementTable {
  id: EntityId;
  /** Address (24 bytes) or mosaic id (8 bytes, big-endian) as in transactions. */
  unresolved: Buffer;
  /** Offset of the statement in the bytes of the block's statement. */
  position: number;
  /** Bytes. */
  size: number;
}

/** What a block did to an account's balance of a mosaic; no row if nothing moved it. */
export interface BalanceChangeTable {
  /** Atomic units: received minus sent; 0 if the movements cancel each other. */
  change: number;
  /** Atomic units that were received, if some were sent too; null where the change is all there is. */
  received: number | null;
  /** Number of a mosaic. */
  mosaic: number;
  /** Number of an address. */
  account: number;
  height: number;
}

/** A block that a rollback dropped: see `queries/block-events.ts`. */
export interface DroppedBlockTable {
  /** Number of its removal among all additions and removals of blocks, from 0. */
  sequence: number;
  height: number;
  hash: Buffer;
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
  /** Number of the newest row of state; ids are derived from it. */
  state_sequence: Generated<number>;
  /** When the network's time begins, ms since 1970, for views; null until an indexer that knows the network has run. */
  epoch_adjustment: Generated<number | null>;
  /** The last block whose day is added up in `daily_sums`: nothing above it is. */
  summed_height: Generated<number>;
}

/** One row if the indexer rejected a block that votes prove, otherwise none. */
export interface MissingRuleTable {
  id: 1;
  /** The height of the first such block. */
  height: number;
  /** Why it was rejected. */
  reason: string;
}

/** Entities in blocks that were unknown to the indexer. */
export interface UnknownEntityTable {
  /** Id of its block, transaction or statement. */
  id: EntityId;
  /** `block`, `transaction`, `embedded`, or `receipt n` for the n-th of its statement, from 0. */
  place: string;
  type: number;
  version: number;
}

/** Indexes that are dropped for now, to be created again. */
export interface DeferredIndexTable {
  name: string;
  /** The statement that creates it. */
  definition: string;
}

/** One row while the indexer cannot continue, otherwise none. */
export interface IndexerFailureTable {
  id: 1;
  /** Height of the rejected block; null if the failure belongs to none. */
  height: number | null;
  reason: string;
}

/** One row while the nodes' finalization proofs are invalid by the voters of our own state, otherwise none. */
export interface UnprovenFinalizationTable {
  id: 1;
  reason: string;
}
