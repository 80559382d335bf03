import type { Numeric } from "./marks.js";

/** Columns that every table of state has. */
export interface StateTable {
  /** 12 bytes: a number that grows in the order in which rows were inserted. */
  id: Buffer;
  /** The bytes whose hash is in the state tree. */
  value: Buffer;
}

export interface AccountTable extends StateTable {
  address: Buffer;
  /** 32 zero bytes while it is unknown. */
  public_key: Buffer;
  /** 0 unlinked, 1 main, 2 remote, 3 remote that is unlinked. */
  account_type: number;
  /** For a main account its remote one, and vice versa. */
  linked_public_key: Buffer | null;
  importance: Numeric;
  /** 0 for an account without importance. */
  importance_height: number;
  /** If blocks are executed: importances and activity that are not part of the value. Null if there are none. */
  history: Buffer | null;
}

/** Balances of accounts: no amount is 0. */
export interface AccountBalanceTable {
  /** Id of the account's row. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
}

/** Number of accounts with amounts of a mosaic from a level up to the next; empty levels have no row. */
export interface BalanceLevelTable {
  mosaic_id: Buffer;
  /** A result of `balanceLevel`. */
  level: Numeric;
  count: number;
}

export interface AccountRestrictionTable extends StateTable {
  address: Buffer;
  /** Of each restricted value: the flags of its list. */
  restriction_flags: number[];
  /** Addresses, mosaic ids (8 bytes, big-endian) and transaction types (2 bytes, big-endian). */
  restricted_values: Buffer[];
}

export interface HashLockTable extends StateTable {
  /** Hash of the aggregate: 32 bytes. */
  hash: Buffer;
  owner_address: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
  /** The first block in which it is no longer usable. */
  end_height: number;
  /** 0 unused, 1 used. */
  status: number;
}

export interface SecretLockTable extends StateTable {
  /** Hash of secret and recipient: 32 bytes. */
  composite_hash: Buffer;
  owner_address: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
  recipient_address: Buffer;
  /** 32 bytes; shorter ones are padded with zeros. */
  secret: Buffer;
  /** The first block in which it is no longer usable. */
  end_height: number;
  /** 0 unused, 1 used. */
  status: number;
}

export interface MetadataTable extends StateTable {
  /** Identifies the entry: 32 bytes. */
  composite_hash: Buffer;
  source_address: Buffer;
  target_address: Buffer;
  /** 8 bytes, big-endian. */
  scoped_metadata_key: Buffer;
  /** Mosaic or namespace: 8 bytes, big-endian; zeros for an account's metadata. */
  target_id: Buffer;
  /** 0 account, 1 mosaic, 2 namespace. */
  metadata_type: number;
}

export interface MosaicTable extends StateTable {
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  owner_address: Buffer;
  /** Atomic units. */
  supply: Numeric;
  start_height: number;
  /** The first block in which it is no longer usable; null for a mosaic that never ends. */
  end_height: number | null;
  flags: number;
  divisibility: number;
}

export interface MosaicRestrictionTable extends StateTable {
  /** Hash of mosaic and account: 32 bytes. */
  composite_hash: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** 0 = values of an account, 1 = rules of the mosaic. */
  entry_type: number;
  /** Null for the mosaic's rules. */
  target_address: Buffer | null;
  /** Of each restriction: its key, and the value of the account or of the rule. */
  restriction_keys: (string | bigint)[];
  restriction_values: (string | bigint)[];
  /** Of each rule: its comparison, and the mosaic whose values are compared (8 bytes, big-endian). */
  restriction_types: number[];
  reference_mosaic_ids: Buffer[];
}

export interface MultisigTable extends StateTable {
  address: Buffer;
  min_approval: number;
  min_removal: number;
  /** Cosignatories of this account. */
  cosignatory_addresses: Buffer[];
  /** Accounts that this one cosigns for. */
  multisig_addresses: Buffer[];
}

/** Root and child namespaces, as last registered. Ids are 8 bytes, big-endian. */
export interface NamespaceTable {
  id: Buffer;
  namespace_id: Buffer;
  /** The path from the root to the namespace itself. */
  level0: Buffer;
  level1: Buffer | null;
  level2: Buffer | null;
  /** 0 root, 1 child. */
  registration_type: number;
  /** 0 none, 1 mosaic, 2 address. */
  alias_type: number;
  alias_mosaic_id: Buffer | null;
  alias_address: Buffer | null;
  owner_address: Buffer;
  start_height: number;
  /** The first block after its grace period; null for one that never ends. */
  end_height: number | null;
  /** Ends of earlier registrations of the root. */
  earlier_end_heights: number[];
  /** For a root: the bytes whose hash is in the state tree, which include its children. */
  value: Buffer | null;
}

/**
 * Every registration of a namespace in the chain: the state contains ids only; names and earlier registrations are
 * here.
 */
export interface NamespaceRegistrationTable {
  /** Id of the transaction. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  namespace_id: Buffer;
  /** Null for a root. */
  parent_id: Buffer | null;
  name: string;
  /** Blocks; null for a child. */
  duration: Numeric | null;
}

/** An entry before it was changed by a block that is not final; null if it did not exist. */
export interface ReplacedStateTable {
  /** The block that changed it. */
  height: number;
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As in requests to the node: ids little-endian. */
  key: Buffer;
  value: Buffer | null;
  /** What the value omits: see `OmittedPart` in `ledger/engine/omitted-part.ts`. */
  history: Buffer | null;
}

/** What execution needs of a lock or a root namespace besides its rows. */
export interface KeptStateTable {
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As in requests to the node: ids little-endian. */
  key: Buffer;
  /** The last value of an entry that nodes have removed: it has no rows. Null if it has. */
  value: Buffer | null;
  /** See `OmittedPart` in `ledger/engine/omitted-part.ts`. */
  history: Buffer;
}

/** The voters of a finalization epoch, if blocks are executed. */
export interface VotingSetTable {
  epoch: number;
  /** The last block of the previous epoch: the state after it determines the voters. */
  height: number;
  /** Key (32 bytes) and weight (8, little-endian) of each voter. */
  voters: Buffer;
}

/** Consecutive blocks that votes prove, though their state hash is another one than computed. */
export interface DifferingBlocksTable {
  first_height: number;
  last_height: number;
  /**
   * Of the nine sub-caches as computed, after the last one, while the state differs (empty if unknown); null once it is
   * right again.
   */
  roots: Buffer | null;
}
