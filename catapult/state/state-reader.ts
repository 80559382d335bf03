import { ByteReader } from "../entity/byte-reader.js";
import { EntityError } from "../entity/entity-error.js";

/** The version of the layout of state values; only this one is known. */
export const STATE_VERSION = 1;

/**
 * Decodes the fields of a state value. Errors name the field below the kind's name, such as
 * `accountRestriction.restrictions[2].flags`.
 */
export class StateReader extends ByteReader {
  readonly #name: string;

  /** @param name of the value, for messages */
  constructor(bytes: Buffer, name: string) {
    super(bytes);
    this.#name = name;
  }

  /** The version at the start of every state value. */
  version(): void {
    const version = this.uint16("version");
    if (version !== STATE_VERSION) throw this.error("version", `${version} is unknown`);
  }

  /** As many items as a count that was just read; `minSize` is the minimum size of an item, in bytes. */
  list<T>(count: number | bigint, minSize: number, field: string, read: (path: string) => T): readonly T[] {
    this.room(count, minSize, field);
    return Array.from({ length: Number(count) }, (_, index) => read(`${field}[${index}]`));
  }

  error(field: string, problem: string): EntityError {
    return new EntityError(`${this.#name}.${field}`, problem);
  }
}
