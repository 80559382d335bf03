/** How long a batch shall take to write, in ms: long enough to be cheap, short enough to lose little. */
const TARGET_MS = 2_000;
const FIRST_BLOCKS = 200;
const MAX_BLOCKS = 50_000;
/** Each batch is at most so many times wider or narrower than the one before. */
const MAX_CHANGE = 2;

/** How many blocks one database transaction takes: tuned to what the last one took. */
export class BatchWidth {
  #blocks = FIRST_BLOCKS;

  /** Blocks of the next batch. */
  get blocks(): number {
    return this.#blocks;
  }

  /** A batch of `blocks` was written in `ms` milliseconds. */
  wrote(blocks: number, ms: number): void {
    const fitting = (blocks * TARGET_MS) / Math.max(1, ms);
    const least = this.#blocks / MAX_CHANGE;
    const most = this.#blocks * MAX_CHANGE;
    this.#blocks = Math.max(1, Math.min(MAX_BLOCKS, Math.round(Math.min(most, Math.max(least, fitting)))));
  }
}
