import { ADDRESS_SIZE } from "../entity/address.js";
import { ByteReader } from "../entity/byte-reader.js";
import { EntityError } from "../entity/entity-error.js";

const VERSION = 1;
const HASH_SIZE = 32;

/** Reads the fields of a state value. Errors name the field below the kind's name, such as `account.mosaics[2].amount`. */
export class StateReader extends ByteReader {
  readonly #name: string;

  /** @param name of what is read, for messages */
  constructor(bytes: Buffer, name: string) {
    super(bytes);
    this.#name = name;
  }

  /** The version that every state value begins with; only 1 is known. */
  version(): void {
    const version = this.uint16("version");
    if (version !== VERSION) throw this.error("version", `${version} is unknown`);
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

  /** As many things as a count that was just read says; `leastSize` is what one of them takes at least, in bytes. */
  list<T>(count: number | bigint, leastSize: number, field: string, read: (path: string) => T): T[] {
    this.room(count, leastSize, field);
    return Array.from({ length: Number(count) }, (_, index) => read(`${field}[${index}]`));
  }

  error(field: string, problem: string): EntityError {
    return new EntityError(`${this.#name}.${field}`, problem);
  }
}
