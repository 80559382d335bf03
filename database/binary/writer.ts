import { GrowingMemory } from "../../catapult/entity/growing-memory.js";

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
