import { STATE_KINDS } from "../../catapult/state/kind.js";
import type { ChainTables } from "../state/chain-tables.js";
import type { ProvenLeaf, UnprovenEntry } from "../state/unproven-entry.js";
import { tableKey } from "./entry-changes.js";

/** What is known to differ between the state after a block and that of the network. */
export interface StateMarks {
  /** Height since which the state hash is another one than that of the headers; undefined while it is right. */
  readonly differsSince: number | undefined;
  /** Roots of the nine sub-caches, 32 bytes each, concatenated. */
  readonly roots: Buffer;
  readonly unproven: readonly UnprovenEntry[];
}

export function stateMarks(tables: ChainTables): StateMarks {
  return {
    differsSince: tables.differsSince.get() || undefined,
    roots: Buffer.concat(tables.stateTables().map((table) => table.rootHash())),
    unproven: tables.stateTables().flatMap((table) => [...table.unproven()]),
  };
}

/**
 * Puts leaves into the trees, after block `height`. Entries that were unproven before, and that blocks have changed,
 * are proven now, unless they are among these.
 *
 * @param since height since which new entries may differ
 */
export function putLeaves(
  tables: ChainTables,
  leaves: readonly ProvenLeaf[],
  { height, since }: { readonly height: number; readonly since: number },
): void {
  for (const kind of STATE_KINDS) {
    const table = tables.byKind(kind);
    const before = new Map(Array.from(table.unproven(), (one) => [one.position, one]));
    const unproven = new Map([...before].filter(([, { changedBy }]) => changedBy === undefined));
    for (const one of leaves) {
      if (one.kind !== kind) continue;
      table.putLeaf(one);
      const { position } = one;
      if (one.value || isOurLeaf(tables, one, height)) unproven.delete(position);
      else unproven.set(position, { ...one, since: before.get(position)?.since ?? since, changedBy: undefined });
    }
    table.setUnproven([...unproven.values()]);
  }
}

/** An earlier leaf may have hidden a value that is right again, or that there is no entry. */
function isOurLeaf(tables: ChainTables, { kind, key, leaf }: ProvenLeaf, height: number): boolean {
  const own = key && tables.byKind(kind).ownLeaf(tableKey(kind, key), height);
  return own && leaf ? own.equals(leaf) : own === leaf;
}
