import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { EndedEntry, EntryChange } from "../../ledger/engine/entry-changes.js";
import type { StoredEntry } from "../../ledger/engine/entry-loader.js";

/** The stored state of an index: entries by kind and key, and those that each block replaced. */
export class StateStore {
  readonly #entries = new Map<StateKind, Map<string, StoredEntry>>(STATE_KINDS.map((kind) => [kind, new Map()]));
  readonly #undo: { readonly height: number; readonly changes: readonly EntryChange[] }[] = [];

  /** An entry; undefined if there is none. */
  get({ kind, key }: StateKey): StoredEntry | undefined {
    return this.#entries.get(kind)?.get(key.toString("hex"));
  }

  /** Stores an entry, or deletes it if it is undefined. */
  put({ kind, key }: StateKey, entry: StoredEntry | undefined): void {
    const entries = this.#entries.get(kind)!;
    if (entry) entries.set(key.toString("hex"), entry);
    else entries.delete(key.toString("hex"));
  }

  /** Stores the changes of the next block. */
  apply(height: number, changes: readonly EntryChange[]): void {
    this.#undo.push({ height, changes });
    for (const change of changes) this.put(change, change.after);
  }

  /** Undoes the changes of the blocks above `height`. */
  rollBackTo(height: number): void {
    for (let last = this.#undo.at(-1); last && last.height > height; last = this.#undo.at(-1)) {
      this.#undo.pop();
      for (const change of last.changes) this.put(change, change.before);
    }
  }

  /** The same entries, which can be rolled back as far. */
  copy(): StateStore {
    const copy = new StateStore();
    for (const [kind, entries] of this.#entries) copy.#entries.set(kind, new Map(entries));
    copy.#undo.push(...this.#undo);
    return copy;
  }

  /** Stores entries that ended finally: not a change of a block. */
  end(entries: readonly EndedEntry[]): void {
    for (const entry of entries) this.put(entry, entry.after);
  }

  /** All entries, in no certain order. */
  async *[Symbol.asyncIterator]() {
    for (const [kind, entries] of this.#entries) for (const entry of entries.values()) yield { kind, entry };
  }
}
