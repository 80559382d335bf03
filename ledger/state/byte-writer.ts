const UINT32_RANGE = 2 ** 32;

/** Appends little-endian values to a growing buffer. */
export class ByteWriter {
  #buffer: Buffer;
  #size = 0;

  /** @param capacity initial size in bytes; the writer grows automatically. */
  constructor(capacity = 256) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#size = this.#buffer.writeUInt8(value, this.#size);
    return this;
  }

  uint16(value: number): this {
    this.#reserve(2);
    this.#size = this.#buffer.writeUInt16LE(value, this.#size);
    return this;
  }

  uint32(value: number): this {
    this.#reserve(4);
    this.#size = this.#buffer.writeUInt32LE(value, this.#size);
    return this;
  }

  /** Writes 8 bytes; a `number` must be a safe integer. */
  uint64(value: bigint | number): this {
    this.#reserve(8);
    if (typeof value === "bigint") {
      this.#size = this.#buffer.writeBigUInt64LE(value, this.#size);
    } else {
      this.#buffer.writeUInt32LE(value % UINT32_RANGE, this.#size);
      this.#size = this.#buffer.writeUInt32LE(Math.floor(value / UINT32_RANGE), this.#size + 4);
    }
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#size);
    this.#size += value.length;
    return this;
  }

  /** Starts over with the same memory. */
  restart(): this {
    this.#size = 0;
    return this;
  }

  /** The bytes written so far, in their own buffer. */
  toBuffer(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#size));
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#size + count));
    grown.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = grown;
  }
}
