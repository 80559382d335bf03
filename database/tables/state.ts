import type { Generated } from "kysely";
import type { Numeric } from "./numeric.js";

/** Columns that every table of state has. */
export interface StateTable {
  /** 12 bytes: a number that grows with the order in which rows came. */
  id: Buffer;
  /** The bytes whose hash stands in the state tree. */
  value: Buffer;
  /** REST body. */
  document: string;
}
/**
 * Keys of state values that may have changed since they were read. A key that is not among them has in the database the
 * value it has at the head.
 */
export interface PendingStateTable {
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As the node is asked for it: ids little-endian. */
  key: Buffer;
  /** The block that made it pending; those that wait longest are read first. */
  height: number;
  /**
   * The value's version, when it was read and this program does not know it: then it waits for another program, and the row
   * of the key keeps the value before. Null for a key that waits to be read.
   */
  unknown_version: Generated<number | null>;
}

export interface AccountTable extends StateTable {
  address: Buffer;
  /** 32 zero bytes as long as it is unknown. */
  public_key: Buffer;
  /** 0 unlinked, 1 main, 2 remote, 3 remote that is unlinked. */
  account_type: number;
  /** Of a main account its remote one, and the other way round. */
  linked_public_key: Buffer | null;
  importance: Numeric;
  /** 0 for an account that takes no part. */
  importance_height: number;
  /** The head when the value was read. */
  read_height: number;
  /** Where blocks are executed: importances and activity that the value leaves out. Null where there is none. */
  history: Buffer | null;
}

/** What accounts have: no amount is 0. */
export interface AccountBalanceTable {
  /** Of the account's row. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
}

/** How many accounts have amounts of a mosaic from a level up to the next; there is no row for a level without accounts. */
export interface BalanceLevelTable {
  mosaic_id: Buffer;
  /** A number that `balanceLevel` gives. */
  level: Numeric;
  count: number;
}

export interface AccountRestrictionTable extends StateTable {
  address: Buffer;
}

export interface HashLockTable extends StateTable {
  /** Of the aggregate: 32 bytes. */
  hash: Buffer;
  owner_address: Buffer;
  /** The first block in which it cannot be used. */
  end_height: number;
  /** 0 unused, 1 used. */
  status: number;
}

export interface SecretLockTable extends StateTable {
  /** Of secret and recipient: 32 bytes. */
  composite_hash: Buffer;
  owner_address: Buffer;
  recipient_address: Buffer;
  /** 32 bytes; shorter ones end in zeros. */
  secret: Buffer;
  /** The first block in which it cannot be used. */
  end_height: number;
  /** 0 unused, 1 used. */
  status: number;
}

export interface MetadataTable extends StateTable {
  /** What identifies the entry: 32 bytes. */
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
  /** The first block in which it cannot be used; null for a mosaic that never ends. */
  end_height: number | null;
  flags: number;
  divisibility: number;
}

export interface MosaicRestrictionTable extends StateTable {
  /** Of mosaic and account: 32 bytes. */
  composite_hash: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** 0 an account's values, 1 the mosaic's rules. */
  entry_type: number;
  /** Null for the mosaic's rules. */
  target_address: Buffer | null;
}

export interface MultisigTable extends StateTable {
  address: Buffer;
  min_approval: number;
  min_removal: number;
  /** Accounts that sign for this one. */
  cosignatory_addresses: Buffer[];
  /** Accounts that this one signs for. */
  multisig_addresses: Buffer[];
}

/** Root namespaces and those below them, as last registered. Ids are 8 bytes, big-endian. */
export interface NamespaceTable {
  id: Buffer;
  namespace_id: Buffer;
  /** The way from the root to the namespace itself. */
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
  /** The first block in which it is gone, its grace period being over; null for one that never ends. */
  end_height: number | null;
  /** Ends of earlier registrations of the root. */
  earlier_end_heights: number[];
  /** Of a root: the bytes whose hash stands in the state tree, which hold what is below it too. */
  value: Buffer | null;
  /** REST body without `meta.active`, and with 0 as `meta.index`: see `DOCUMENT`. */
  document: string;
}

/** Every registration of a namespace in the chain: the state holds ids only, names and earlier registrations are here. */
export interface NamespaceRegistrationTable {
  /** Of the transaction. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  namespace_id: Buffer;
  /** Null for a root. */
  parent_id: Buffer | null;
  name: string;
  /** Blocks; null for a child. */
  duration: Numeric | null;
}

/** An entry as it was before a block that is not final; a value of null where there was none. */
export interface ReplacedStateTable {
  /** The block that replaced it. */
  height: number;
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** As the node is asked for it: ids little-endian. */
  key: Buffer;
  value: Buffer | null;
  /** Of accounts: see there. */
  history: Buffer | null;
}

/** Who votes in an epoch of finalization, where blocks are executed. */
export interface VotingSetTable {
  epoch: number;
  /** The last block of the epoch before: the state after it decides. */
  height: number;
  /** Key (32 bytes) and weight (8, little-endian) of each voter. */
  voters: Buffer;
}
