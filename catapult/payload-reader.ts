import { NodeResponseError } from "./errors.js";

/** Reads the fields of an answer one after another; what does not fit is refused with the field's name. */
export class PayloadReader {
  readonly #payload: Buffer;
  readonly #source: { readonly node: string; readonly request: string };
  #offset = 0;

  /** @param source `host:port` of the node and what was asked, for messages */
  constructor(payload: Buffer, source: { node: string; request: string }) {
    this.#payload = payload;
    this.#source = source;
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes not yet read. */
  get remaining(): number {
    return this.#payload.length - this.#offset;
  }

  /** The next byte. Like all readers here: throws NodeResponseError naming the field when the payload is too short. */
  uint8(field: string): number {
    return this.bytes(1, field).readUInt8();
  }

  /** Two bytes, little-endian. */
  uint16(field: string): number {
    return this.bytes(2, field).readUInt16LE();
  }

  /** Four bytes, little-endian. */
  uint32(field: string): number {
    return this.bytes(4, field).readUInt32LE();
  }

  /** Eight bytes, little-endian: an amount, an id or a part of a score. */
  uint64(field: string): bigint {
    return this.bytes(8, field).readBigUInt64LE();
  }

  /** A 64-bit height, timestamp or count. Refused above 2^53 - 1. */
  safeUint64(field: string): number {
    const value = this.uint64(field);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error(field, `is ${value}, which is too large`);
    return Number(value);
  }

  /** The next bytes, as a view on the payload. */
  bytes(size: number, field: string): Buffer {
    if (size > this.remaining) {
      throw this.error(field, `needs ${size} bytes at offset ${this.#offset}, ${this.remaining} are left`);
    }
    this.#offset += size;
    return this.#payload.subarray(this.#offset - size, this.#offset);
  }

  /** The next u32 without reading it. */
  peekUint32(field: string): number {
    const value = this.uint32(field);
    this.#offset -= 4;
    return value;
  }

  /** All that is left, in pieces of one size. */
  rest(size: number, field: string): Buffer[] {
    if (this.remaining % size !== 0) {
      throw this.error(field, `needs pieces of ${size} bytes, ${this.remaining} bytes are left`);
    }
    const pieces: Buffer[] = [];
    while (this.remaining > 0) pieces.push(this.bytes(size, field));
    return pieces;
  }

  /** Refuses bytes behind the last field. */
  end(): void {
    if (this.remaining > 0)
      throw this.error("end", `expected at offset ${this.#offset}, ${this.remaining} bytes are left`);
  }

  /** The error to throw when a field was read but cannot be right. */
  error(field: string, problem: string): NodeResponseError {
    return new NodeResponseError(this.#source.node, this.#source.request, field, problem);
  }
}
