import type { Logger } from "pino";

/** Options of a {@link Gatherer}. */
export interface GathererOptions<T> {
  /** Milliseconds for which the items of a peer are collected; 0 = not at all. */
  readonly gatherMs: number;
  /** Processes the collected items of one peer, in order of arrival; an error is logged. */
  readonly take: (items: readonly T[]) => void;
  readonly log: Logger;
}

/** Maximum bytes collected from one peer before they are processed. */
const MAX_GATHERED_SIZE = 4 * 1024 * 1024;

interface Gathered<T> {
  readonly items: T[];
  readonly timer: NodeJS.Timeout;
  size: number;
}

/** Collects the transactions that each peer pushes within a time, to process them together. */
export class Gatherer<T> {
  readonly #options: GathererOptions<T>;
  readonly #gathered = new Map<string, Gathered<T>>();

  constructor(options: GathererOptions<T>) {
    this.#options = options;
  }

  /** Adds items of a peer, `size` bytes in total. */
  add(items: readonly T[], size: number, peer: string): void {
    const { gatherMs } = this.#options;
    if (gatherMs === 0) {
      this.#handOn(items, peer);
      return;
    }
    const gathered = this.#gathered.get(peer) ?? {
      items: [],
      timer: setTimeout(() => this.#flush(peer), gatherMs),
      size: 0,
    };
    this.#gathered.set(peer, gathered);
    gathered.items.push(...items);
    gathered.size += size;
    if (gathered.size > MAX_GATHERED_SIZE) this.#flush(peer);
  }

  /** Discards what was not processed yet. */
  stop(): void {
    for (const { timer } of this.#gathered.values()) clearTimeout(timer);
    this.#gathered.clear();
  }

  #flush(peer: string): void {
    const gathered = this.#gathered.get(peer);
    if (!gathered) return;
    clearTimeout(gathered.timer);
    this.#gathered.delete(peer);
    this.#handOn(gathered.items, peer);
  }

  #handOn(items: readonly T[], peer: string): void {
    try {
      this.#options.take(items);
    } catch (error) {
      this.#options.log.warn({ peer, reason: (error as Error).message }, "devnet: dropped a batch of transactions");
    }
  }
}
