import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import { ApiError } from "../../schema/services/errors.js";
import { clientAddress, clientOf, TrustedProxies } from "./client-address.js";

/** How many requests one client may send. */
export interface RateLimitOptions {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests that may come at once after a rest. */
  readonly burst: number;
  /** IP addresses and networks of proxies that say in X-Forwarded-For whom they ask for. */
  readonly trustedProxies: readonly string[];
}

/** Clients that are remembered at one time; beyond it those that were idle the longest start afresh. */
const MAX_CLIENTS = 100_000;

interface Bucket {
  /** Requests left. */
  tokens: number;
  /** When `tokens` was right, in ms. */
  at: number;
}

/**
 * A token bucket for each client. A client is an IPv4 address or an IPv6 network of 64 bits, behind trusted proxies the
 * one that they name.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #proxies: TrustedProxies;
  readonly #clock: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CLIENTS });
  #refused = 0;

  /**
   * @param clock milliseconds of a clock that only goes forward
   * @throws RangeError naming a trusted proxy that is no address and no network
   */
  constructor(options: RateLimitOptions, clock: () => number = () => performance.now()) {
    this.#options = options;
    this.#proxies = new TrustedProxies(options.trustedProxies);
    this.#clock = clock;
  }

  /** Requests refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Counts a request.
   * @returns undefined when it may be answered, otherwise the time until the next one may, in seconds
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
    this.#refused += 1;
    return Math.ceil((1 - tokens) / perSecond);
  }
}

/** The answer to a client who asks too often. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError("TooManyRequests", `too many requests from your address: try again in ${seconds} s`);
}

/** Refuses requests beyond the limit with 429 and Retry-After. */
export function limitRate(limit: RateLimit): RequestHandler {
  return (request, response, next) => {
    const seconds = limit.take(request);
    if (seconds === undefined) return next();
    response.setHeader("Retry-After", seconds);
    throw tooManyRequests(seconds);
  };
}
