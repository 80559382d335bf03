import { idBytes } from "../../catapult/state/composite-hash.js";
import { stateKeySize } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import type { ChainTables } from "../state/chain-tables.js";
import { entryOf } from "./entry-changes.js";
import { isRemoved } from "./omitted-part.js";

/**
 * The bytes of an entry, as in the node's info packets; undefined if there is none, or it was removed. A child namespace
 * returns its root's entry. Throws a RangeError for a key of the wrong size.
 */
export function stateValue(tables: ChainTables, kind: StateKind, key: Buffer): Buffer | undefined {
  checkKeySize(kind, key);
  const root = kind === "namespace" ? tables.namespaces.rootOf(key.readBigUInt64LE()) : undefined;
  const entry = entryOf(tables, { kind, key: root ? idBytes(root.id) : key });
  return isRemoved(kind, entry?.history) ? undefined : entry?.value;
}

/**
 * The nodes of the sub-cache's tree from its root towards a key, as in the node's state path packets: they prove that
 * an entry exists, or that none does. Throws a RangeError for a key of the wrong size.
 */
export function statePath(tables: ChainTables, kind: StateKind, key: Buffer): Buffer {
  checkKeySize(kind, key);
  return tables.byKind(kind).path(key);
}

function checkKeySize(kind: StateKind, key: Buffer): void {
  if (key.length !== stateKeySize(kind)) {
    throw new RangeError(`a key of ${kind} has ${stateKeySize(kind)} bytes, not ${key.length}`);
  }
}
