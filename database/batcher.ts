interface Pending<Key, Value> {
  readonly key: Key;
  readonly value: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads together what is loaded in one turn of the event loop, each key once. Nothing is cached for the next turn: the
 * operation may be a subscription, which continues while the index changes.
 */
export class Batcher<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<readonly Value[]>;
  readonly #maxKeys: number;
  readonly #nameOf: (key: Key) => unknown;
  #pending = new Map<unknown, Pending<Key, Value>>();

  /**
   * @param read returns one value for each key, in order
   * @param maxKeys that are read at once: what they lead to is in memory together
   * @param nameOf returns the same for equal keys; without it, keys are compared by identity
   */
  constructor(
    read: (keys: readonly Key[]) => Promise<readonly Value[]>,
    maxKeys: number,
    nameOf: (key: Key) => unknown = (key) => key,
  ) {
    this.#read = read;
    this.#maxKeys = maxKeys;
    this.#nameOf = nameOf;
  }

  load(key: Key): Promise<Value> {
    const name = this.#nameOf(key);
    const known = this.#pending.get(name);
    if (known) return known.value;
    if (this.#pending.size === 0) setImmediate(() => this.#readPending());
    let settle: Pick<Pending<Key, Value>, "resolve" | "reject">;
    const value = new Promise<Value>((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#pending.set(name, { key, value, ...settle! });
    return value;
  }

  #readPending(): void {
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    for (let start = 0; start < pending.length; start += this.#maxKeys)
      void this.#readSome(pending.slice(start, start + this.#maxKeys));
  }

  async #readSome(pending: readonly Pending<Key, Value>[]): Promise<void> {
    try {
      const values = await this.#read(pending.map(({ key }) => key));
      for (const [index, { resolve }] of pending.entries()) resolve(values[index]!);
    } catch (error) {
      for (const { reject } of pending) reject(error);
    }
  }
}
