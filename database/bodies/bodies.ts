import { type RawBuilder, sql } from "kysely";
import { rendered, type Write } from "../../catapult/json/body-writer.js";
import type { JsonWriter } from "../../catapult/json/json-writer.js";

/** An entry of a list with its id (12 bytes) and its REST body as JSON text. */
export interface Entry {
  readonly id: Buffer;
  readonly document: string;
}

/**
 * How the REST bodies of a table's entries are read. A *record* is all that a body is rendered from, as one value that
 * PostgreSQL reads from the entry's row and from the bytes of its block.
 */
export interface Bodies<Item extends Entry = Entry, Rec = unknown> {
  /** The type of records. */
  readonly type: "text" | "bytea";
  /** The columns that records are read from, besides the id. */
  readonly columns: readonly string[];
  /** The record of the row `d`, which has these columns and the id. */
  readonly record: RawBuilder<unknown>;
  /** The entry of a record; `id` is 24 hex digits. */
  readonly entry: (id: string, record: Rec) => Item;
  /** Writes the body of a record. */
  readonly write: (writer: JsonWriter, id: string, record: Rec) => void;
}

/** Bodies that are stored: of state entries and of pending transactions. */
export const STORED_BODIES: Bodies<Entry, string> = storedBodies(sql`d.document`, ["document"]);

/** Bodies that are stored; `document` is an expression over the row `d`. */
export function storedBodies(document: RawBuilder<unknown>, columns: readonly string[]): Bodies<Entry, string> {
  return {
    type: "text",
    columns,
    record: document,
    entry: (id, text) => ({ id: Buffer.from(id, "hex"), document: text }),
    write: (writer, _id, text) => writer.json(text),
  };
}

/** An entry whose body is rendered when it is requested. */
export class RenderedEntry<Source> implements Entry {
  readonly id: Buffer;
  readonly #write: Write<Source, unknown>;
  readonly #source: Source;
  #document: string | undefined;

  constructor(id: Buffer, write: Write<Source, unknown>, source: Source) {
    this.id = id;
    this.#write = write;
    this.#source = source;
  }

  get document(): string {
    this.#document ??= rendered(this.#write, this.#source);
    return this.#document;
  }
}

/** Bodies that are rendered from what `sourceOf` reads in a record. */
export function renderedBodies<Source>(of: {
  readonly columns: readonly string[];
  readonly record: RawBuilder<unknown>;
  readonly sourceOf: (id: string, record: Buffer) => Source;
  readonly write: Write<Source, unknown>;
}): Bodies<Entry, Buffer> {
  const { columns, record, sourceOf, write } = of;
  return {
    type: "bytea",
    columns,
    record,
    entry: (id, bytes) => new RenderedEntry(Buffer.from(id, "hex"), write, sourceOf(id, bytes)),
    write: (writer, id, bytes) => write(writer, sourceOf(id, bytes), 0),
  };
}
