/** Types of columns that can be copied. */
export type CopyType = "bytea" | "text" | "bool" | "int2" | "int4" | "int8" | "numeric";

/** A value of a column. */
export type CopyValue = Buffer | string | boolean | number | bigint | null | undefined;

/** The start of a stream of rows: signature, no flags, no extension. Source: PostgreSQL's documentation of COPY. */
export const COPY_HEADER = Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The end of a stream. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

const NULL_LENGTH = -1;
const NUMERIC_BASE = 10_000n;
const FIRST_CAPACITY = 64 * 1024;

/**
 * Rows in PostgreSQL's binary format of COPY, without header and trailer, so that those of several encoders can be
 * concatenated.
 */
export class CopyEncoder {
  readonly #types: readonly CopyType[];
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
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
    this.#reserve(2);
    this.#end = this.#buffer.writeInt16BE(this.#types.length, this.#end);
    for (const [index, type] of this.#types.entries()) this.#value(type, values[index]);
    this.#rows += 1;
  }

  #value(type: CopyType, value: CopyValue): void {
    if (value === null || value === undefined) {
      this.#reserve(4);
      this.#end = this.#buffer.writeInt32BE(NULL_LENGTH, this.#end);
      return;
    }
    if (type === "bytea") this.#bytes(value as Buffer);
    else if (type === "text") this.#text(value as string);
    else if (type === "numeric") this.#numeric(BigInt(value as bigint));
    else this.#fixed(type, Number(value));
  }

  #fixed(type: "bool" | "int2" | "int4" | "int8", value: number): void {
    const size = { bool: 1, int2: 2, int4: 4, int8: 8 }[type];
    this.#length(size);
    // Two halves: a `bigint` for each number would cost more than the rest of a row.
    if (type === "int8") this.#end = this.#buffer.writeInt32BE(Math.floor(value / 2 ** 32), this.#end);
    if (type === "int8")
      this.#end = this.#buffer.writeUInt32BE(value - Math.floor(value / 2 ** 32) * 2 ** 32, this.#end);
    else this.#end = this.#buffer.writeIntBE(value, this.#end, size);
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
    this.#end = this.#buffer.writeInt32BE(length, this.#end);
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#end + bytes));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}
