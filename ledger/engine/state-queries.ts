import { stateKeySize } from "../../catapult/state/key.js";
import type { StateKind } from "../../catapult/state/kind.js";
import type { ChainTables } from "../tables/chain-tables.js";

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
