import { rendered, type Write } from "../../catapult/json/body-writer.js";
import type { JsonWriter } from "../../catapult/json/json-writer.js";
import { sizeAt } from "../rows.js";
import { type Sql, sql } from "../sql.js";

/** An entry of a list with its id (12 bytes) and its REST body as JSON text. */
export interface Entry {
  readonly id: Buffer;
  readonly document: string;
}

/** What a record is read from. */
export interface BodyRecord {
  /** An expression over the row `d` of the entry, which has its columns and the id, and over the row `r` of its block. */
  readonly value: Sql;
  /** The condition of the row `r` of `raw_blocks`; undefined if it is not read. */
  readonly block?: Sql;
}

/** The record of a row `d`, as an expression. */
export function recordOf({ value, block }: BodyRecord): Sql {
  return block ? sql`(select ${value} from raw_blocks r where ${block})` : value;
}

/**
 * How the REST bodies of a table's entries are read. A *record* is all that a body is rendered from besides the id, as
 * one value that PostgreSQL reads from the entry's row and from the bytes of its block. Statements select the id in its
 * stored form, and the record after it. Rows are given by their bytes and the start of the record in them.
 */
export interface Bodies<Item extends Entry = Entry> {
  /** The type of records. */
  readonly type: "text" | "bytea";
  /** The columns that records are read from, besides the id. */
  readonly columns: readonly string[];
  readonly record: BodyRecord;
  /** The entry of a row; `id` has 12 bytes. */
  readonly entry: (id: Buffer, bytes: Buffer, at: number) => Item;
  /** Writes the body of a row. */
  readonly write: (writer: JsonWriter, bytes: Buffer, at: number) => void;
}

/** Bodies that are stored: of state entries and of pending transactions. */
export const STORED_BODIES: Bodies = storedBodies(sql`d.document`, ["document"]);

/** Bodies that are stored; `document` is an expression over the row `d`. */
export function storedBodies(document: Sql, columns: readonly string[]): Bodies {
  return {
    type: "text",
    columns,
    record: { value: document },
    entry: (id, bytes, at) => ({ id, document: bytes.toString("utf8", at, at + sizeAt(bytes, at)) }),
    write: (writer, bytes, at) => writer.literal(bytes, at, at + sizeAt(bytes, at)),
  };
}

/** An entry whose body is rendered when it is requested. */
export class RenderedEntry implements Entry {
  readonly id: Buffer;
  readonly #write: Write<Buffer, unknown>;
  /** The row, whose record starts at `at`. */
  protected readonly bytes: Buffer;
  protected readonly at: number;
  #document: string | undefined;

  constructor(id: Buffer, write: Write<Buffer, unknown>, bytes: Buffer, at: number) {
    this.id = id;
    this.#write = write;
    this.bytes = bytes;
    this.at = at;
  }

  get document(): string {
    this.#document ??= rendered(this.#write, this.bytes, this.at);
    return this.#document;
  }
}

/** Bodies that are rendered from what `sourceOf` reads in a row. */
export function renderedBodies<Source>(of: {
  readonly columns: readonly string[];
  readonly record: BodyRecord;
  readonly sourceOf: (bytes: Buffer, at: number) => Source;
  readonly write: Write<Source, unknown>;
}): Bodies {
  const { columns, record, sourceOf } = of;
  const write: Write<Buffer, never> = (writer, bytes, at) => of.write(writer, sourceOf(bytes, at), 0) as never;
  return {
    type: "bytea",
    columns,
    record,
    entry: (id, bytes, at) => new RenderedEntry(id, write, bytes, at),
    write,
  };
}
