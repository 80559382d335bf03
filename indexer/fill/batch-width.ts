/**
 * Target duration of writing a batch, in ms: short enough to lose little, and long enough that an account which many
 * blocks change is written once for them.
 */
const TARGET_MS = 8_000;
const FIRST_BLOCKS = 200;
/** A batch is held in memory. */
const MAX_BLOCKS = 10_000;
/** Maximum factor between the widths of two consecutive batches. */
const MAX_CHANGE = 2;

/** Number of blocks per database transaction, adapted to the duration of the last one. */
export class BatchWidth {
  #blocks = FIRST_BLOCKS;

  /** Number of blocks of the next batch. */
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
