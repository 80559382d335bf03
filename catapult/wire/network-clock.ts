import type { CommunicationTimestamps } from "./requests.js";

/** How long what was learnt of the node's clock is used, in ms. */
const MAX_AGE_MS = 60_000;

/** The network's time as the node knows it, without asking the node each time. */
export class NetworkClock {
  readonly #askNode: () => Promise<CommunicationTimestamps>;
  readonly #clock: () => number;
  #known: { readonly offset: Promise<number>; readonly at: number } | undefined;

  /** @param clock milliseconds of a clock that only goes forward */
  constructor(node: { time(): Promise<CommunicationTimestamps> }, clock: () => number = () => performance.now()) {
    this.#askNode = () => node.time();
    this.#clock = clock;
  }

  /**
   * Milliseconds since the network's epoch adjustment.
   * @throws what asking the node throws
   */
  async now(): Promise<number> {
    if (!this.#known || this.#clock() - this.#known.at > MAX_AGE_MS) {
      const known = { offset: this.#readOffset(), at: this.#clock() };
      this.#known = known;
      known.offset.catch(() => {
        if (this.#known === known) this.#known = undefined;
      });
    }
    return Math.round(this.#clock() + (await this.#known.offset));
  }

  /** The node's answer is as old as half of the time that asking took. */
  async #readOffset(): Promise<number> {
    const asked = this.#clock();
    const { sendTimestamp } = await this.#askNode();
    return sendTimestamp - (asked + this.#clock()) / 2;
  }
}
