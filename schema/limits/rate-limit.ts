import { LRUCache } from "lru-cache";

/** How fast a bucket is filled. */
export interface Rate {
  /** Tokens that are added per second. */
  readonly perSecond: number;
  /** Maximum number of tokens: what may be spent at once after a pause. */
  readonly burst: number;
}

/** Maximum number of tracked clients; above it those idle for longest are forgotten. */
const MAX_CLIENTS = 100_000;

/** A token bucket, full at first. */
export class Bucket {
  readonly #rate: Rate;
  /** Milliseconds of a monotonic clock. */
  readonly #clock: () => number;
  #tokens: number;
  /** When the tokens were counted. */
  #countedAt: number;

  constructor(rate: Rate, clock: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#countedAt = clock();
  }

  /** Spends tokens, also those that are not there yet. */
  spend(tokens: number): void {
    this.#count();
    this.#tokens -= tokens;
  }

  /** The time until there are this many tokens, in seconds; 0 if there are. */
  wait(tokens: number): number {
    this.#count();
    return Math.max(0, (tokens - this.#tokens) / this.#rate.perSecond);
  }

  #count(): void {
    const now = this.#clock();
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#countedAt) / 1_000) * perSecond);
    this.#countedAt = now;
  }
}

/** A bucket for each client. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: (() => number) | undefined;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CLIENTS });
  #rejected = 0;

  /** @param clock milliseconds of a monotonic clock */
  constructor(rate: Rate, clock?: () => number) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** How often tokens were denied since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  /**
   * Spends tokens of a client, such as one for a request, if there are enough.
   * @returns undefined if there are, otherwise the time until there will be, in whole seconds
   */
  take(client: string, tokens = 1): number | undefined {
    const bucket = this.#bucketOf(client);
    const seconds = bucket.wait(tokens);
    if (seconds > 0) {
      this.#rejected += 1;
      return Math.ceil(seconds);
    }
    bucket.spend(tokens);
    return undefined;
  }

  /** Spends tokens of a client, also those that are not there yet. */
  spend(client: string, tokens: number): void {
    this.#bucketOf(client).spend(tokens);
  }

  /** The time until a client has a token, in whole seconds; undefined if it has one. */
  wait(client: string): number | undefined {
    return Math.ceil(this.#buckets.get(client)?.wait(1) ?? 0) || undefined;
  }

  #bucketOf(client: string): Bucket {
    const bucket = this.#buckets.get(client) ?? new Bucket(this.#rate, this.#clock);
    this.#buckets.set(client, bucket);
    return bucket;
  }
}
