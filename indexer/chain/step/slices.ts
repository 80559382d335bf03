import { setImmediate as afterOtherWork } from "node:timers/promises";

/** How long a loop runs before other work has its turn, in ms. */
const SLICE_MS = 10;

/** Divides a long loop, so that it does not delay other work of this process. */
export class Slices {
  #since = performance.now();

  /** Whether `next` is to be awaited before the loop continues. */
  get isUsedUp(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async next(): Promise<void> {
    await afterOtherWork();
    this.#since = performance.now();
  }
}
