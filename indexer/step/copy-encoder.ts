/** Types of columns that can be copied; an `id` is an int8 given as a bigint. */
export type CopyType = "id" | "bytea" | "text" | "bool" | "int2" | "int4" | "int8" | "numeric";

/** A value of a column. */
export type CopyValue = Buffer | string | boolean | number | bigint | null | undefined;

/** The start of a stream of rows: signature, no flags, no extension. Source: PostgreSQL's documentation of COPY. */
export const COPY_HEADER = Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The end of a stream. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

const NULL_LENGTH = -1;
const NUMERIC_BASE = 10_000n;
const FIRST_CAPACITY = 64 * 1024;
const UINT32_RANGE = 2 ** 32;

/** Bytes. */
const FIXED_SIZES = { bool: 1, int2: 2, int4: 4, int8: 8 } as const;
/** The greatest numbers; nothing that is copied is the least of its type. */
const GREATEST = { bool: 1, int2: 2 ** 15 - 1, int4: 2 ** 31 - 1, int8: 2 ** 63 - 1_024 } as const;

/**
 * Rows in PostgreSQL's binary format of COPY, without header and trailer, so that those of several encoders can be
 * concatenated.
 */
export class CopyEncoder {
  readonly #types: readonly CopyType[];
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  /** Of the same memory: numbers are written through it in a fraction of the time that the buffer's own methods take. */
  #view = viewOf(this.#buffer);
  #end = 0;
  #rows = 0;

  constructor(types: readonly CopyType[]) {
    this.#types = types;
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** The bytes of all rows so far: a view that later rows overwrite. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  /** Adds a row: a value for each column, in their order. */
  row(values: readonly CopyValue[]): void {
    const types = this.#types;
    this.#reserve(2);
    this.#view.setInt16(this.#end, types.length);
    this.#end += 2;
    for (let index = 0; index < types.length; index++) this.#value(types[index]!, values[index]);
    this.#rows += 1;
  }

  #value(type: CopyType, value: CopyValue): void {
    if (value === null || value === undefined) {
      this.#reserve(4);
      this.#view.setInt32(this.#end, NULL_LENGTH);
      this.#end += 4;
      return;
    }
    if (type === "bytea") this.#bytes(value as Buffer);
    else if (type === "text") this.#text(value as string);
    else if (type === "id") this.#id(value as bigint);
    else if (type === "numeric") this.#numeric(BigInt(value as bigint));
    else this.#fixed(type, Number(value));
  }

  #id(value: bigint): void {
    this.#length(8);
    this.#view.setBigInt64(this.#end, value);
    this.#end += 8;
  }

  #fixed(type: "bool" | "int2" | "int4" | "int8", value: number): void {
    const size = FIXED_SIZES[type];
    this.#length(size);
    const [view, start] = [this.#view, this.#end];
    // A view would cut off what has no room.
    if (Math.abs(value) > GREATEST[type]) throw new RangeError(`${value} is too large for a column of type ${type}`);
    if (type === "int4") view.setInt32(start, value);
    else if (type === "int2") view.setInt16(start, value);
    else if (type === "bool") view.setInt8(start, value);
    else {
      // Two halves: a `bigint` for each number would cost more than the rest of a row.
      const high = Math.floor(value / UINT32_RANGE);
      view.setInt32(start, high);
      view.setUint32(start + 4, value - high * UINT32_RANGE);
    }
    this.#end += size;
  }

  #bytes(value: Buffer): void {
    this.#length(value.length);
    this.#end += value.copy(this.#buffer, this.#end);
  }

  #text(value: string): void {
    const size = Buffer.byteLength(value);
    this.#length(size);
    this.#end += this.#buffer.write(value, this.#end);
  }

  /** Digits of base 10,000, the weight of the first, the sign, and no decimals. Never below zero here. */
  #numeric(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value; rest > 0n; rest /= NUMERIC_BASE) digits.unshift(Number(rest % NUMERIC_BASE));
    const weight = Math.max(0, digits.length - 1);
    while (digits.at(-1) === 0) digits.pop();
    this.#length(8 + 2 * digits.length);
    for (const field of [digits.length, weight, 0, 0, ...digits]) {
      this.#end = this.#buffer.writeInt16BE(field, this.#end);
    }
  }

  /** Writes the length of the next value, and makes room for both. */
  #length(length: number): void {
    this.#reserve(4 + length);
    this.#view.setInt32(this.#end, length);
    this.#end += 4;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#end + bytes));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
