import type { Logger } from "pino";

/** Minimum interval of log lines, in ms. */
const REPORT_EVERY_MS = 5_000;

/** Logs the progress of reading the state, if it takes long; silent while it keeps up. */
export class StateProgress {
  readonly #log: Logger;
  readonly #clock: () => number;
  #since: number | undefined;
  #read = 0;
  #wasReported = false;

  /** @param clock milliseconds of a monotonic clock */
  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Counts `values` that were written; `countLeft` is called only when a line is due. */
  async read(values: number, countLeft: () => Promise<number>): Promise<void> {
    this.#read += values;
    const now = this.#clock();
    this.#since ??= now;
    const seconds = (now - this.#since) / 1_000;
    if (seconds * 1_000 < REPORT_EVERY_MS) return;
    const left = await countLeft();
    const perSecond = Math.round(this.#read / seconds);
    if (left > 0) {
      const secondsLeft = Math.ceil(left / Math.max(1, perSecond));
      this.#log.info({ read: this.#read, left, perSecond, secondsLeft }, "Reading the state");
      this.#wasReported = true;
    } else if (this.#wasReported) {
      this.#log.info({ read: this.#read, perSecond }, "State sync completed");
      this.#wasReported = false;
    }
    this.#since = left > 0 ? now : undefined;
    this.#read = 0;
  }
}
