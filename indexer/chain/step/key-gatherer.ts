import { idKey, KeyKind, type NamedKey } from "../../../database/lists/collections.js";

/** A key, and the height of the block that names it first among those gathered. */
export interface GatheredKey extends NamedKey {
  readonly height: number;
}

/**
 * Gives keys of rows local numbers: from 0, in the order in which the rows' makers first name them, which is the order
 * of the chain. They are mapped to numbers of the table `keys` before rows are written.
 */
export class KeyGatherer {
  /** Of the block that names the next keys. */
  height = 0;
  readonly #numbers: ReadonlyMap<KeyKind, Map<string, number>> = new Map(
    Object.values(KeyKind).map((kind) => [kind, new Map<string, number>()]),
  );
  /** The same of keys that are ids, by the id: these are named many times. */
  readonly #numbersOfIds: ReadonlyMap<KeyKind, Map<bigint, number>> = new Map([
    [KeyKind.id, new Map<bigint, number>()],
    [KeyKind.aliasedMosaic, new Map<bigint, number>()],
  ]);
  readonly #keys: GatheredKey[] = [];

  /** All keys so far, in the order of their numbers. */
  get keys(): readonly GatheredKey[] {
    return this.#keys;
  }

  address(address: Buffer): number {
    return this.#number(KeyKind.address, address);
  }

  publicKey(publicKey: Buffer): number {
    return this.#number(KeyKind.publicKey, publicKey);
  }

  /** Of a mosaic or a namespace. */
  id(id: bigint): number {
    return this.#numberOfId(KeyKind.id, id);
  }

  /** Of a mosaic that a transaction names by an alias only. */
  aliasedMosaic(id: bigint): number {
    return this.#numberOfId(KeyKind.aliasedMosaic, id);
  }

  #number(kind: KeyKind, key: Buffer): number {
    const numbers = this.#numbers.get(kind) as Map<string, number>;
    const name = key.toString("latin1");
    let number = numbers.get(name);
    if (number === undefined) {
      number = this.#keys.length;
      numbers.set(name, number);
      this.#keys.push({ kind, key, height: this.height });
    }
    return number;
  }

  #numberOfId(kind: typeof KeyKind.id | typeof KeyKind.aliasedMosaic, id: bigint): number {
    const numbers = this.#numbersOfIds.get(kind) as Map<bigint, number>;
    let number = numbers.get(id);
    if (number === undefined) {
      number = this.#number(kind, idKey(id));
      numbers.set(id, number);
    }
    return number;
  }
}
