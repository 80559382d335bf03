import { hash } from "node:crypto";
import { type Journal, JournaledMap, JournaledValue } from "./journal.js";
import { buildTree, pathTo, removeEntry, rootHash, setEntry, type TreeEntry, type TreeNode } from "./patricia-tree.js";

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
  /** The bytes of its key, and these as a string (latin1). */
  readonly key: Buffer;
  readonly name: string;
  /** Undefined if the block created the entry. */
  readonly before: V | undefined;
  /** Undefined if the block deleted the entry. */
  readonly after: V | undefined;
  /** The bytes of `after`. */
  readonly bytes: Buffer | undefined;
}

/** The bytes of a key, and their hash in hexadecimal digits: its position in the tree. */
interface KeyPath {
  readonly keyBytes: Buffer;
  readonly name: string;
  readonly path: string;
}

/** For a key that no block changed, but whose position in the tree is to be updated. */
const UNCHANGED = Symbol("unchanged");

/** Positions of recently changed keys are cached: accounts that are busy in one block are busy in the next. */
const MAX_KNOWN_PATHS = 16_384;

/** One sub-cache of the state: its entries and the tree over them. Entries are replaced, never modified in place. */
export class StateTable<K, V> {
  readonly #layout: TableLayout<K, V>;
  readonly #values: JournaledMap<K, V>;
  readonly #root: JournaledValue<TreeNode | undefined>;
  /** Keys set, deleted or touched since the tree was last updated, with their entries then. */
  readonly #touched = new Map<K, V | undefined | typeof UNCHANGED>();
  readonly #paths = new Map<K, KeyPath>();
  /** The tree whose hash was made last: most trees stay as they are from block to block. */
  #hashed: { readonly root: TreeNode | undefined; readonly hash: Buffer } = {
    root: undefined,
    hash: rootHash(undefined),
  };
  #loaded: TreeEntry[] = [];
  #changes: readonly TableChange<V>[] = [];
  #onLookUp: ((unknown: Buffer | undefined) => void) | undefined;

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
    const value = this.#values.get(key);
    if (this.#onLookUp !== undefined) this.#onLookUp(value === undefined ? this.#layout.keyBytes(key) : undefined);
    return value;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** Calls `onLookUp` whenever a key is looked up: with its bytes if it has no entry. */
  watch(onLookUp: (unknown: Buffer | undefined) => void): void {
    this.#onLookUp = onLookUp;
  }

  get size(): number {
    return this.#values.size;
  }

  /** All entries, in no certain order. */
  values(): readonly V[] {
    return this.#values.ownValues();
  }

  set(key: K, value: V): void {
    this.#noteBefore(key, this.#values.set(key, value));
  }

  delete(key: K): void {
    this.#noteBefore(key, this.#values.get(key));
    this.#values.delete(key);
  }

  /** Deletes an entry that ended before: not a change of a block, and the tree stays as it is. */
  forget(key: K): void {
    this.#values.delete(key);
  }

  /** Replaces an entry by one with the same place in the tree: not a change of a block. */
  replace(key: K, value: V): void {
    this.#values.set(key, value);
  }

  /** Marks an entry whose position in the tree may change with the height alone. */
  touch(key: K): void {
    if (!this.#touched.has(key)) this.#touched.set(key, UNCHANGED);
  }

  /** The changes since the tree was last updated were reverted. */
  forgetTouched(): void {
    if (this.#touched.size > 0) this.#touched.clear();
  }

  /** Keys set, deleted or touched since the tree was last updated. */
  touchedKeys(): Iterable<K> {
    return this.#touched.keys();
  }

  /**
   * The entries set or deleted since this was last called, for a table whose tree is never updated: with their keys, and
   * as they were before.
   */
  takeTouched(): { readonly key: Buffer; readonly before: V | undefined; readonly after: V | undefined }[] {
    const taken = [...this.#touched].flatMap(([key, before]) => {
      const after = this.#values.get(key);
      return before === UNCHANGED || before === after ? [] : [{ key: this.#layout.keyBytes(key), before, after }];
    });
    this.#touched.clear();
    return taken;
  }

  /** Updates the tree after block `height` and returns its root hash, which is shared: do not modify it. */
  updateTree(height: number): Buffer {
    const changes: TableChange<V>[] = [];
    let root = this.#root.get();
    for (const [key, before] of this.#touched) {
      const after = this.#values.get(key);
      const { keyBytes, name, path } = this.#findPath(key);
      const bytes = after === undefined ? undefined : this.#layout.serialize(after);
      const isInTree = after !== undefined && this.#isInTree(after, height);
      root = isInTree ? setEntry(root, path, sha3(bytes!, "binary")) : removeEntry(root, path);
      if (before !== UNCHANGED && before !== after) changes.push({ key: keyBytes, name, before, after, bytes });
    }
    if (this.#touched.size > 0) this.#touched.clear();
    this.#changes = changes;
    this.#root.set(root);
    return this.rootHash();
  }

  #isInTree(value: V, height: number): boolean {
    return this.#layout.isInTree?.(value, height) ?? true;
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
    if (!this.#isInTree(value, height)) return;
    const path = sha3(this.#layout.keyBytes(key), "hex");
    this.#loaded.push({ path, valueHash: sha3(this.#layout.serialize(value), "binary") });
  }

  /** Builds the tree of the loaded entries. */
  endLoading(): void {
    this.#root.load(buildTree(this.#loaded));
    this.#loaded = [];
  }

  #noteBefore(key: K, before: V | undefined): void {
    const noted = this.#touched.get(key);
    const isFirst = noted === UNCHANGED || (noted === undefined && !this.#touched.has(key));
    if (isFirst) this.#touched.set(key, before);
  }

  #findPath(key: K): KeyPath {
    let keyPath = this.#paths.get(key);
    if (keyPath === undefined) {
      const keyBytes = this.#layout.keyBytes(key);
      keyPath = { keyBytes, name: mapKey(keyBytes), path: sha3(keyBytes, "hex") };
      if (this.#paths.size >= MAX_KNOWN_PATHS) this.#paths.clear();
      this.#paths.set(key, keyPath);
    }
    return keyPath;
  }

  /** Root hash of the tree as last updated. It is shared: do not change it. */
  rootHash(): Buffer {
    const root = this.#root.get();
    if (root !== this.#hashed.root) this.#hashed = { root, hash: rootHash(root) };
    return this.#hashed.hash;
  }

  /** The bytes of a value, beginning with two version bytes. */
  serialize(value: V): Buffer {
    return this.#layout.serialize(value);
  }

  /** The bytes of all entries, in no certain order. */
  allSerialized(): readonly Buffer[] {
    return this.values().map((value) => this.#layout.serialize(value));
  }

  /** The tree's nodes from the root towards `keyBytes`. */
  path(keyBytes: Buffer): Buffer {
    return pathTo(this.#root.get(), hash("sha3-256", keyBytes, "buffer"));
  }

  /** The bytes of all keys, in no certain order. */
  *keys(): Generator<Buffer> {
    for (const key of this.#values.ownKeys()) yield this.#layout.keyBytes(key);
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

/** In hexadecimal digits, or in latin1 characters, one a byte (`binary`). */
function sha3(bytes: Buffer, encoding: "hex" | "binary"): string {
  return hash("sha3-256", bytes, encoding);
}

/** Orders ids, for `Array.sort`. */
export function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
