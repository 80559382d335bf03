import { LRUCache } from "lru-cache";

/** What is stored for a client without being known to be paid for, in bytes an hour: about 12,000 transfers. */
const HOURLY_BYTES = 16 * 1_048_576;
const HOUR_MS = 3_600_000;
/** Of a row with its indexes, a status and its message, besides the payload. */
const ROW_BYTES = 1_024;
/** Of a message, for each address that it concerns. */
const ADDRESS_BYTES = 256;
/** Of more clients within an hour, those that announced longest ago are forgotten. */
const MOST_CLIENTS = 65_536;

/**
 * Bounds what is stored for each client and hour without being paid for: rejections, and announcements of which the index
 * cannot tell whether they will be paid.
 */
export class StoredShare {
  readonly #hourlyBytes: number;
  /** In bytes, since the first of each client's hour. */
  readonly #stored: LRUCache<string, number>;

  /** @param now a clock, in ms */
  constructor(hourlyBytes = HOURLY_BYTES, now: () => number = () => performance.now()) {
    this.#hourlyBytes = hourlyBytes;
    this.#stored = new LRUCache({
      max: MOST_CLIENTS,
      ttl: HOUR_MS,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /**
   * Takes room for a row with a payload of `bytes`, whose messages concern some addresses.
   *
   * @returns false if the client has no room for it
   */
  take(client: string, { addresses, bytes = 0 }: { readonly addresses: number; readonly bytes?: number }): boolean {
    const stored = (this.#stored.get(client) ?? 0) + ROW_BYTES + bytes + addresses * ADDRESS_BYTES;
    if (stored > this.#hourlyBytes) return false;
    this.#stored.set(client, stored);
    return true;
  }
}
