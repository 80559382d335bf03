import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";

const HEADER_SIZE = 8;
const READ_SIZE = 1024 * 1024;

/** Position of a record's body in its file, in bytes. */
export interface RecordPosition {
  readonly offset: number;
  readonly size: number;
}

/**
 * An append-only file of records: `size u32 | crc32 u32 | body`, little-endian. An incomplete record at its end is
 * recognized by size or checksum.
 */
export class RecordFile {
  readonly #file: number;
  #size: number;

  /** Opens the file, or creates it with its parent folders. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, "a+");
    this.#size = fstatSync(this.#file).size;
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** Appends records with one write, and returns their positions. */
  append(bodies: readonly Buffer[]): RecordPosition[] {
    const positions: RecordPosition[] = [];
    const parts: Buffer[] = [];
    let offset = this.#size;
    for (const body of bodies) {
      const header = Buffer.alloc(HEADER_SIZE);
      header.writeUInt32LE(body.length, 0);
      header.writeUInt32LE(crc32(body), 4);
      parts.push(header, body);
      positions.push({ offset: offset + HEADER_SIZE, size: body.length });
      offset += HEADER_SIZE + body.length;
    }
    const bytes = Buffer.concat(parts);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      // an incomplete record would hide all that follow
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size = offset;
    return positions;
  }

  /** Reads `length` bytes (by default all from there) of a record's body. */
  read({ offset, size }: RecordPosition, start = 0, length = size - start): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file, bytes, done, length - done, offset + start + done);
      if (count === 0) throw new Error(`the file ends within the record at ${offset}`);
      done += count;
    }
    return bytes;
  }

  /** All complete records from the beginning of the file; stops before the first incomplete one. */
  *records(): Generator<RecordPosition & { readonly body: Buffer }> {
    let window: Buffer = Buffer.alloc(0);
    let windowStart = 0;
    let offset = 0;
    const bytesAt = (at: number, length: number): Buffer => {
      if (at + length > windowStart + window.length) {
        const size = Math.min(Math.max(length, READ_SIZE), this.#size - at);
        window = this.read({ offset: at, size });
        windowStart = at;
      }
      return window.subarray(at - windowStart, at - windowStart + length);
    };
    while (offset + HEADER_SIZE <= this.#size) {
      const header = bytesAt(offset, HEADER_SIZE);
      const size = header.readUInt32LE(0);
      const checksum = header.readUInt32LE(4);
      if (size === 0 || offset + HEADER_SIZE + size > this.#size) return;
      const body = bytesAt(offset + HEADER_SIZE, size);
      if (crc32(body) !== checksum) return;
      yield { offset: offset + HEADER_SIZE, size, body };
      offset += HEADER_SIZE + size;
    }
  }

  /** Truncates everything after the record that ends at `size`. */
  truncate(size: number): void {
    ftruncateSync(this.#file, size);
    this.#size = size;
  }

  /** Flushes to the disk, and closes the file. */
  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}
