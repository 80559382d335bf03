import { COPY_HEADER } from "./copy-encoder.js";

const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * Reads rows from PostgreSQL's binary format of COPY, which arrives in chunks of any size. Values are views of these
 * chunks; for null they are empty.
 */
export class CopyDecoder {
  #parts: Buffer[] = [];
  #size = 0;
  /** Number of bytes without which nothing more can be read. */
  #needed = COPY_HEADER.length;
  #isBegun = false;

  /** The rows that are complete with this chunk. */
  *rows(chunk: Buffer): Generator<Buffer[]> {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    // A large row is joined once, not with each of its chunks.
    if (this.#size < this.#needed) return;
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#size);
    let start = 0;
    if (!this.#isBegun) {
      this.#isBegun = true;
      start = COPY_HEADER.length;
    }
    for (let row = this.#row(bytes, start); row; row = this.#row(bytes, start)) {
      start = row.end;
      yield row.values;
    }
    this.#parts = [bytes.subarray(start)];
    this.#size = bytes.length - start;
    this.#needed -= start;
  }

  /** The row at `start`; undefined at the end, and if it is incomplete: then `#needed` is set, counted from 0. */
  #row(bytes: Buffer, start: number): { readonly values: Buffer[]; readonly end: number } | undefined {
    const has = (end: number): boolean => {
      this.#needed = end;
      return end <= bytes.length;
    };
    let end = start + COUNT_BYTES;
    if (!has(end)) return undefined;
    const count = bytes.readInt16BE(start);
    if (count < 0) {
      this.#needed = Number.POSITIVE_INFINITY;
      return undefined;
    }
    const values: Buffer[] = [];
    for (let index = 0; index < count; index++) {
      if (!has(end + LENGTH_BYTES)) return undefined;
      const first = end + LENGTH_BYTES;
      end = first + Math.max(0, bytes.readInt32BE(end));
      if (!has(end)) return undefined;
      values.push(bytes.subarray(first, end));
    }
    return { values, end };
  }
}
