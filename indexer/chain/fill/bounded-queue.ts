/**
 * Passes items from one stage to the next in order. `put` waits while it is full, `take` while it is empty; a failure
 * reaches both.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #items: { readonly value: T; readonly size: number }[] = [];
  #size = 0;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  /** @param capacity in the unit of `put`; a single larger item is allowed */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Waits until there is room. @throws the error passed to `fail` */
  async put(value: T, size: number): Promise<void> {
    while (!this.#failure && this.#size > 0 && this.#size + size > this.#capacity) await this.#change();
    if (this.#failure) throw this.#failure.error;
    this.#items.push({ value, size });
    this.#size += size;
    this.#changed();
  }

  /** No more items will be added. */
  close(): void {
    this.#isClosed = true;
    this.#changed();
  }

  /** Ends both sides; queued items are taken first. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#changed();
  }

  /** The next item; undefined when it is closed and empty. @throws the error passed to `fail`, once it is empty */
  async take(): Promise<T | undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item) {
        this.#size -= item.size;
        this.#changed();
        return item.value;
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#isClosed) return undefined;
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
