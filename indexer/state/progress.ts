import type { Logger } from "pino";

/** A line at most this often, in ms. */
const REPORT_EVERY_MS = 5_000;

/** Says how far reading the state is, once it takes longer; silent while it keeps up. */
export class StateProgress {
  readonly #log: Logger;
  readonly #clock: () => number;
  #since: number | undefined;
  #read = 0;
  #wasReported = false;

  /** @param clock milliseconds that only go forward */
  constructor(log: Logger, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Counts `values` that were written; `countLeft` is asked only when a line is due. */
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
      this.#log.info({ read: this.#read, perSecond }, "The state is read");
      this.#wasReported = false;
    }
    this.#since = left > 0 ? now : undefined;
    this.#read = 0;
  }
}
