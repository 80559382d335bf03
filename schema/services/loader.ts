interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what is asked for in one turn of the event loop and reads it together. */
export class Loader<K, V> {
  readonly #read: (keys: readonly K[]) => Promise<readonly V[]>;
  #waiting: Waiting<K, V>[] = [];

  /** @param read gives one value for each key, in their order */
  constructor(read: (keys: readonly K[]) => Promise<readonly V[]>) {
    this.#read = read;
  }

  load(key: K): Promise<V> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#readWaiting());
      this.#waiting.push({ key, resolve, reject });
    });
  }

  async #readWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const values = await this.#read(waiting.map(({ key }) => key));
      for (const [index, { resolve }] of waiting.entries()) resolve(values[index] as V);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
