import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import { ApiError } from "../../schema/services/errors.js";
import { clientAddress, clientOf, TrustedProxies } from "./client-address.js";

/** Rate limit of one client. */
export interface RateLimitOptions {
  /** Sustained requests per second. */
  readonly perSecond: number;
  /** Maximum burst after a pause. */
  readonly burst: number;
  /** IP addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

/** Maximum number of tracked clients; above it those idle for longest are forgotten. */
const MAX_CLIENTS = 100_000;

interface Bucket {
  /** Requests left. */
  tokens: number;
  /** Time at which `tokens` was computed, in ms. */
  at: number;
}

/**
 * A token bucket per client. A client is an IPv4 address or an IPv6 /64, behind trusted proxies the one that they
 * report.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #proxies: TrustedProxies;
  readonly #clock: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CLIENTS });
  #rejected = 0;

  /**
   * @param clock milliseconds of a monotonic clock
   * @throws RangeError naming an invalid trusted proxy
   */
  constructor(options: RateLimitOptions, clock: () => number = () => performance.now()) {
    this.#options = options;
    this.#proxies = new TrustedProxies(options.trustedProxies);
    this.#clock = clock;
  }

  /** Number of requests rejected since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  /**
   * Counts a request.
   * @returns undefined if it is allowed, otherwise the time until the next one is, in seconds
   */
  take(request: IncomingMessage): number | undefined {
    const { perSecond, burst } = this.#options;
    const client = clientOf(clientAddress(request, this.#proxies));
    const now = this.#clock();
    const known = this.#buckets.get(client);
    const tokens = known ? Math.min(burst, known.tokens + ((now - known.at) / 1_000) * perSecond) : burst;
    const isAllowed = tokens >= 1;
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    if (isAllowed) return undefined;
    this.#rejected += 1;
    return Math.ceil((1 - tokens) / perSecond);
  }
}

/** The error for a client above the rate limit. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError("TooManyRequests", `too many requests from your address: try again in ${seconds} s`);
}

/** Rejects requests above the limit with 429 and Retry-After. */
export function limitRate(limit: RateLimit): RequestHandler {
  return (request, response, next) => {
    const seconds = limit.take(request);
    if (seconds === undefined) return next();
    response.setHeader("Retry-After", seconds);
    throw tooManyRequests(seconds);
  };
}
