import { createHash } from "node:crypto";

/** Pseudo-random numbers that repeat with the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  /** @param seed its lower 32 bits are used */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** At most `count` different integers from `lowest` to `highest`, ascending, including both ends. */
  heights(lowest: number, highest: number, count: number): number[] {
    const size = highest - lowest + 1;
    if (size <= count) return Array.from({ length: Math.max(0, size) }, (_, place) => lowest + place);
    const chosen = new Set([lowest, highest].slice(0, count));
    while (chosen.size < count) chosen.add(lowest + this.below(size));
    return [...chosen].sort((left, right) => left - right);
  }
}

/**
 * A sample of bounded size. Each thing has the same chance, and the result depends on the seed and the things alone,
 * not on their order. Things outside the sample are forgotten.
 */
export class Sample<Thing> {
  readonly #size: number;
  readonly #seed: number;
  readonly #kept: { readonly rank: string; readonly thing: Thing }[] = [];

  constructor(size: number, seed: number) {
    this.#size = size;
    this.#seed = seed;
  }

  /** @param key identifies equal things */
  add(key: string, thing: Thing): void {
    const rank = createHash("sha256").update(`${this.#seed} ${key}`).digest("base64");
    const place = this.#placeOf(rank);
    if (place === this.#size || this.#kept[place]?.rank === rank) return;
    this.#kept.splice(place, 0, { rank, thing });
    if (this.#kept.length > this.#size) this.#kept.pop();
  }

  /** Position of the first thing whose rank is not below `rank`. */
  #placeOf(rank: string): number {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#kept[middle]!.rank < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get all(): readonly Thing[] {
    return this.#kept.map(({ thing }) => thing);
  }
}
