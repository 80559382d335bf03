/** What is stored for a client without being known to be paid for, in bytes an hour: about 12,000 transfers. */
const HOURLY_BYTES = 16 * 1_048_576;
const HOUR_MS = 3_600_000;
/** Of a row with its indexes, a status and its message, besides the payload. */
const ROW_BYTES = 1_024;

/**
 * Bounds what is stored for each client and hour without being paid for: rejections, and announcements of which nobody
 * knows whether they will be paid.
 */
export class StoredShare {
  readonly #hourlyBytes: number;
  readonly #now: () => number;
  #since: number;
  readonly #stored = new Map<string, number>();

  /** @param now a clock, in ms */
  constructor(hourlyBytes = HOURLY_BYTES, now: () => number = () => performance.now()) {
    this.#hourlyBytes = hourlyBytes;
    this.#now = now;
    this.#since = now();
  }

  /** Takes room for a row with a payload of this many bytes. @returns false if the client has no room for it */
  take(client: string, bytes = 0): boolean {
    if (this.#now() - this.#since >= HOUR_MS) {
      this.#stored.clear();
      this.#since = this.#now();
    }
    const stored = (this.#stored.get(client) ?? 0) + bytes + ROW_BYTES;
    if (stored > this.#hourlyBytes) return false;
    this.#stored.set(client, stored);
    return true;
  }
}
