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
  /** All keys so far, in the order of their numbers. */
  readonly keys: GatheredKey[] = [];
  /** By their texts, or ids. */
  readonly #numbers: ReadonlyMap<KeyKind, Map<string | bigint, number>> = new Map(
    Object.values(KeyKind).map((kind) => [kind, new Map()]),
  );

  address(address: Buffer): number {
    return this.#number(KeyKind.address, address);
  }

  publicKey(publicKey: Buffer): number {
    return this.#number(KeyKind.publicKey, publicKey);
  }

  /** Of a mosaic or a namespace. */
  id(id: bigint): number {
    return this.#number(KeyKind.id, id);
  }

  /** Of a mosaic that a transaction names by an alias only. */
  aliasedMosaic(id: bigint): number {
    return this.#number(KeyKind.aliasedMosaic, id);
  }

  #number(kind: KeyKind, key: Buffer | bigint): number {
    const numbers = this.#numbers.get(kind)!;
    const name = typeof key === "bigint" ? key : key.toString("latin1");
    let number = numbers.get(name);
    if (number === undefined) {
      number = this.keys.length;
      numbers.set(name, number);
      this.keys.push({ kind, key: typeof key === "bigint" ? idKey(key) : key, height: this.height });
    }
    return number;
  }
}
