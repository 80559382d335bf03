import { RateLimit } from "../limits/rate-limit.js";

/** What is stored for a client without being known to be paid for, in bytes an hour: about 12,000 transfers. */
const HOURLY_BYTES = 16 * 1_048_576;
const HOUR_SECONDS = 3_600;
/** Of a row with its indexes, a status and its message, besides the payload. */
const ROW_BYTES = 1_024;
/** Of a message, for each address that it concerns. */
const ADDRESS_BYTES = 256;

/**
 * Bounds what is stored for each client without being paid for: rejections, and announcements of which the index cannot
 * tell whether they will be paid.
 */
export class StoredShare {
  readonly #bytes: RateLimit;

  /** @param now a clock, in ms */
  constructor(hourlyBytes = HOURLY_BYTES, now?: () => number) {
    this.#bytes = new RateLimit({ perSecond: hourlyBytes / HOUR_SECONDS, burst: hourlyBytes }, now);
  }

  /**
   * Takes room for a row with a payload of `bytes`, whose messages concern some addresses.
   *
   * @returns false if the client has no room for it
   */
  take(client: string, { addresses, bytes = 0 }: { readonly addresses: number; readonly bytes?: number }): boolean {
    return this.#bytes.take(client, ROW_BYTES + bytes + addresses * ADDRESS_BYTES) === undefined;
  }
}
