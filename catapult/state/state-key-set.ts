import { idBytes } from "./composite-hash.js";
import type { StateKey } from "./key.js";
import type { StateKind } from "./kind.js";

/** Keys of state values without duplicates, in insertion order. */
export class StateKeySet implements Iterable<StateKey> {
  readonly #keys: StateKey[] = [];
  /** The names by kind; the text has a character per byte. */
  readonly #names = new Map<StateKind, Set<string>>();

  get size(): number {
    return this.#keys.length;
  }

  add(kind: StateKind, key: Uint8Array): void {
    const bytes = Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
    const name = bytes.toString("latin1");
    let names = this.#names.get(kind);
    if (!names) {
      names = new Set();
      this.#names.set(kind, names);
    }
    if (names.has(name)) return;
    names.add(name);
    this.#keys.push({ kind, key: bytes });
  }

  addId(kind: "mosaic" | "namespace", id: bigint): void {
    this.add(kind, idBytes(id));
  }

  addAll(keys: Iterable<StateKey>): void {
    for (const { kind, key } of keys) this.add(kind, key);
  }

  has(kind: StateKind, key: Buffer): boolean {
    return this.#names.get(kind)?.has(key.toString("latin1")) ?? false;
  }

  [Symbol.iterator](): Iterator<StateKey> {
    return this.#keys.values();
  }
}
