import type { Field, VaryingField } from "../values/codecs.js";

/**
 * Reads consecutive fields of binary data, never beyond its end. Numbers are little-endian. Subclasses define
 * `error`, which all methods throw with the field's name.
 */
export abstract class ByteReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The error for a field that is missing or invalid. */
  abstract error(field: string, problem: string): Error;

  /** Number of bytes read. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of bytes not yet read. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  uint8(field: string): number {
    return this.#bytes.readUInt8(this.#take(1, field));
  }

  uint16(field: string): number {
    return this.#bytes.readUInt16LE(this.#take(2, field));
  }

  uint32(field: string): number {
    return this.#bytes.readUInt32LE(this.#take(4, field));
  }

  /** An amount, an id or a part of a score. */
  uint64(field: string): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8, field));
  }

  /** A 64-bit height, timestamp or count. Throws above 2^53 - 1. */
  safeUint64(field: string): number {
    const value = this.uint64(field);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error(field, `is ${value}, which is too large`);
    return Number(value);
  }

  /** A field of a fixed size. */
  field<Value>(of: Field<Value>, field: string): Value {
    const start = this.#take(of.size, field);
    const problem = of.problem?.(this.#bytes, start, false);
    if (problem) throw this.error(field, problem);
    return of.read(this.#bytes, start);
  }

  /** A field of varying size, with the number of its items. */
  varying<Value>(of: VaryingField<Value>, count: number | bigint, field: string): Value {
    if (of.item) this.room(count, of.item.size, field);
    const start = this.#take(of.sizeAt(Number(count), this.#bytes, this.#offset), field);
    const problem = of.problem?.(this.#bytes, start, this.#offset);
    if (problem) throw this.error(field, problem);
    return of.read(this.#bytes, start, this.#offset);
  }

  /** The next bytes, as a view. */
  bytes(size: number, field: string): Buffer {
    const start = this.#take(size, field);
    return this.#bytes.subarray(start, start + size);
  }

  /** Moves on by some bytes. @returns their offset */
  #take(size: number, field: string): number {
    const start = this.#offset;
    if (size > this.#bytes.length - start) {
      throw this.error(field, `needs ${size} bytes at offset ${start}, ${this.remaining} are left`);
    }
    this.#offset = start + size;
    return start;
  }

  /** The number of the next 4 bytes, without consuming them. */
  peekUint32(field: string): number {
    const value = this.uint32(field);
    this.#offset -= 4;
    return value;
  }

  /** Throws if `count` items of at least `minSize` bytes each do not fit into the remaining bytes. */
  room(count: number | bigint, minSize: number, field: string): void {
    // Quotients of such sizes are as exact as needed: there is less than one item more, or at least one.
    if (count > this.remaining / minSize) {
      throw this.error(field, `${count} do not fit into ${this.remaining} bytes`);
    }
  }

  /** Throws if there are bytes after the last field. */
  end(): void {
    if (this.remaining > 0)
      throw this.error("end", `expected at offset ${this.#offset}, ${this.remaining} bytes are left`);
  }
}
