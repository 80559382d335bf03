import { idBytes } from "../../catapult/state/composite-hash.js";
import { hasEnded } from "../../catapult/state/end.js";
import {
  NAMESPACE_CODEC,
  type NamespaceAlias,
  type NamespaceEntry,
  type NamespaceState,
} from "../../catapult/state/namespace.js";
import { HeightGroups, type Journal, JournaledMap } from "../trees/journal.js";
import { type Order, SortedList } from "../trees/sorted-list.js";
import { ascending, StateTable } from "../trees/state-table.js";

export const NO_ALIAS: NamespaceAlias = { kind: "none" };

/** The state of a root namespace; children are part of it. */
export interface RootNamespace extends Omit<NamespaceState, "entries"> {
  /** The root itself and its children, by their ids. */
  readonly entries: SortedList<bigint, NamespaceEntry>;
  /** Whether its end is final: nodes may have removed it, and do so with the next block that they take. */
  readonly isRemoved: boolean;
}

const BY_ID: Order<bigint, NamespaceEntry> = { keyOf: ({ id }) => id, compare: ascending };

/** A root and its children, as the state of a root has them. */
export function entriesOf(entries: readonly NamespaceEntry[]): SortedList<bigint, NamespaceEntry> {
  return SortedList.of(
    BY_ID,
    entries.toSorted((left, right) => ascending(left.id, right.id)),
  );
}

/**
 * The namespaces of the chain. The reference also stores earlier owners of a root, but only for roll-backs; here the
 * journal does that.
 *
 * The alias of an ended root means its target until the root is removed. A node does that when it takes a block, up to
 * what it then knows to be final; so the node that creates a block decides by its own knowledge what such an alias in
 * it means, and the block's hashes alone tell. Removed roots are therefore kept for some time (`keptFor`), and `execute`
 * of `ChainState` finds out (catapult `BlockchainSyncConsumer`, `RunNamespaceResolver`).
 */
export class Namespaces {
  readonly table: StateTable<bigint, RootNamespace>;
  /** The path of every existing namespace, by its id. */
  readonly #paths: JournaledMap<bigint, readonly bigint[]>;
  readonly #expiries: HeightGroups<bigint>;
  /** Whether removed roots are there. For transactions that are tried they are not: a node has removed them. */
  readonly #showsRemoved: boolean;
  /** Ends of the roots whose aliases were looked up since `forgetLookUps`. */
  readonly #lookedUp = new Set<bigint>();
  #onLookUp: ((unknown: Buffer | undefined) => void) | undefined;

  constructor(journal: Journal, parent?: Namespaces) {
    this.#showsRemoved = parent === undefined;
    this.table = new StateTable(
      journal,
      { keyBytes: idBytes, serialize: serializeNamespace, isInTree: isNamespaceActive },
      parent?.table,
    );
    this.#paths = new JournaledMap(journal, parent === undefined ? undefined : parent.#paths);
    this.#expiries = new HeightGroups(journal, parent === undefined ? undefined : parent.#expiries);
  }

  /** Ids from the root to the namespace; undefined if there is none with this id. */
  pathOf(id: bigint): readonly bigint[] | undefined {
    return this.#showsRemoved || this.rootOf(id) ? this.#pathAt(id) : undefined;
  }

  /** The root of a namespace (or itself), also after it expired, until it is removed. */
  rootOf(id: bigint): RootNamespace | undefined {
    const rootId = this.#pathAt(id)?.[0];
    const root = rootId === undefined ? undefined : this.table.get(rootId);
    return root?.isRemoved && !this.#showsRemoved ? undefined : root;
  }

  /** Calls `onLookUp` whenever a namespace is looked up: with its id (8 bytes) if it does not exist. */
  watch(onLookUp: (unknown: Buffer | undefined) => void): void {
    this.#onLookUp = onLookUp;
    this.table.watch(onLookUp);
  }

  #pathAt(id: bigint): readonly bigint[] | undefined {
    const path = this.#paths.get(id);
    if (path === undefined) this.#onLookUp?.(idBytes(id));
    return path;
  }

  findAlias(id: bigint): NamespaceAlias {
    const root = this.rootOf(id);
    if (root) this.#lookedUp.add(root.endHeight);
    return root?.entries.get(id)?.alias ?? NO_ALIAS;
  }

  forgetLookUps(): void {
    this.#lookedUp.clear();
  }

  /** The ends, up to `height`, of the roots whose aliases were looked up since `forgetLookUps`; the lowest first. */
  endsLookedUp(height: number): readonly bigint[] {
    return [...this.#lookedUp].filter((end) => hasEnded(end, height)).sort(ascending);
  }

  /** Deletes the roots that ended at `end` or before, as a block whose creator had removed them. */
  deleteEnded(end: bigint): void {
    for (const root of this.table.values()) {
      if (root.endHeight > end) continue;
      this.#deletePaths(root);
      this.table.delete(root.id);
    }
  }

  /** Registers or renews a root. A renewal by its owner keeps children and aliases; a new owner starts with none. */
  setRoot(id: bigint, ownerAddress: Buffer, startHeight: number, endHeight: bigint): void {
    this.#expiries.add(endHeight, id);
    const previous = this.table.get(id);
    if (previous?.ownerAddress.equals(ownerAddress) && isNamespaceActive(previous, startHeight)) {
      this.table.set(id, { ...previous, startHeight, endHeight });
      return;
    }
    if (previous) this.#deletePaths(previous);
    const path = [id];
    this.#paths.set(id, path);
    const entries = entriesOf([{ id, path, alias: NO_ALIAS }]);
    this.table.set(id, { id, ownerAddress, startHeight, endHeight, entries, isRemoved: false });
  }

  /** Adds a root with its children that exists after block `height`. */
  load(root: RootNamespace, height: number): void {
    this.#expiries.load(root.endHeight, root.id);
    for (const { id, path } of root.entries) this.#paths.load(id, path);
    this.table.load(root.id, root, height);
  }

  /** Registers a child; its parent must exist. */
  addChild(id: bigint, parentId: bigint): void {
    const root = this.rootOf(parentId);
    const parentPath = this.#pathAt(parentId);
    if (!root || !parentPath) return;
    const path = [...parentPath, id];
    this.#paths.set(id, path);
    this.#setEntry(root, { id, path, alias: NO_ALIAS });
  }

  /** Changes the target of a namespace, which must exist. */
  setAlias(id: bigint, alias: NamespaceAlias): void {
    const root = this.rootOf(id);
    const entry = root?.entries.get(id);
    if (root && entry) this.#setEntry(root, { ...entry, alias });
  }

  #setEntry(root: RootNamespace, entry: NamespaceEntry): void {
    this.table.set(root.id, { ...root, entries: root.entries.with(entry) });
  }

  /** The roots whose grace period ended with the block before `height`, in the order of their ids. */
  endingAt(height: number): readonly bigint[] {
    const ids = this.#expiries.at(BigInt(height));
    for (const id of ids) this.table.touch(id);
    return ids
      .filter((id) => {
        const root = this.table.get(id);
        return root && !isNamespaceActive(root, height) && isNamespaceActive(root, height - 1);
      })
      .sort(ascending);
  }

  /**
   * Removes the roots that ended at `height`, which is final. They are kept for `keptFor` blocks more, then deleted.
   * Returns the ids of both.
   */
  prune(height: number, keptFor: number): readonly bigint[] {
    const removed = this.#expiries.at(BigInt(height)).filter((id) => this.pruneRoot(id, height));
    const oldest = BigInt(height - keptFor);
    const deleted = this.#expiries.at(oldest).filter((id) => this.#deleteRemoved(id, oldest));
    this.#expiries.clear(oldest);
    return [...removed, ...deleted];
  }

  /** Removes a root if it ended at `height` or before. Returns whether it did. */
  pruneRoot(id: bigint, height: number): boolean {
    const root = this.table.get(id);
    if (!root || root.isRemoved || !hasEnded(root.endHeight, height)) return false;
    this.table.replace(id, { ...root, isRemoved: true });
    return true;
  }

  #deleteRemoved(id: bigint, end: bigint): boolean {
    const root = this.table.get(id);
    if (!root?.isRemoved || root.endHeight > end) return false;
    this.#deletePaths(root);
    this.table.forget(id);
    return true;
  }

  #deletePaths({ entries }: RootNamespace): void {
    for (const { id } of entries) this.#paths.delete(id);
  }
}

/** Whether a namespace has an owner in block `height`, including its grace period. */
export function isNamespaceActive(root: RootNamespace, height: number): boolean {
  return height >= root.startHeight && !hasEnded(root.endHeight, height);
}

function serializeNamespace(root: RootNamespace): Buffer {
  const entries = [...root.entries].sort((left, right) => comparePaths(left.path, right.path));
  return NAMESPACE_CODEC.encode({ ...root, entries });
}

function comparePaths(left: readonly bigint[], right: readonly bigint[]): number {
  const shared = Math.min(left.length, right.length);
  for (let level = 0; level < shared; ++level) {
    if (left[level] !== right[level]) return ascending(left[level]!, right[level]!);
  }
  return left.length - right.length;
}
