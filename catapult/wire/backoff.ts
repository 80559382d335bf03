/** Options of a {@link Backoff}. Times in ms. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** Random fraction of each delay, 0 to 1, so that many clients do not return at the same moment. */
  readonly jitter: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 250, maxMs: 30_000, factor: 2, jitter: 0.2 };

/** Increasing delays between attempts. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #failures = 0;

  /** @param random returns numbers from 0 to below 1 */
  constructor(options: Partial<BackoffOptions> = {}, random: () => number = Math.random) {
    this.#options = { ...DEFAULT_BACKOFF, ...options };
    this.#random = random;
  }

  /** The delay after one more failure, in ms: at most `maxMs`, and shorter by up to the fraction `jitter`. */
  next(): number {
    const { initialMs, maxMs, factor, jitter } = this.#options;
    const wait = Math.min(maxMs, initialMs * factor ** this.#failures);
    this.#failures += 1;
    return wait * (1 - jitter * this.#random());
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
