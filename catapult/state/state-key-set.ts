import { idBytes } from "./composite-hash.js";
import type { StateKey } from "./key.js";
import type { StateKind } from "./kind.js";

/** Keys of state values without duplicates, in insertion order. */
export class StateKeySet implements Iterable<StateKey> {
  readonly #keys = new Map<string, StateKey>();

  get size(): number {
    return this.#keys.size;
  }

  add(kind: StateKind, key: Uint8Array): void {
    const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
    const name = nameOf(kind, bytes);
    if (!this.#keys.has(name)) this.#keys.set(name, { kind, key: bytes });
  }

  addId(kind: "mosaic" | "namespace", id: bigint): void {
    this.add(kind, idBytes(id));
  }

  addAll(keys: Iterable<StateKey>): void {
    for (const { kind, key } of keys) this.add(kind, key);
  }

  has(kind: StateKind, key: Buffer): boolean {
    return this.#keys.has(nameOf(kind, key));
  }

  [Symbol.iterator](): Iterator<StateKey> {
    return this.#keys.values();
  }
}

function nameOf(kind: StateKind, key: Buffer): string {
  return `${kind} ${key.toString("latin1")}`;
}
