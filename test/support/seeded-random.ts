/** Whether this is `npm test`, which is to be over soon. */
export const IS_SHORT = process.env.TEST_FILES === "short";

/** Pseudo-random numbers that repeat with the same seed, which is printed so that a failure can be repeated. */
export class SeededRandom {
  #state: number;

  constructor(seed: number = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))) {
    process.stderr.write(`random seed ${seed} (repeat with TEST_SEED=${seed})\n`);
    this.#state = seed >>> 0;
  }

  /** That of the numbers that follow. */
  get seed(): number {
    return this.#state;
  }

  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** This number of items of a list, each at most once. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]!);
  }

  /** Of the cases of a test, this number in `npm test`, and all in other runs: see `SAMPLED_FILES`. */
  sample<Item>(cases: readonly Item[], count: number): Item[] {
    return IS_SHORT && cases.length > count ? this.some(cases, count) : [...cases];
  }
}
