const UINT32_RANGE = 2 ** 32;

/** Appends little-endian values to a growing buffer. */
export class ByteWriter {
  #buffer: Buffer;
  /** Of the same memory: numbers are written through it in a fraction of the time that the buffer's own methods take. */
  #view: DataView;
  #size = 0;

  /** @param capacity initial size in bytes; the writer grows automatically. */
  constructor(capacity = 256) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#view = viewOf(this.#buffer);
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#view.setUint8(this.#size, value);
    this.#size += 1;
    return this;
  }

  uint16(value: number): this {
    this.#reserve(2);
    this.#view.setUint16(this.#size, value, true);
    this.#size += 2;
    return this;
  }

  uint32(value: number): this {
    this.#reserve(4);
    this.#view.setUint32(this.#size, value, true);
    this.#size += 4;
    return this;
  }

  /** Writes 8 bytes; a `number` must be a safe integer. */
  uint64(value: bigint | number): this {
    this.#reserve(8);
    if (typeof value === "bigint") {
      this.#view.setBigUint64(this.#size, value, true);
    } else {
      // Takes the lower 32 bits by itself.
      this.#view.setUint32(this.#size, value, true);
      this.#view.setUint32(this.#size + 4, Math.floor(value / UINT32_RANGE), true);
    }
    this.#size += 8;
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
    this.#view = viewOf(grown);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
