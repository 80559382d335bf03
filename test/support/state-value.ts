import { idBytes } from "../../catapult/state/composite-hash.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { entryOf } from "../../ledger/engine/entry-changes.js";
import { isRemoved } from "../../ledger/engine/omitted-part.js";
import type { ChainTables } from "../../ledger/tables/chain-tables.js";

/** The bytes of an entry; undefined if there is none, or it was removed. A child namespace returns its root's entry. */
export function stateValue(tables: ChainTables, kind: StateKind, key: Buffer): Buffer | undefined {
  const root = kind === "namespace" ? tables.namespaces.rootOf(key.readBigUInt64LE()) : undefined;
  const entry = entryOf(tables, { kind, key: root ? idBytes(root.id) : key });
  return isRemoved(kind, entry?.history) ? undefined : entry?.value;
}
