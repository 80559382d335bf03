import type { NodeAnswer, NodeLink, NodeQuery } from "../../catapult/wire/node-link.js";

/** Passes everything to another link, and measures how long requests were waited for. */
export class TimedLink implements NodeLink {
  readonly #link: NodeLink;
  readonly #clock: () => number;
  #outstanding = 0;
  #since = 0;
  #waitedMs = 0;

  /** @param clock milliseconds of a monotonic clock */
  constructor(link: NodeLink, clock: () => number) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Time with at least one outstanding request, in ms, since this link exists. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#outstanding > 0 ? this.#clock() - this.#since : 0);
  }

  get connectedNode() {
    return this.#link.connectedNode;
  }

  async request(question: NodeQuery): Promise<NodeAnswer> {
    if (this.#outstanding++ === 0) this.#since = this.#clock();
    try {
      return await this.#link.request(question);
    } finally {
      if (--this.#outstanding === 0) this.#waitedMs += this.#clock() - this.#since;
    }
  }

  push(...args: Parameters<NodeLink["push"]>): Promise<void> {
    return this.#link.push(...args);
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}
