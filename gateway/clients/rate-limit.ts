import { LRUCache } from "lru-cache";
import { ApiError } from "../../schema/errors/errors.js";

/** Rate limit of one client. */
export interface RateLimitOptions {
  /** Sustained requests per second. */
  readonly perSecond: number;
  /** Maximum burst after a pause. */
  readonly burst: number;
}

/** Maximum number of tracked clients; above it those idle for longest are forgotten. */
const MAX_CLIENTS = 100_000;

interface Bucket {
  /** Requests left. */
  tokens: number;
  /** Time at which `tokens` was computed, in ms. */
  at: number;
}

/** A token bucket per client. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #clock: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CLIENTS });
  #rejected = 0;

  /** @param clock milliseconds of a monotonic clock */
  constructor(options: RateLimitOptions, clock: () => number = () => performance.now()) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Number of requests rejected since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  /**
   * Counts a request of a client.
   * @returns undefined if it is allowed, otherwise the time until the next one is, in seconds
   */
  take(client: string): number | undefined {
    const seconds = this.wait(client);
    if (seconds !== undefined) {
      this.#rejected += 1;
      return seconds;
    }
    this.#buckets.set(client, { tokens: this.#tokensOf(client) - 1, at: this.#clock() });
    return undefined;
  }

  /** The time until a request of a client is allowed, in seconds; undefined if it is now. */
  wait(client: string): number | undefined {
    const tokens = this.#tokensOf(client);
    return tokens >= 1 ? undefined : Math.ceil((1 - tokens) / this.#options.perSecond);
  }

  #tokensOf(client: string): number {
    const { perSecond, burst } = this.#options;
    const known = this.#buckets.get(client);
    return known ? Math.min(burst, known.tokens + ((this.#clock() - known.at) / 1_000) * perSecond) : burst;
  }
}

/** The error for a client above the rate limit. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError("TooManyRequests", `too many requests from your address: try again in ${seconds} s`);
}
