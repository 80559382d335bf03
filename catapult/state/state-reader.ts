import { ADDRESS_SIZE } from "../address.js";
import { EntityError } from "../entity-error.js";

const VERSION = 1;
const HASH_SIZE = 32;

/**
 * Reads the fields of a state value one after another, never behind its end. All readers throw `EntityError`, naming the
 * field below the kind's name, such as `account.mosaics[2].amount`.
 */
export class StateReader {
  readonly #bytes: Buffer;
  readonly #name: string;
  #offset = 0;

  /** @param name of what is read, for messages */
  constructor(bytes: Buffer, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  /** Bytes not yet read. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  /** The version that every state value begins with; only 1 is known. */
  version(): void {
    const version = this.uint16("version");
    if (version !== VERSION) throw this.error("version", `${version} is unknown`);
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

  uint64(field: string): bigint {
    return this.bytes(8, field).readBigUInt64LE();
  }

  /** A height; refused above 2^53 - 1. */
  height(field: string): number {
    const value = this.uint64(field);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error(field, `${value} is too large`);
    return Number(value);
  }

  /** One byte that is at most `most`. */
  enumeration(most: number, field: string): number {
    const value = this.uint8(field);
    if (value > most) throw this.error(field, `${value} is unknown`);
    return value;
  }

  address(field: string): Buffer {
    return this.bytes(ADDRESS_SIZE, field);
  }

  /** A hash or a public key, 32 bytes. */
  hash(field: string): Buffer {
    return this.bytes(HASH_SIZE, field);
  }

  /** The next bytes, as a view on the value. */
  bytes(size: number, field: string): Buffer {
    if (size > this.left) throw this.error(field, `needs ${size} bytes, and ${this.left} are left`);
    this.#offset += size;
    return this.#bytes.subarray(this.#offset - size, this.#offset);
  }

  /** As many things as a count that was just read says; `leastSize` is what one of them takes at least, in bytes. */
  list<T>(count: number | bigint, leastSize: number, field: string, read: (path: string) => T): T[] {
    if (BigInt(count) * BigInt(leastSize) > BigInt(this.left))
      throw this.error(field, `${count} do not fit into ${this.left} bytes`);
    return Array.from({ length: Number(count) }, (_, index) => read(`${field}[${index}]`));
  }

  /** Refuses bytes behind the last field. */
  end(): void {
    if (this.left > 0) throw this.error("end", `has ${this.left} bytes behind it`);
  }

  /** The error to throw when a field was read but cannot be right. */
  error(field: string, problem: string): EntityError {
    return new EntityError(`${this.#name}.${field}`, problem);
  }
}
