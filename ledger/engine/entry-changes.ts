import type { StateKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { mapKey, type TableChange } from "../trees/state-table.js";
import type { StoredEntry } from "./entry-loader.js";
import { omittedPart } from "./omitted-part.js";

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
    if (after === undefined || bytes === undefined) return undefined;
    return stored(this.kind, after, bytes, this.#serialize as Serializer);
  }

  get before(): StoredEntry | undefined {
    const { before } = this.#change;
    if (before === undefined) return undefined;
    return stored(this.kind, before, this.#serialize(before), this.#serialize as Serializer);
  }
}

type Serializer = (entry: unknown) => Buffer;

function stored(kind: StateKind, entry: unknown, value: Buffer, serialize: Serializer): StoredEntry {
  const history = omittedPart(kind, entry, serialize);
  return history ? { value, history } : { value };
}

/** An entry that changes when a block becomes final: see `ChainState.endedBy`. */
export interface EndedEntry extends StateKey {
  /** Undefined if it is deleted. */
  readonly after: StoredEntry | undefined;
}

/** The changes of the last executed block. */
export function collectChanges(tables: ChainTables): EntryChange[] {
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
function tableKey(kind: StateKind, key: Buffer): string | bigint {
  return kind === "mosaic" || kind === "namespace" ? key.readBigUInt64LE() : mapKey(key);
}

/** An entry in stored form; undefined if there is none. */
export function entryOf(tables: ChainTables, { kind, key }: StateKey): StoredEntry | undefined {
  const table = tables.byKind(kind);
  const entry = table.get(tableKey(kind, key));
  if (entry === undefined) return undefined;
  return stored(kind, entry, table.serialize(entry), (one) => table.serialize(one));
}
