import type { Logger } from "pino";

/** How to gather. */
export interface GathererOptions<T> {
  /** Milliseconds for which what a peer sends is gathered; 0: not at all. */
  readonly gatherMs: number;
  /** Takes what was gathered of one peer, in the order it came; what it throws is logged. */
  readonly take: (items: readonly T[]) => void;
  readonly log: Logger;
}

/** Most bytes gathered of one peer before they are handed on. */
const MAX_GATHERED_SIZE = 4 * 1024 * 1024;

interface Gathered<T> {
  readonly items: T[];
  readonly timer: NodeJS.Timeout;
  size: number;
}

/** Gathers the transactions that each peer pushes within a time, to hand them on together. */
export class Gatherer<T> {
  readonly #options: GathererOptions<T>;
  readonly #gathered = new Map<string, Gathered<T>>();

  constructor(options: GathererOptions<T>) {
    this.#options = options;
  }

  /** Adds what a peer sent, which took `size` bytes. */
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

  /** Forgets what was not handed on yet. */
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
      this.#options.log.warn({ peer, reason: (error as Error).message }, "devnet: a batch of transactions was dropped");
    }
  }
}
