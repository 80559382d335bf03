import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { serializeHistory } from "../state/account-history.js";
import type { AccountState } from "../state/accounts.js";
import type { ChainTables } from "../state/chain-tables.js";
import { idBytes } from "../state/ids.js";
import { bytesOfMapKey, mapKey, type TableChange } from "../state/state-table.js";
import type { StoredEntry } from "./entry-loader.js";

/** An entry that a block created, replaced or deleted. */
export interface EntryChange extends StateKey {
  /** The bytes of the key as a string (latin1). */
  readonly name: string;
  /** Undefined if the block created the entry. Serialized on demand: few are needed. */
  readonly before: StoredEntry | undefined;
  /** Undefined if the block deleted the entry. Created on demand, like `before`. */
  readonly after: StoredEntry | undefined;
}

class TableEntryChange<V> implements EntryChange {
  readonly kind: StateKind;
  readonly #change: TableChange<V>;
  readonly #serialize: (value: V) => Buffer;

  constructor(kind: StateKind, change: TableChange<V>, serialize: (value: V) => Buffer) {
    this.kind = kind;
    this.#change = change;
    this.#serialize = serialize;
  }

  get key(): Buffer {
    return this.#change.key;
  }

  get name(): string {
    return this.#change.name;
  }

  get after(): StoredEntry | undefined {
    const { after, bytes } = this.#change;
    return after === undefined || bytes === undefined ? undefined : stored(this.kind, after, bytes);
  }

  get before(): StoredEntry | undefined {
    const { before } = this.#change;
    return before === undefined ? undefined : stored(this.kind, before, this.#serialize(before));
  }
}

function stored(kind: StateKind, entry: unknown, value: Buffer): StoredEntry {
  return kind === "account" ? { value, history: serializeHistory(entry as AccountState) } : { value };
}

/** The changes of the last executed block. */
export function changesOf(tables: ChainTables): EntryChange[] {
  const changes: EntryChange[] = [];
  for (const kind of STATE_KINDS) {
    const table = tables.byKind(kind);
    if (table.changes().length === 0) continue;
    const serialize = (value: unknown) => table.serialize(value);
    for (const change of table.changes()) changes.push(new TableEntryChange(kind, change, serialize));
  }
  return changes;
}

/** The key of a table's entry, from the bytes of a node request. */
export function tableKey(kind: StateKind, key: Buffer): string | bigint {
  return kind === "mosaic" || kind === "namespace" ? key.readBigUInt64LE() : mapKey(key);
}

/** An entry in stored form; undefined if there is none. */
export function entryOf(tables: ChainTables, { kind, key }: StateKey): StoredEntry | undefined {
  const table = tables.byKind(kind);
  const entry = table.get(tableKey(kind, key));
  return entry === undefined ? undefined : stored(kind, entry, table.serialize(entry));
}

/** Keys of the locks and root namespaces that ended in the blocks `from` to `to`, which become final. */
export function forgottenKeys(tables: ChainTables, from: number, to: number): StateKey[] {
  const keys: StateKey[] = [];
  for (let height = from; height <= to; ++height) {
    for (const { id } of tables.namespaces.prunable(height)) keys.push({ kind: "namespace", key: idBytes(id) });
    for (const id of tables.hashLocks.prunable(height)) keys.push({ kind: "hashLock", key: bytesOfMapKey(id) });
    for (const id of tables.secretLocks.prunable(height)) keys.push({ kind: "secretLock", key: bytesOfMapKey(id) });
  }
  return keys;
}
