/** Of the number of columns of a row. */
const COUNT_SIZE = 2;
/** Of the length before each value. */
export const LENGTH_SIZE = 4;

/** Compares two rows, each given by its bytes and the start of its first value. */
export type RowOrder = (a: Buffer, startOfA: number, b: Buffer, startOfB: number) => number;

/**
 * The rows of a read, in the binary format: positions in the bytes that were received. Each value follows its length as
 * a 32-bit number, which is -1 for null.
 */
export class Rows {
  #bytes: Buffer[] = [];
  /** Where the first values start. */
  #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  /** Adds a row as it was received; `start` is that of its number of columns. */
  add(bytes: Buffer, start: number): void {
    this.addFrom(bytes, start + COUNT_SIZE + LENGTH_SIZE);
  }

  /** Adds a row whose first value starts at `start`. */
  addFrom(bytes: Buffer, start: number): void {
    this.#bytes.push(bytes);
    this.#starts.push(start);
  }

  /** The bytes that contain a row, and others. */
  bytes(row: number): Buffer {
    return this.#bytes[row]!;
  }

  /** Where the value of a column starts in the bytes of its row. */
  start(row: number, column: number): number {
    const bytes = this.#bytes[row]!;
    let at = this.#starts[row]!;
    for (let before = 0; before < column; ++before) at = nextStart(bytes, at);
    return at;
  }

  /** Maps each row, given by its bytes and the start of its first value. */
  map<Value>(read: (bytes: Buffer, start: number) => Value): Value[] {
    return this.#starts.map((start, row) => read(this.#bytes[row]!, start));
  }

  sort(compare: RowOrder): void {
    const [bytes, starts] = [this.#bytes, this.#starts];
    const order = starts.map((_, row) => row);
    order.sort((a, b) => compare(bytes[a]!, starts[a]!, bytes[b]!, starts[b]!));
    this.#bytes = order.map((row) => bytes[row]!);
    this.#starts = order.map((row) => starts[row]!);
  }
}

/** The 32-bit number (big-endian) at an offset inside of the bytes: in half the time of the method that checks it. */
export function int32At(bytes: Buffer, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/** The same of 64 bits, exact up to 2^53. */
export function int64At(bytes: Buffer, at: number): number {
  return int32At(bytes, at) * 2 ** 32 + (int32At(bytes, at + 4) >>> 0);
}

/** The size of the value at `start`; -1 for null. */
export function sizeAt(bytes: Buffer, start: number): number {
  return int32At(bytes, start - LENGTH_SIZE);
}

/** Where the value after the one at `start` starts. */
export function nextStart(bytes: Buffer, start: number): number {
  return start + Math.max(0, sizeAt(bytes, start)) + LENGTH_SIZE;
}

/** The integer (4 or 8 bytes) at `start`; undefined for null. Exact up to 2^53. */
export function integerAt(bytes: Buffer, start: number): number | undefined {
  const size = sizeAt(bytes, start);
  if (size < 0) return undefined;
  return size === 4 ? int32At(bytes, start) : int64At(bytes, start);
}

/** A view of the value at `start`; undefined for null. */
export function bytesAt(bytes: Buffer, start: number): Buffer | undefined {
  const size = sizeAt(bytes, start);
  return size < 0 ? undefined : bytes.subarray(start, start + size);
}
