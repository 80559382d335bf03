import { GrowingMemory } from "./growing-memory.js";

const UINT32_RANGE = 2 ** 32;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Appends little-endian values to a growing buffer. @throws RangeError for a value that has no room in its bytes */
export class ByteWriter extends GrowingMemory {
  /** @param capacity initial size in bytes; the writer grows automatically. */
  constructor(capacity = 256) {
    super(capacity);
  }

  uint8(value: number): this {
    this.reserve(1);
    checkRange(value, 0xff);
    this.view.setUint8(this.end, value);
    this.end += 1;
    return this;
  }

  uint16(value: number): this {
    this.reserve(2);
    checkRange(value, 0xffff);
    this.view.setUint16(this.end, value, true);
    this.end += 2;
    return this;
  }

  uint32(value: number): this {
    this.reserve(4);
    checkRange(value, 0xffff_ffff);
    this.view.setUint32(this.end, value, true);
    this.end += 4;
    return this;
  }

  /** Writes 8 bytes; a `number` must be a safe integer. */
  uint64(value: bigint | number): this {
    this.reserve(8);
    if (typeof value === "bigint") {
      if (value < 0n || value > MAX_UINT64) throw outOfRange(value);
      this.view.setBigUint64(this.end, value, true);
    } else {
      checkRange(value, Number.MAX_SAFE_INTEGER);
      // Takes the lower 32 bits by itself.
      this.view.setUint32(this.end, value, true);
      this.view.setUint32(this.end + 4, Math.floor(value / UINT32_RANGE), true);
    }
    this.end += 8;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.reserve(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
    return this;
  }

  /** Writes a value that has this size: a number, a `bigint` of 8 bytes, or bytes as they are. */
  value(value: number | bigint | Buffer, size: number): void {
    if (typeof value === "bigint") this.uint64(value);
    else if (typeof value !== "number") this.bytes(value);
    else if (size === 1) this.uint8(value);
    else if (size === 2) this.uint16(value);
    else if (size === 4) this.uint32(value);
    else this.uint64(value);
  }

  /** Starts over with the same memory. */
  restart(): this {
    this.end = 0;
    return this;
  }

  /** The bytes written so far, in their own buffer. */
  toBuffer(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.end));
  }
}

/** A view would cut off what has no room. */
function checkRange(value: number, greatest: number): void {
  if (value < 0 || value > greatest) throw outOfRange(value);
}

function outOfRange(value: bigint | number): RangeError {
  return new RangeError(`${value} has no room in its bytes`);
}
