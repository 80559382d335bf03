import { ConnectionClosedError, PacketError, RequestTimeoutError } from "../../../catapult/wire/errors.js";
import { DEFAULT_MAX_PACKET_SIZE } from "../../../catapult/wire/packet.js";

/** Size of one request to a node: blocks, and bytes of blocks. A node always sends at least one block. */
export interface Range {
  readonly maxBlocks: number;
  readonly maxBytes: number;
}

/** As many blocks as a node sends by default. */
export const MAX_RANGE: Range = { maxBlocks: 42, maxBytes: 8 * 1024 * 1024 };

/** Number of ranges that have to arrive before the size grows again. */
const ARRIVALS_BEFORE_GROWTH = 20;

/**
 * Size of requests to a node: halved after a response that timed out, so that a slow connection works with smaller
 * pieces, one block after a response that was too large, and doubled again after a while without such, up to the given
 * limits.
 */
export class RangeLimit {
  readonly #max: Range;
  /** Size of the next request. */
  current: Range;
  #arrivals = 0;

  constructor(max: Range) {
    this.#max = max;
    this.current = max;
  }

  /** Requests a range with `request`, and adapts to the result. @throws errors of `request` */
  async request<T>(request: (range: Range) => Promise<T>): Promise<T> {
    const range = this.current;
    try {
      const answer = await request(range);
      this.#arrived();
      return answer;
    } catch (error) {
      if (causedBy(error, RequestTimeoutError)) this.#shrink(range);
      const cutOff = causedBy(error, PacketError);
      // A block that is larger than the limit of several is requested alone.
      if (cutOff && cutOff.limit < DEFAULT_MAX_PACKET_SIZE) this.#requestSingleBlocks();
      throw error;
    }
  }

  #arrived(): void {
    if (++this.#arrivals < ARRIVALS_BEFORE_GROWTH) return;
    this.#arrivals = 0;
    const { maxBlocks, maxBytes } = this.current;
    this.current = {
      maxBlocks: Math.min(this.#max.maxBlocks, maxBlocks * 2),
      maxBytes: Math.min(this.#max.maxBytes, maxBytes * 2),
    };
  }

  #requestSingleBlocks(): void {
    this.#arrivals = 0;
    this.current = { ...this.current, maxBlocks: 1 };
  }

  /** Of several ranges that were lost at the same time, only the first counts. */
  #shrink(late: Range): void {
    this.#arrivals = 0;
    this.current = {
      maxBlocks: Math.min(this.current.maxBlocks, Math.max(1, Math.floor(late.maxBlocks / 2))),
      maxBytes: Math.min(this.current.maxBytes, Math.max(1, Math.floor(late.maxBytes / 2))),
    };
  }
}

/** An error of this type that ended a request: it closes the connection, which also ends the requests after it. */
function causedBy<T extends Error>(error: unknown, type: new (...args: never[]) => T): T | undefined {
  if (error instanceof type) return error;
  return error instanceof ConnectionClosedError && error.cause instanceof type ? error.cause : undefined;
}
