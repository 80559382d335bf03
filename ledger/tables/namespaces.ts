import { idBytes } from "../../catapult/state/composite-hash.js";
import { hasEnded } from "../../catapult/state/end.js";
import { ByteWriter } from "../trees/byte-writer.js";
import { HeightGroups, type Journal, JournaledMap } from "../trees/journal.js";
import { ascending, StateTable } from "../trees/state-table.js";

/** The target of a namespace. */
export type NamespaceAlias =
  | { readonly kind: "none" }
  | { readonly kind: "mosaic"; readonly mosaicId: bigint }
  | { readonly kind: "address"; readonly address: Buffer };

export const NO_ALIAS: NamespaceAlias = { kind: "none" };

/** The end of a namespace that never expires. */
export const ETERNAL = 0xffff_ffff_ffff_ffffn;

export interface ChildNamespace {
  /** Ids from the root to the child itself. */
  readonly path: readonly bigint[];
  readonly alias: NamespaceAlias;
}

/** The state of a root namespace; children are part of it. */
export interface RootNamespace {
  readonly id: bigint;
  readonly owner: Buffer;
  readonly start: number;
  /** The first block after its grace period. */
  readonly end: bigint;
  readonly alias: NamespaceAlias;
  readonly children: ReadonlyMap<bigint, ChildNamespace>;
  /** Whether its end is final: nodes may have removed it, and do so with the next block that they take. */
  readonly isRemoved: boolean;
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

  aliasOf(id: bigint): NamespaceAlias {
    const root = this.rootOf(id);
    if (root) this.#lookedUp.add(root.end);
    return (root?.id === id ? root.alias : root?.children.get(id)?.alias) ?? NO_ALIAS;
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
      if (root.end > end) continue;
      this.#deletePaths(root);
      this.table.delete(root.id);
    }
  }

  /** Registers or renews a root. A renewal by its owner keeps children and aliases; a new owner starts with none. */
  setRoot(id: bigint, owner: Buffer, start: number, end: bigint): void {
    this.#expiries.add(end, id);
    const previous = this.table.get(id);
    if (previous?.owner.equals(owner) && isNamespaceActive(previous, start)) {
      this.table.set(id, { ...previous, start, end });
      return;
    }
    for (const childId of previous?.children.keys() ?? []) this.#paths.delete(childId);
    this.#paths.set(id, [id]);
    this.table.set(id, { id, owner, start, end, alias: NO_ALIAS, children: new Map(), isRemoved: false });
  }

  /** Adds a root with its children that exists after block `height`. */
  load(root: RootNamespace, height: number): void {
    this.#expiries.load(root.end, root.id);
    this.#paths.load(root.id, [root.id]);
    for (const [id, { path }] of root.children) this.#paths.load(id, path);
    this.table.load(root.id, root, height);
  }

  /** Registers a child; its parent must exist. */
  addChild(id: bigint, parentId: bigint): void {
    const root = this.rootOf(parentId);
    const parentPath = this.#pathAt(parentId);
    if (!root || !parentPath) return;
    const path = [...parentPath, id];
    this.#paths.set(id, path);
    this.table.set(root.id, { ...root, children: new Map(root.children).set(id, { path, alias: NO_ALIAS }) });
  }

  /** Changes the target of a namespace, which must exist. */
  setAlias(id: bigint, alias: NamespaceAlias): void {
    const root = this.rootOf(id);
    if (!root) return;
    if (root.id === id) {
      this.table.set(id, { ...root, alias });
      return;
    }
    const child = root.children.get(id);
    if (!child) return;
    this.table.set(root.id, { ...root, children: new Map(root.children).set(id, { ...child, alias }) });
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
    if (!root || root.isRemoved || !hasEnded(root.end, height)) return false;
    this.table.replace(id, { ...root, isRemoved: true });
    return true;
  }

  #deleteRemoved(id: bigint, end: bigint): boolean {
    const root = this.table.get(id);
    if (!root?.isRemoved || root.end > end) return false;
    this.#deletePaths(root);
    this.table.forget(id);
    return true;
  }

  #deletePaths({ id, children }: RootNamespace): void {
    for (const childId of children.keys()) this.#paths.delete(childId);
    this.#paths.delete(id);
  }
}

/** Whether a namespace has an owner in block `height`, including its grace period. */
export function isNamespaceActive(root: RootNamespace, height: number): boolean {
  return height >= root.start && !hasEnded(root.end, height);
}

/** The state value of a root namespace (catapult `RootNamespaceHistoryNonHistoricalSerializer`). */
function serializeNamespace(root: RootNamespace): Buffer {
  const writer = new ByteWriter(128).uint16(1).uint64(root.id).bytes(root.owner).uint64(root.start).uint64(root.end);
  writeAlias(writer, root.alias);
  const children = [...root.children.values()].sort((left, right) => comparePaths(left.path, right.path));
  writer.uint64(children.length);
  for (const { path, alias } of children) {
    writer.uint8(path.length - 1);
    for (const id of path.slice(1)) writer.uint64(id);
    writeAlias(writer, alias);
  }
  return writer.toBuffer();
}

function writeAlias(writer: ByteWriter, alias: NamespaceAlias): void {
  if (alias.kind === "mosaic") writer.uint8(1).uint64(alias.mosaicId);
  else if (alias.kind === "address") writer.uint8(2).bytes(alias.address);
  else writer.uint8(0);
}

function comparePaths(left: readonly bigint[], right: readonly bigint[]): number {
  for (const [index, id] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (id !== other) return ascending(id, other);
  }
  return left.length - right.length;
}
