import type { ChainTables } from "../state/chain-tables.js";
import { mapKey } from "../state/state-table.js";

/** The sub-caches by the names under which their entries are asked for. */
export const STATE_KINDS = [
  "account",
  "namespace",
  "mosaic",
  "multisig",
  "hashLock",
  "secretLock",
  "accountRestriction",
  "mosaicRestriction",
  "metadata",
] as const;

export type StateKind = (typeof STATE_KINDS)[number];

const KEY_SIZES: Readonly<Record<StateKind, number>> = {
  account: 24,
  namespace: 8,
  mosaic: 8,
  multisig: 24,
  hashLock: 32,
  secretLock: 32,
  accountRestriction: 24,
  mosaicRestriction: 32,
  metadata: 32,
};

/** Bytes of a key: 24 of an address, 8 of an id (little-endian), 32 of a hash. */
export function stateKeySize(kind: StateKind): number {
  return KEY_SIZES[kind];
}

/**
 * The bytes of an entry, as the node's info packets give them; undefined if there is none. A child namespace gives its
 * root's entry. Throws a RangeError for a key of the wrong size.
 */
export function stateValue(tables: ChainTables, kind: StateKind, key: Buffer): Buffer | undefined {
  checkKeySize(kind, key);
  switch (kind) {
    case "namespace": {
      const root = tables.namespaces.rootOf(key.readBigUInt64LE());
      return root && tables.namespaces.table.serialized(root.id);
    }
    case "mosaic":
      return tables.mosaics.table.serialized(key.readBigUInt64LE());
    default:
      return byteKeyedTable(tables, kind).serialized(mapKey(key));
  }
}

/**
 * The nodes of the sub-cache's tree from its root towards a key, as the node's state path packets give them: they prove
 * that an entry is there, or that none is. Throws a RangeError for a key of the wrong size.
 */
export function statePath(tables: ChainTables, kind: StateKind, key: Buffer): Buffer {
  checkKeySize(kind, key);
  if (kind === "namespace") return tables.namespaces.table.path(key);
  if (kind === "mosaic") return tables.mosaics.table.path(key);
  return byteKeyedTable(tables, kind).path(key);
}

interface ByteKeyedTable {
  serialized(key: string): Buffer | undefined;
  path(key: Buffer): Buffer;
}

function byteKeyedTable(tables: ChainTables, kind: Exclude<StateKind, "namespace" | "mosaic">): ByteKeyedTable {
  switch (kind) {
    case "account":
      return tables.accounts.table;
    case "multisig":
      return tables.multisigs.table;
    case "hashLock":
      return tables.hashLocks.table;
    case "secretLock":
      return tables.secretLocks.table;
    case "accountRestriction":
      return tables.accountRestrictions.table;
    case "mosaicRestriction":
      return tables.mosaicRestrictions.table;
    case "metadata":
      return tables.metadata.table;
  }
}

function checkKeySize(kind: StateKind, key: Buffer): void {
  if (key.length !== KEY_SIZES[kind]) {
    throw new RangeError(`a key of ${kind} has ${KEY_SIZES[kind]} bytes, not ${key.length}`);
  }
}
