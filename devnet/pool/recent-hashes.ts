import { mapKey } from "../../ledger/trees/state-table.js";

/** How long hashes are remembered. */
export interface RecentHashesOptions {
  /** Milliseconds; 0 = not at all. */
  readonly durationMs: number;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
}

/** Milliseconds between two clean-ups. */
const PRUNE_INTERVAL = 90_000;
/** Maximum number of remembered hashes: further ones count as new. */
const MAX_SIZE = 1_000_000;

/**
 * Recently seen hashes: a node does not check a pushed transaction twice, whatever the first result was (catapult
 * `consumers/RecentHashCache`).
 */
export class RecentHashes {
  readonly #options: RecentHashesOptions;
  readonly #seen = new Map<string, number>();
  #prunedAt: number;

  constructor(options: RecentHashesOptions) {
    this.#options = options;
    this.#prunedAt = options.now();
  }

  /** Remembers a hash (32 bytes). Returns whether it is new; if not, its time is renewed. */
  add(hash: Buffer): boolean {
    const { durationMs, now } = this.#options;
    if (durationMs === 0) return true;
    const time = now();
    this.#prune(time);
    const key = mapKey(hash);
    const isKnown = this.#seen.has(key);
    if (isKnown || this.#seen.size < MAX_SIZE) this.#seen.set(key, time);
    return !isKnown;
  }

  #prune(time: number): void {
    if (time - this.#prunedAt < PRUNE_INTERVAL) return;
    this.#prunedAt = time;
    for (const [key, seenAt] of this.#seen) if (seenAt + this.#options.durationMs < time) this.#seen.delete(key);
  }
}
