import { viewOf } from "../../catapult/entity/growing-memory.js";
import { renumbered } from "../tables/marks.js";
import {
  type Columns,
  int4,
  LENGTH_SIZE,
  numeric,
  type RowOf,
  type RowType,
  type WritableType,
  writeNull,
} from "./rows.js";
import { BinaryWriter } from "./writer.js";

/** A value of a column. */
export type CopyValue = Buffer | string | boolean | number | bigint | null | undefined;

/** A column with the local number of a key, which is replaced by that of the table `keys`, see {@link replaceKeys}. */
export const keyNumber: WritableType<number> = { ...int4 };
/** The same with a marked number: twice the number, and one more for embedded transactions. */
export const markedKeyNumber: WritableType<number> = { ...int4 };

/** The start of a stream of rows: signature, no flags, no extension. Source: PostgreSQL's documentation of COPY. */
export const COPY_HEADER = Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The end of a stream. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

const COUNT_SIZE = 2;
const FIRST_CAPACITY = 64 * 1024;
const FIRST_REFERENCES = 1024;

/**
 * Rows in PostgreSQL's binary form of COPY, without header and trailer, so that those of several encoders can be
 * concatenated.
 */
export class CopyEncoder {
  readonly #types: readonly WritableType<unknown>[];
  readonly #writer = new BinaryWriter(FIRST_CAPACITY);
  #rows = 0;
  #references = new Uint32Array(FIRST_REFERENCES);
  #referenceCount = 0;

  constructor(types: readonly WritableType<unknown>[]) {
    this.#types = types;
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** The bytes of all rows so far: a view that later rows overwrite. */
  bytes(): Buffer {
    return this.#writer.bytes();
  }

  /** Where numbers of keys are, see `replaceKeys`. */
  references(): Uint32Array<ArrayBuffer> {
    return this.#references.slice(0, this.#referenceCount);
  }

  /** Adds a row: a value for each column, in their order. */
  row(values: readonly CopyValue[]): void {
    this.#begin();
    const types = this.#types;
    for (let index = 0; index < types.length; index++) this.#value(types[index]!, values[index]);
  }

  /** The same of an object: `names` are those of the columns, in their order. */
  record(names: readonly string[], values: Readonly<Record<string, CopyValue>>): void {
    this.#begin();
    const types = this.#types;
    for (let index = 0; index < types.length; index++) this.#value(types[index]!, values[names[index]!]);
  }

  #begin(): void {
    this.#writer.int16(this.#types.length);
    this.#rows += 1;
  }

  #value(type: WritableType<unknown>, value: CopyValue): void {
    const writer = this.#writer;
    if (value === null || value === undefined) {
      writeNull(writer);
      return;
    }
    if (type === keyNumber || type === markedKeyNumber)
      this.#refer(writer.size + LENGTH_SIZE, type === markedKeyNumber);
    type.write(writer, type === numeric ? BigInt(value as bigint) : value);
  }

  #refer(position: number, isMarked: boolean): void {
    if (this.#references.length === this.#referenceCount) this.#references = doubled(this.#references);
    this.#references[this.#referenceCount] = 2 * position + (isMarked ? 1 : 0);
    this.#referenceCount += 1;
  }
}

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * values.length);
  larger.set(values);
  return larger;
}

/**
 * Replaces local numbers of keys in encoded rows.
 * @param references twice their positions, and one more for those that are marked
 * @param numbers by local number
 */
export function replaceKeys(rows: Buffer, references: Uint32Array, numbers: Int32Array): void {
  const view = viewOf(rows);
  for (let index = 0; index < references.length; index++) {
    const reference = references[index] as number;
    const position = reference >>> 1;
    const local = view.getInt32(position);
    const isMarked = reference & 1;
    view.setInt32(position, isMarked ? renumbered(local, numbers) : (numbers[local] as number));
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
