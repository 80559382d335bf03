/** Progress of a backfill. */
export interface FillStatus {
  readonly height: number;
  /** Last height of the range. */
  readonly target: number;
  readonly blocksPerSecond: number;
  /** Transactions without embedded ones. */
  readonly transactionsPerSecond: number;
  /** Undefined before there is a rate. */
  readonly secondsLeft: number | undefined;
}

/** Rates are averages over this time, in ms. */
const WINDOW_MS = 30_000;

/** Counts what is written, and computes the current rate. */
export class FillRate {
  readonly #written: { readonly at: number; readonly blocks: number; readonly transactions: number }[] = [];
  #since = performance.now();
  #height: number;

  constructor(height: number) {
    this.#height = height;
  }

  wrote(blocks: number, transactions: number): void {
    this.#height += blocks;
    this.#written.push({ at: performance.now(), blocks, transactions });
  }

  /** @param target last height of the range */
  status(target: number): FillStatus {
    const now = performance.now();
    for (let oldest = this.#written[0]; oldest && oldest.at < now - WINDOW_MS; oldest = this.#written[0]) {
      this.#since = oldest.at;
      this.#written.shift();
    }
    const seconds = Math.max(now - this.#since, 1) / 1_000;
    const blocks = this.#written.reduce((sum, one) => sum + one.blocks, 0);
    const transactions = this.#written.reduce((sum, one) => sum + one.transactions, 0);
    return {
      height: this.#height,
      target,
      blocksPerSecond: blocks / seconds,
      transactionsPerSecond: transactions / seconds,
      secondsLeft: blocks === 0 ? undefined : ((target - this.#height) * seconds) / blocks,
    };
  }
}
