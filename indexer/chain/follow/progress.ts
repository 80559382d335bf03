import type { Logger } from "pino";

/** Minimum interval of log lines, in ms. */
const REPORT_EVERY_MS = 5_000;

/** Logs the progress of catching up: height of head, rates and time left. Silent while the index keeps up. */
export class Progress {
  readonly #log: Logger;
  readonly #now: () => number;
  #since: number | undefined;
  #blocks = 0;
  #transactions = 0;

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Counts a step that ended at `height` while the node is at `nodeHeight`. */
  wrote(step: { blocks: number; transactions: number; height: number; nodeHeight: number }): void {
    this.#blocks += step.blocks;
    this.#transactions += step.transactions;
    const now = this.#now();
    this.#since ??= now;
    const seconds = (now - this.#since) / 1_000;
    const left = step.nodeHeight - step.height;
    if (left <= 0 || seconds * 1_000 < REPORT_EVERY_MS) {
      if (left <= 0) this.#reset();
      return;
    }
    this.#log.info(
      {
        height: step.height,
        nodeHeight: step.nodeHeight,
        blocksPerSecond: Math.round(this.#blocks / seconds),
        transactionsPerSecond: Math.round(this.#transactions / seconds),
        secondsLeft: Math.ceil(left / (this.#blocks / seconds)),
      },
      "Catching up",
    );
    this.#reset();
    this.#since = now;
  }

  #reset(): void {
    this.#since = undefined;
    this.#blocks = 0;
    this.#transactions = 0;
  }
}
