import type { CommunicationTimestamps } from "./requests.js";

/** How long the measured offset of the node's clock is used, in ms. */
const MAX_AGE_MS = 60_000;

/** The network's time according to the node, without a request each time. */
export class NetworkClock {
  readonly #askNode: () => Promise<CommunicationTimestamps>;
  readonly #clock: () => number;
  #known: { readonly offset: Promise<number>; readonly at: number } | undefined;

  /** @param clock milliseconds of a monotonic clock */
  constructor(node: { time(): Promise<CommunicationTimestamps> }, clock: () => number = () => performance.now()) {
    this.#askNode = () => node.time();
    this.#clock = clock;
  }

  /**
   * Milliseconds since the network's epoch adjustment.
   * @throws errors of the request to the node
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

  /** The node's response is as old as half of the round-trip time. */
  async #readOffset(): Promise<number> {
    const sentAt = this.#clock();
    const { sendTimestamp } = await this.#askNode();
    return sendTimestamp - (sentAt + this.#clock()) / 2;
  }
}
