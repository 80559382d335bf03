import { hash } from "node:crypto";
import { type Journal, JournaledMap, JournaledValue } from "./journal.js";
import {
  pathTo,
  removeLeaf,
  rootHash,
  setLeaf,
  type TreeEntry,
  type TreeNode,
  treeEntry,
  treeOf,
} from "./patricia-tree.js";

/** How the entries of one sub-cache are keyed, serialized and stored in its tree. */
export interface TableLayout<K, V> {
  /** The bytes of a key as in requests; their hash is the position in the tree. */
  keyBytes(key: K): Buffer;
  /** The bytes of a value, beginning with two version bytes; their hash is the leaf. */
  serialize(value: V): Buffer;
  /** Whether the value is in the tree after block `height`. Without it, it always is. */
  isInTree?(value: V, height: number): boolean;
}

/** An entry that a block set, replaced or deleted. */
export interface TableChange<V> {
  /** The bytes of its key. */
  readonly key: Buffer;
  /** Undefined if the block created the entry. */
  readonly before: V | undefined;
  /** Undefined if the block deleted the entry. */
  readonly after: V | undefined;
  /** The bytes of `after`. */
  readonly bytes: Buffer | undefined;
}

/** One sub-cache of the state: its entries and the tree over them. Entries are replaced, never modified in place. */
export class StateTable<K, V> {
  readonly #layout: TableLayout<K, V>;
  readonly #values: JournaledMap<K, V>;
  readonly #root: JournaledValue<TreeNode | undefined>;
  readonly #touched = new Set<K>();
  /** Entries at the last update of the tree, for keys set or deleted since. */
  readonly #before = new Map<K, V | undefined>();
  #loaded: TreeEntry[] = [];
  #changes: readonly TableChange<V>[] = [];

  /** @param parent a table below this one (see `JournaledMap`). */
  constructor(journal: Journal, layout: TableLayout<K, V>, parent?: StateTable<K, V>) {
    this.#layout = layout;
    this.#values = new JournaledMap(journal, parent === undefined ? undefined : parent.#values);
    this.#root = new JournaledValue<TreeNode | undefined>(
      journal,
      parent === undefined ? undefined : parent.#root.get(),
    );
  }

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  has(key: K): boolean {
    return this.#values.has(key);
  }

  /** Number of entries. */
  get size(): number {
    return this.#values.size;
  }

  /** All entries, in no certain order. */
  values(): readonly V[] {
    return this.#values.ownValues();
  }

  set(key: K, value: V): void {
    this.#noteBefore(key);
    this.#values.set(key, value);
    this.#touched.add(key);
  }

  delete(key: K): void {
    this.#noteBefore(key);
    this.#values.delete(key);
    this.#touched.add(key);
  }

  /** Deletes an entry that ended before: not a change of a block. */
  forget(key: K): void {
    this.#values.delete(key);
    this.#touched.add(key);
  }

  /** Marks an entry whose position in the tree may change with the height alone. */
  touch(key: K): void {
    this.#touched.add(key);
  }

  /** Keys set, deleted or touched since the tree was last updated (and possibly some whose change was reverted). */
  touchedKeys(): ReadonlySet<K> {
    return this.#touched;
  }

  /** Updates the tree after block `height` and returns its root hash. */
  updateTree(height: number): Buffer {
    const changes: TableChange<V>[] = [];
    let root = this.#root.get();
    for (const key of this.#touched) {
      const after = this.#values.get(key);
      const keyBytes = this.#layout.keyBytes(key);
      const place = sha3(keyBytes);
      const bytes = after === undefined ? undefined : this.#layout.serialize(after);
      const isInTree = after !== undefined && (this.#layout.isInTree?.(after, height) ?? true);
      root = isInTree ? setLeaf(root, place, sha3(bytes!)) : removeLeaf(root, place);
      const before = this.#before.get(key);
      if (this.#before.has(key) && before !== after) changes.push({ key: keyBytes, before, after, bytes });
    }
    this.#touched.clear();
    this.#before.clear();
    this.#changes = changes;
    this.#root.set(root);
    return rootHash(root);
  }

  /** The changes between the last two updates of the tree. */
  changes(): readonly TableChange<V>[] {
    return this.#changes;
  }

  /**
   * Adds an entry of the state after block `height`, which cannot be undone; each key once, and before any change.
   * `endLoading` builds the tree of all of them.
   */
  load(key: K, value: V, height: number): void {
    this.#values.load(key, value);
    if (this.#layout.isInTree && !this.#layout.isInTree(value, height)) return;
    const place = sha3(this.#layout.keyBytes(key));
    this.#loaded.push(treeEntry(place, sha3(this.#layout.serialize(value))));
  }

  /** Builds the tree of the loaded entries. */
  endLoading(): void {
    this.#root.load(treeOf(this.#loaded));
    this.#loaded = [];
  }

  #noteBefore(key: K): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#values.get(key));
  }

  /** Root hash of the tree as last updated. */
  rootHash(): Buffer {
    return rootHash(this.#root.get());
  }

  /** The bytes of a value, beginning with two version bytes. */
  serialize(value: V): Buffer {
    return this.#layout.serialize(value);
  }

  /** The bytes of an entry, or undefined if there is none. */
  serialized(key: K): Buffer | undefined {
    const value = this.#values.get(key);
    return value === undefined ? undefined : this.#layout.serialize(value);
  }

  /** The bytes of all entries, in no certain order. */
  allSerialized(): readonly Buffer[] {
    return this.values().map((value) => this.#layout.serialize(value));
  }

  /** The tree's nodes from the root towards `keyBytes`. */
  path(keyBytes: Buffer): Buffer {
    return pathTo(this.#root.get(), sha3(keyBytes));
  }
}

/** A buffer as a key of a map. */
export function mapKey(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/** The inverse of `mapKey`. */
export function bytesOfMapKey(key: string): Buffer {
  return Buffer.from(key, "latin1");
}

function sha3(bytes: Buffer): Buffer {
  return hash("sha3-256", bytes, "buffer");
}
