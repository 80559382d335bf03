import { isLacking } from "./errors.js";
import type { CommunicationTimestamps } from "./requests.js";

/** How long the measured offset of the node's clock is used, in ms. */
const MAX_AGE_MS = 60_000;

/** The network's time according to the node, without a request each time. */
export class NetworkClock {
  readonly #askNode: () => Promise<CommunicationTimestamps>;
  readonly #own: () => number | undefined | Promise<number | undefined>;
  readonly #clock: () => number;
  #known: { readonly offset: Promise<number>; readonly at: number } | undefined;

  /**
   * @param own this machine's time, which counts if the node does not tell its own; undefined if it is unknown
   * @param clock milliseconds of a monotonic clock
   */
  constructor(
    node: { time(): Promise<CommunicationTimestamps> },
    own: () => number | undefined | Promise<number | undefined> = () => undefined,
    clock: () => number = () => performance.now(),
  ) {
    this.#askNode = () => node.time();
    this.#own = own;
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
    const offset = await this.#known.offset;
    // Read afterwards: the answer may have taken a second.
    return Math.round(this.#clock() + offset);
  }

  /** The node's response is as old as half of the round-trip time. */
  async #readOffset(): Promise<number> {
    const sentAt = this.#clock();
    try {
      const { sendTimestamp } = await this.#askNode();
      return sendTimestamp - (sentAt + this.#clock()) / 2;
    } catch (error) {
      const own = isLacking(error) ? await this.#own() : undefined;
      if (own === undefined) throw error;
      return own - this.#clock();
    }
  }
}
