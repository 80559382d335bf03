const COUNT_SIZE = 2;
const LENGTH_SIZE = 4;

/**
 * The rows of a read, in the binary format: positions in the bytes that were received. The value of a column is at
 * `start`, and its size is the 32-bit number before it, which is -1 for null.
 */
export class Rows {
  readonly #bytes: Buffer[] = [];
  /** Offsets of the first columns' lengths. */
  readonly #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  /** Adds a row; `start` is that of its number of columns. */
  add(bytes: Buffer, start: number): void {
    this.#bytes.push(bytes);
    this.#starts.push(start + COUNT_SIZE);
  }

  /** The bytes that contain a row, and others. */
  bytes(row: number): Buffer {
    return this.#bytes[row]!;
  }

  /** Offset of the value of a column in the bytes of its row. */
  start(row: number, column: number): number {
    const bytes = this.#bytes[row]!;
    let at = this.#starts[row]! + LENGTH_SIZE;
    for (let before = 0; before < column; ++before)
      at += Math.max(0, bytes.readInt32BE(at - LENGTH_SIZE)) + LENGTH_SIZE;
    return at;
  }
}

/** The size of the value at `start`; -1 for null. */
export function sizeAt(bytes: Buffer, start: number): number {
  return bytes.readInt32BE(start - LENGTH_SIZE);
}
