import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";
import type { StoredEntry } from "../../ledger/engine/entry-loader.js";

/** The stored state of an index: entries by kind and key, and those that each block replaced. */
export class StateStore {
  readonly #entries = new Map<StateKind, Map<string, StoredEntry>>(STATE_KINDS.map((kind) => [kind, new Map()]));
  readonly #undo: { readonly height: number; readonly changes: readonly EntryChange[] }[] = [];

  apply(height: number, changes: readonly EntryChange[]): void {
    this.#undo.push({ height, changes });
    for (const { kind, key, after } of changes) this.#put(kind, key, after);
  }

  /** The same entries after an earlier block. */
  at(height: number): StateStore {
    const earlier = new StateStore();
    for (const [kind, entries] of this.#entries) earlier.#entries.set(kind, new Map(entries));
    for (const { height: changed, changes } of [...this.#undo].reverse()) {
      if (changed <= height) break;
      for (const { kind, key, before } of changes) earlier.#put(kind, key, before);
    }
    return earlier;
  }

  forget(keys: readonly { readonly kind: StateKind; readonly key: Buffer }[]): void {
    for (const { kind, key } of keys) this.#put(kind, key, undefined);
  }

  async *[Symbol.asyncIterator]() {
    for (const [kind, entries] of this.#entries) for (const entry of entries.values()) yield { kind, entry };
  }

  #put(kind: StateKind, key: Buffer, entry: StoredEntry | undefined): void {
    const entries = this.#entries.get(kind)!;
    if (entry) entries.set(key.toString("hex"), entry);
    else entries.delete(key.toString("hex"));
  }
}
