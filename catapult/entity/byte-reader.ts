/**
 * Reads the fields of binary data one after another, never behind its end. Numbers are little-endian. Whoever extends it
 * says by `error` how what does not fit is refused; all readers throw that, with the field's name.
 */
export abstract class ByteReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The error to throw when a field cannot be read, or was read but cannot be right. */
  abstract error(field: string, problem: string): Error;

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes not yet read. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  uint8(field: string): number {
    return this.bytes(1, field).readUInt8();
  }

  uint16(field: string): number {
    return this.bytes(2, field).readUInt16LE();
  }

  uint32(field: string): number {
    return this.bytes(4, field).readUInt32LE();
  }

  /** An amount, an id or a part of a score. */
  uint64(field: string): bigint {
    return this.bytes(8, field).readBigUInt64LE();
  }

  /** A 64-bit height, timestamp or count. Refused above 2^53 - 1. */
  safeUint64(field: string): number {
    const value = this.uint64(field);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error(field, `is ${value}, which is too large`);
    return Number(value);
  }

  /** The next bytes, as a view. */
  bytes(size: number, field: string): Buffer {
    if (size > this.remaining) {
      throw this.error(field, `needs ${size} bytes at offset ${this.#offset}, ${this.remaining} are left`);
    }
    this.#offset += size;
    return this.#bytes.subarray(this.#offset - size, this.#offset);
  }

  /** The next 4 bytes' number, without going behind them. */
  peekUint32(field: string): number {
    const value = this.uint32(field);
    this.#offset -= 4;
    return value;
  }

  /** Refuses that `count` things, of at least `leastSize` bytes each, should come where there is no room for them. */
  room(count: number | bigint, leastSize: number, field: string): void {
    if (BigInt(count) * BigInt(leastSize) > BigInt(this.remaining)) {
      throw this.error(field, `${count} do not fit into ${this.remaining} bytes`);
    }
  }

  /** Refuses bytes behind the last field. */
  end(): void {
    if (this.remaining > 0)
      throw this.error("end", `expected at offset ${this.#offset}, ${this.remaining} bytes are left`);
  }
}
