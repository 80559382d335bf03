/** The first wait of a client, in ms; each further one is twice as long. */
const FIRST_MS = 500;
const LONGEST_MS = 60_000;
/** A client that did nothing wrong for this long after its last wait begins anew, in ms. */
const FORGIVEN_AFTER_MS = 60_000;

interface Penalty {
  readonly until: number;
  readonly lastMs: number;
}

/** How long clients wait whose work had to be ended. */
export class Penalties {
  readonly #now: () => number;
  /** The penalties by client, the oldest first. */
  readonly #clients = new Map<string, Penalty>();

  /** @param now a clock, in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Lets a client wait, longer each time. */
  add(client: string): void {
    const now = this.#now();
    this.#forgive(now);
    const before = this.#clients.get(client);
    // What ran side by side is one offence.
    if (before && before.until > now) return;
    const lastMs = before ? Math.min(2 * before.lastMs, LONGEST_MS) : FIRST_MS;
    this.#clients.delete(client);
    this.#clients.set(client, { until: now + lastMs, lastMs });
  }

  /** How long a client still has to wait, in ms; 0 if it has not. */
  waitMs(client: string): number {
    return Math.max(0, (this.#clients.get(client)?.until ?? 0) - this.#now());
  }

  #forgive(now: number): void {
    for (const [client, { until }] of this.#clients) if (until + FORGIVEN_AFTER_MS < now) this.#clients.delete(client);
  }
}
