import { Backoff } from "../../catapult/wire/backoff.js";

const MAX_MS = 3_600_000;

/** What is not used for a while: the first time for `firstMs`, then twice as long each time, up to an hour. */
export class Suspensions<T> {
  readonly #firstMs: number;
  readonly #all = new Map<T, { readonly backoff: Backoff; until: number }>();

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  has(one: T): boolean {
    return this.until(one) > performance.now();
  }

  /** When it ends, in ms of this process; 0 if there was none. */
  until(one: T): number {
    return this.#all.get(one)?.until ?? 0;
  }

  /** @returns for how long, in ms. After an hour without one, it begins with the shortest again. */
  add(one: T): number {
    const now = performance.now();
    const backoff = new Backoff({ initialMs: this.#firstMs, maxMs: MAX_MS, jitter: 0 });
    const known = this.#all.get(one) ?? { backoff, until: now };
    if (now - known.until > MAX_MS) known.backoff.reset();
    const ms = known.backoff.next();
    known.until = now + ms;
    this.#all.set(one, known);
    return ms;
  }
}
