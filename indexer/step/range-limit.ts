import { ConnectionClosedError, RequestTimeoutError } from "../../catapult/wire/errors.js";

/** What is requested of a node at once: blocks, and bytes of blocks. A node always sends one block. */
export interface Range {
  readonly maxBlocks: number;
  readonly maxBytes: number;
}

/** So many ranges have to arrive before more is requested again. */
const ARRIVALS_BEFORE_GROWTH = 20;

/**
 * How much is requested of a node at once: half as much after an answer that timed out, so that a slow connection gets
 * there in smaller pieces, and twice as much again after a while without one, up to the limits given.
 */
export class RangeLimit {
  readonly #most: Range;
  #current: Range;
  #arrivals = 0;

  constructor(most: Range) {
    this.#most = most;
    this.#current = most;
  }

  /** What to request next. */
  get current(): Range {
    return this.#current;
  }

  /** Requests a range with `request`, and learns from how that ends. @throws what `request` throws */
  async request<T>(request: (range: Range) => Promise<T>): Promise<T> {
    const range = this.#current;
    try {
      const answer = await request(range);
      this.#arrived();
      return answer;
    } catch (error) {
      if (isTimeout(error)) this.#shrink(range);
      throw error;
    }
  }

  #arrived(): void {
    if (++this.#arrivals < ARRIVALS_BEFORE_GROWTH) return;
    this.#arrivals = 0;
    const { maxBlocks, maxBytes } = this.#current;
    this.#current = {
      maxBlocks: Math.min(this.#most.maxBlocks, maxBlocks * 2),
      maxBytes: Math.min(this.#most.maxBytes, maxBytes * 2),
    };
  }

  /** Of several ranges that were lost at the same time, only the first counts. */
  #shrink(late: Range): void {
    this.#arrivals = 0;
    this.#current = {
      maxBlocks: Math.min(this.#current.maxBlocks, Math.max(1, Math.floor(late.maxBlocks / 2))),
      maxBytes: Math.min(this.#current.maxBytes, Math.max(1, Math.floor(late.maxBytes / 2))),
    };
  }
}

/** An answer that came too late closes the connection, which also ends the requests behind it. */
function isTimeout(error: unknown): boolean {
  if (error instanceof RequestTimeoutError) return true;
  return error instanceof ConnectionClosedError && error.cause instanceof RequestTimeoutError;
}
