import { GrowingMemory } from "../../catapult/values/growing-memory.js";

/** Of the number of columns before a row, and of the length before each value. */
const COUNT_SIZE = 2;
export const LENGTH_SIZE = 4;
const NULL_LENGTH = -1;
const NUMERIC_BASE = 10_000n;
/** Sign of a number below zero. */
const NUMERIC_NEGATIVE = 0x4000;
const UINT32_RANGE = 2 ** 32;

/** Writes numbers (big-endian), bytes and text one after another into memory that grows. */
export class BinaryWriter extends GrowingMemory {
  /** What was written so far: a view. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  int8(value: number): void {
    this.reserve(1);
    this.view.setInt8(this.end, value);
    this.end += 1;
  }

  int16(value: number): void {
    this.reserve(2);
    this.view.setInt16(this.end, value);
    this.end += 2;
  }

  int32(value: number): void {
    this.reserve(4);
    this.view.setInt32(this.end, value);
    this.end += 4;
  }

  /** A safe integer is written as two halves: a `bigint` for each would cost more than the rest of a row. */
  int64(value: number | bigint): void {
    this.reserve(8);
    const [view, start] = [this.view, this.end];
    if (typeof value === "bigint") view.setBigInt64(start, value);
    else {
      const high = Math.floor(value / UINT32_RANGE);
      view.setInt32(start, high);
      view.setUint32(start + 4, value - high * UINT32_RANGE);
    }
    this.end += 8;
  }

  append(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.end += bytes.copy(this.buffer, this.end);
  }

  /** Text of `size` bytes in UTF-8. */
  text(value: string, size = Buffer.byteLength(value)): void {
    this.reserve(size);
    this.end += this.buffer.write(value, this.end);
  }

  /** Replaces a number that was written before. */
  replaceInt32(at: number, value: number): void {
    this.view.setInt32(at, value);
  }
}

/** How the values of a type of PostgreSQL are in its binary form. */
export interface ColumnType<Value> {
  /** The name of the type in SQL. */
  readonly sql: string;
  /** Bytes of a value; undefined if they vary. */
  readonly size?: number;
  readonly isNullable?: boolean;
  /** The value in the bytes from `start` to `end`. */
  read(bytes: Buffer, start: number, end: number): Value;
}

/** A type whose values are also written. */
export interface WritableType<Value> extends ColumnType<Value> {
  /** Writes a value, after its length. @throws RangeError when the type has no room for it */
  write(writer: BinaryWriter, value: Value): void;
}

/** The 32-bit number (big-endian) at an offset inside of the bytes: in half the time of the method that checks it. */
function int32At(bytes: Buffer, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/** An integer of `size` bytes; the least one of each type cannot be written. */
function integer<Value extends number | bigint>(
  sql: string,
  size: number,
  read: (bytes: Buffer, start: number) => Value,
  write: (writer: BinaryWriter, value: Value) => void,
): WritableType<Value> {
  // As a double, the greatest number of 8 bytes would be rounded up.
  const greatest = size === 8 ? 2 ** 63 - 1_024 : 2 ** (8 * size - 1) - 1;
  return {
    sql,
    size,
    read,
    write: (writer, value) => {
      if (value > greatest || value < -greatest)
        throw new RangeError(`${value} is too large for a column of type ${sql}`);
      writer.int32(size);
      write(writer, value);
    },
  };
}

export const int2 = integer(
  "int2",
  2,
  (bytes, start) => bytes.readInt16BE(start),
  (writer, value) => writer.int16(value),
);
export const int4 = integer("int4", 4, int32At, (writer, value) => writer.int32(value));
/** A `bigint` if a double cannot represent the number. */
export const int8 = integer<number | bigint>(
  "int8",
  8,
  (bytes, start) => {
    const value = int32At(bytes, start) * UINT32_RANGE + (int32At(bytes, start + 4) >>> 0);
    return Number.isSafeInteger(value) ? value : bytes.readBigInt64BE(start);
  },
  (writer, value) => writer.int64(value),
);

export const bool: WritableType<boolean> = {
  sql: "bool",
  size: 1,
  read: (bytes, start) => bytes[start] === 1,
  write: (writer, value) => {
    writer.int32(1);
    writer.int8(value ? 1 : 0);
  },
};

/** Its values are views of the received bytes. */
export const bytea: WritableType<Buffer> = {
  sql: "bytea",
  read: (bytes, start, end) => bytes.subarray(start, end),
  write: (writer, value) => {
    writer.int32(value.length);
    writer.append(value);
  },
};

export const text: WritableType<string> = {
  sql: "text",
  read: (bytes, start, end) => bytes.toString("utf8", start, end),
  write: (writer, value) => {
    const size = Buffer.byteLength(value);
    writer.int32(size);
    writer.text(value, size);
  },
};

/** Text as its bytes (UTF-8), which are views too. */
export const textBytes: ColumnType<Buffer> = { ...bytea, sql: "text" };

/** An integer of any size: digits of base 10,000, with the weight of the first, the sign, and no decimals. */
export const numeric: WritableType<bigint> = {
  sql: "numeric",
  read: (bytes, start) => {
    const count = bytes.readInt16BE(start);
    const weight = bytes.readInt16BE(start + 2);
    let value = 0n;
    for (let digit = 0; digit <= weight; ++digit)
      value = value * NUMERIC_BASE + (digit < count ? BigInt(bytes.readInt16BE(start + 8 + 2 * digit)) : 0n);
    return bytes.readInt16BE(start + 4) === NUMERIC_NEGATIVE ? -value : value;
  },
  write: (writer, value) => {
    const digits: number[] = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest /= NUMERIC_BASE)
      digits.unshift(Number(rest % NUMERIC_BASE));
    const weight = Math.max(0, digits.length - 1);
    while (digits.at(-1) === 0) digits.pop();
    writer.int32(8 + 2 * digits.length);
    for (const field of [digits.length, weight, value < 0n ? NUMERIC_NEGATIVE : 0, 0, ...digits]) writer.int16(field);
  },
};

/** The same type in a column that may be null. */
export function nullable<Value>(type: ColumnType<Value>): ColumnType<Value | null> {
  return { sql: type.sql, ...(type.size && { size: type.size }), isNullable: true, read: type.read };
}

export function writeNull(writer: BinaryWriter): void {
  writer.int32(NULL_LENGTH);
}

/** The columns of a row in their order, by name and type. */
export type Columns = Readonly<Record<string, ColumnType<unknown>>>;

/** The values of a row by name. */
export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends ColumnType<infer Value> ? Value : never;
};

/** A row of declared columns: reads them from the bytes of rows. See README.md for the rules. */
export class RowType<Of extends Columns> {
  readonly columns: Of;
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType<unknown>[];
  readonly #Row: new (
    values: readonly unknown[],
  ) => object;

  constructor(columns: Of) {
    this.columns = columns;
    this.#names = Object.keys(columns);
    this.#types = Object.values(columns);
    this.#Row = rowClass(columns);
  }

  /**
   * The row at `start`, where the number of its columns is.
   * @throws TypeError when a column is missing, or its value is of another size than declared
   */
  read(bytes: Buffer, start: number): RowOf<Of> {
    const types = this.#types;
    const count = bytes.readInt16BE(start);
    if (count !== types.length) throw new TypeError(`a row has ${count} columns, not ${this.#names.join(", ")}`);
    const values = new Array<unknown>(count);
    let at = start + COUNT_SIZE;
    for (let index = 0; index < count; ++index) {
      const type = types[index]!;
      const size = int32At(bytes, at);
      at += LENGTH_SIZE;
      values[index] = null;
      if (size < 0) continue;
      if (type.size !== undefined && type.size !== size)
        throw new TypeError(`the column ${this.#names[index]} has ${size} bytes, which is no ${type.sql}`);
      values[index] = type.read(bytes, at, at + size);
      at += size;
    }
    return new this.#Row(values) as RowOf<Of>;
  }
}

/**
 * A class of rows with a getter for each column: in half the time of properties that are set by their names. A null that
 * was not declared is an error when it is accessed: in the row of a page's total, only the total is there.
 */
function rowClass(columns: Columns) {
  class Row {
    readonly #values: readonly unknown[];

    constructor(values: readonly unknown[]) {
      this.#values = values;
    }

    static {
      for (const [index, [name, { isNullable = false }]] of Object.entries(columns).entries()) {
        const get = function (this: Row): unknown {
          const value = this.#values[index];
          if (value === null && !isNullable) throw new TypeError(`the column ${name} is null`);
          return value;
        };
        Object.defineProperty(Row.prototype, name, { get, enumerable: true });
      }
    }
  }
  return Row;
}
