import type { ChainStatistics } from "./requests.js";

/** How long what the node said of its height is used, in ms: much less than the time between two blocks. */
const MAX_AGE_MS = 1_000;

/** The height of the block that the node's chain gets next, without asking the node each time. */
export class NextHeight {
  readonly #askNode: () => Promise<ChainStatistics>;
  readonly #clock: () => number;
  #known: { readonly height: Promise<number>; readonly at: number } | undefined;

  /** @param clock milliseconds of a clock that only goes forward */
  constructor(node: { chainStatistics(): Promise<ChainStatistics> }, clock: () => number = () => performance.now()) {
    this.#askNode = () => node.chainStatistics();
    this.#clock = clock;
  }

  /** @throws what asking the node throws */
  read(): Promise<number> {
    if (!this.#known || this.#clock() - this.#known.at > MAX_AGE_MS) {
      const known = { height: this.#askNode().then(({ height }) => height + 1), at: this.#clock() };
      this.#known = known;
      known.height.catch(() => {
        if (this.#known === known) this.#known = undefined;
      });
    }
    return this.#known.height;
  }
}
