/**
 * A map of immutable values with layers: a layer on top of another sees its entries, and keeps its own changes until
 * it is merged down or thrown away.
 */
export class LayeredMap<V> {
  readonly #below: LayeredMap<V> | undefined;
  readonly #own = new Map<string, V | undefined>();

  constructor(below?: LayeredMap<V>) {
    this.#below = below;
  }

  get(key: string): V | undefined {
    return this.#own.has(key) ? this.#own.get(key) : this.#below?.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: V): void {
    this.#own.set(key, value);
  }

  /** A new layer on top of this one. */
  layer(): LayeredMap<V> {
    return new LayeredMap(this);
  }

  /** Writes this layer's changes into the layer below, and answers what `restore` needs there to take them back. */
  mergeDown(): ReadonlyMap<string, V | undefined> {
    const below = this.#below;
    if (!below) throw new Error("a map without a layer below cannot be merged down");
    const replaced = new Map<string, V | undefined>();
    for (const [key, value] of this.#own) {
      replaced.set(key, below.#own.get(key));
      below.#write(key, value);
    }
    this.#own.clear();
    return replaced;
  }

  /** Puts back the entries that a `mergeDown` had replaced here. Only for a map without a layer below. */
  restore(replaced: ReadonlyMap<string, V | undefined>): void {
    for (const [key, value] of replaced) this.#write(key, value);
  }

  /** Removes an entry for good. Only for a map without a layer below. */
  forget(key: string): void {
    this.#own.delete(key);
  }

  /** The entries of this layer alone: everything, for a map without a layer below. */
  entries(): IterableIterator<[string, V | undefined]> {
    return this.#own.entries();
  }

  #write(key: string, value: V | undefined): void {
    // a lower layer must not look through a deleted entry; the lowest one has nothing to hide
    if (value === undefined && !this.#below) this.#own.delete(key);
    else this.#own.set(key, value);
  }
}
