import { makeView } from "../../catapult/values/growing-memory.js";
import { renumbered } from "../tables/embedded-flag.js";
import {
  BinaryWriter,
  type Columns,
  int4,
  LENGTH_SIZE,
  numeric,
  type RowOf,
  type RowType,
  type WritableType,
  writeNull,
} from "./rows.js";

export type CopyValue = Buffer | string | boolean | number | bigint | null | undefined;

/** A column with the local number of a key, which is replaced by that of the table `keys`, see {@link replaceKeys}. */
export const keyNumber: WritableType<number> = { ...int4 };
/** The same with a flagged number: twice the number, and one more for embedded transactions. */
export const flaggedKeyNumber: WritableType<number> = { ...int4 };

/** Columns of a table by name, in the order of COPY. */
export type CopyColumns = Readonly<Record<string, WritableType<unknown>>>;

/** The start of a stream of rows: signature, no flags, no extension. Source: PostgreSQL's documentation of COPY. */
export const COPY_HEADER = Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The end of a stream. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

const COUNT_SIZE = 2;
const FIRST_CAPACITY = 64 * 1024;

/**
 * Rows in PostgreSQL's binary form of COPY, without header and trailer, so that those of several encoders can be
 * concatenated.
 */
export class CopyEncoder {
  readonly #columns: readonly (readonly [name: string, type: WritableType<unknown>])[];
  readonly #writer = new BinaryWriter(FIRST_CAPACITY);
  #rows = 0;

  constructor(columns: CopyColumns) {
    this.#columns = Object.entries(columns);
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** The bytes of all rows so far: a view that later rows overwrite. */
  bytes(): Buffer {
    return this.#writer.bytes();
  }

  /** Adds a row: a value for each column, by its name. */
  row(values: Readonly<Record<string, CopyValue>>): void {
    const writer = this.#writer;
    writer.int16(this.#columns.length);
    for (const [name, type] of this.#columns) {
      const value = values[name];
      if (value === null || value === undefined) writeNull(writer);
      else type.write(writer, type === numeric ? BigInt(value as bigint) : value);
    }
    this.#rows += 1;
  }
}

/**
 * Replaces local numbers of keys in encoded rows.
 * @param numbers by local number
 */
export function replaceKeys(rows: Buffer, columns: CopyColumns, numbers: ArrayLike<number>): void {
  const types = Object.values(columns);
  if (!types.includes(keyNumber) && !types.includes(flaggedKeyNumber)) return;
  const view = makeView(rows);
  for (let at = 0; at < rows.length; ) {
    at += COUNT_SIZE;
    for (const type of types) {
      const size = view.getInt32(at);
      at += LENGTH_SIZE;
      if (size < 0) continue;
      if (type === keyNumber) view.setInt32(at, numbers[view.getInt32(at)] as number);
      else if (type === flaggedKeyNumber) view.setInt32(at, renumbered(view.getInt32(at), numbers));
      at += size;
    }
  }
}

/**
 * Reads rows from PostgreSQL's binary form of COPY, which arrives in chunks of any size. Values of bytes are views of these
 * chunks.
 */
export class CopyDecoder<Of extends Columns> {
  readonly #type: RowType<Of>;
  #parts: Buffer[] = [];
  #size = 0;
  /** Number of bytes without which nothing more can be read. */
  #needed = COPY_HEADER.length;
  #isBegun = false;

  constructor(type: RowType<Of>) {
    this.#type = type;
  }

  /** The rows that are complete with this chunk. @throws TypeError when they have other columns */
  *rows(chunk: Buffer): Generator<RowOf<Of>> {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    // A large row is joined once, not with each of its chunks.
    if (this.#size < this.#needed) return;
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#size);
    let start = 0;
    if (!this.#isBegun) {
      this.#isBegun = true;
      start = COPY_HEADER.length;
    }
    for (let end = this.#endOfRow(bytes, start); end > start; end = this.#endOfRow(bytes, start)) {
      yield this.#type.read(bytes, start);
      start = end;
    }
    this.#parts = [bytes.subarray(start)];
    this.#size = bytes.length - start;
    this.#needed -= start;
  }

  /** Where the row at `start` ends; `start` after the last one, and if it is incomplete: then `#needed` is set. */
  #endOfRow(bytes: Buffer, start: number): number {
    this.#needed = start + COUNT_SIZE;
    if (this.#needed > bytes.length) return start;
    const count = bytes.readInt16BE(start);
    if (count < 0) {
      this.#needed = Number.POSITIVE_INFINITY;
      return start;
    }
    for (let column = 0; column < count; ++column) {
      const at = this.#needed;
      this.#needed += LENGTH_SIZE;
      if (this.#needed > bytes.length) return start;
      this.#needed += Math.max(0, bytes.readInt32BE(at));
      if (this.#needed > bytes.length) return start;
    }
    return this.#needed;
  }
}
