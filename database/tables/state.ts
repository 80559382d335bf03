import type { ACCOUNT_FIELDS } from "../../catapult/state/account.js";
import type { ACCOUNT_RESTRICTIONS_FIELDS } from "../../catapult/state/account-restriction.js";
import type { HASH_LOCK_FIELDS, SECRET_LOCK_FIELDS } from "../../catapult/state/lock.js";
import type { METADATA_FIELDS } from "../../catapult/state/metadata.js";
import type { MOSAIC_FIELDS } from "../../catapult/state/mosaic.js";
import type { MOSAIC_RESTRICTION_FIELDS } from "../../catapult/state/mosaic-restriction.js";
import type { MULTISIG_FIELDS } from "../../catapult/state/multisig.js";
import type { Field, VaryingField } from "../../catapult/values/codecs.js";
import type { Numeric } from "./embedded-flag.js";

/** Columns that every table of state has. */
interface StateRow {
  /** 12 bytes: a number that grows in the order in which rows were inserted. */
  id: Buffer;
  /** The bytes whose hash is in the state tree. */
  value: Buffer;
}

/** The type of the column of a field. Ids are 8 bytes, big-endian. */
type ColumnOf<F> = F extends { readonly isId: true }
  ? Buffer
  : F extends Field<infer Value> | VaryingField<infer Value>
    ? Value extends bigint
      ? Numeric
      : Value
    : never;

/** The columns of a kind of state: those of its fields, which say what they are. */
type RowOf<F> = StateRow & {
  [Name in keyof F as F[Name] extends { readonly column: infer Column extends string } ? Column : never]: ColumnOf<
    F[Name]
  >;
};

/** Columns of entries that are found by a hash of some of their fields. */
interface CompositeHash {
  /** 32 bytes. */
  composite_hash: Buffer;
}

export type AccountTable = RowOf<typeof ACCOUNT_FIELDS> & {
  /** For a main account its remote one, and vice versa. */
  linked_public_key: Buffer | null;
  /** Importances and activity that are not part of the value. Null if there are none. */
  history: Buffer | null;
};

export type MosaicTable = RowOf<typeof MOSAIC_FIELDS> & {
  /** The first block in which it is no longer usable; null for a mosaic that never ends. */
  end_height: number | null;
};

export type MultisigTable = RowOf<typeof MULTISIG_FIELDS>;

export type HashLockTable = RowOf<typeof HASH_LOCK_FIELDS>;

export type SecretLockTable = RowOf<typeof SECRET_LOCK_FIELDS> & CompositeHash;

export type MetadataTable = RowOf<typeof METADATA_FIELDS> & CompositeHash;

export type AccountRestrictionTable = RowOf<typeof ACCOUNT_RESTRICTIONS_FIELDS> & {
  /** Of each restricted value: the flags of its list. */
  restriction_flags: number[];
  /** Addresses, mosaic ids (8 bytes, big-endian) and transaction types (2 bytes, big-endian). */
  restricted_values: Buffer[];
};

/** The rules of a mosaic have no `target_address`. */
export type MosaicRestrictionTable = RowOf<typeof MOSAIC_RESTRICTION_FIELDS> &
  CompositeHash & {
    /** Of each restriction: its key, and the value of the account or of the rule. */
    restriction_keys: (string | bigint)[];
    restriction_values: (string | bigint)[];
    /** Of each rule: its comparison, and the mosaic whose values are compared (8 bytes, big-endian). */
    restriction_types: number[];
    reference_mosaic_ids: Buffer[];
  };

/** Balances of accounts: no amount is 0. */
export interface AccountBalanceTable {
  /** Id of the account's row. */
  id: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** Atomic units. */
  amount: Numeric;
}

/** Number of accounts with amounts of a mosaic from a bucket up to the next; empty buckets have no row. */
export interface BalanceHistogramTable {
  mosaic_id: Buffer;
  /** A result of `balanceBucket`. */
  bucket: Numeric;
  count: number;
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
  /** The key as in requests to the node: ids little-endian. */
  key: Buffer;
  value: Buffer | null;
  /** What the value omits: see `OmittedPart` in `ledger/engine/omitted-part.ts`. */
  history: Buffer | null;
}

/** What execution needs of a lock or a root namespace besides its rows. */
export interface HiddenStateTable {
  /** Number of the kind: see `stateKindNumber`. */
  kind: number;
  /** The key as in requests to the node: ids little-endian. */
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
