/** Limits of a {@link FairGate}. */
export interface FairGateLimits {
  /** In total; default no limit. */
  readonly total?: number;
  /** Per client; default no limit. */
  readonly perClient?: number;
}

/** Releases a place; further calls have no effect. */
export type Release = () => void;

/** A queued entry. */
interface Waiting {
  readonly resolve: (release: Release) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Admits a bounded number of holders at one time, in total and per client. Further ones are queued: clients take
 * turns, however many each of them has queued; those of one client are admitted first come, first served.
 */
export class FairGate {
  readonly #total: number;
  readonly #perClient: number;
  /** Inside, by client. */
  readonly #inside = new Map<string, number>();
  /** In the order in which clients are served next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;

  constructor({ total = Number.POSITIVE_INFINITY, perClient = Number.POSITIVE_INFINITY }: FairGateLimits) {
    this.#total = total;
    this.#perClient = perClient;
  }

  /** Number of queued entries of a client. */
  waiting(client: string): number {
    return this.#waiting.get(client)?.length ?? 0;
  }

  /** Admits one more of this client if possible now. */
  tryEnter(client: string): Release | undefined {
    return this.#hasRoom(client) ? this.#admit(client) : undefined;
  }

  /**
   * Resolves when one more of this client is admitted; it must be released once.
   * @throws the argument of {@link rejectWaiting}
   */
  enter(client: string): Promise<Release> {
    const release = this.tryEnter(client);
    if (release) return Promise.resolve(release);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(client);
      if (waiting) waiting.push({ resolve, reject });
      else this.#waiting.set(client, [{ resolve, reject }]);
    });
  }

  /** Rejects all queued entries. @returns their number */
  rejectWaiting(reason: Error): number {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { reject } of all) reject(reason);
    return all.length;
  }

  #hasRoom(client: string): boolean {
    return this.#size < this.#total && (this.#inside.get(client) ?? 0) < this.#perClient;
  }

  #admit(client: string): Release {
    this.#size += 1;
    this.#inside.set(client, (this.#inside.get(client) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#size -= 1;
      const left = this.#inside.get(client)! - 1;
      if (left > 0) this.#inside.set(client, left);
      else this.#inside.delete(client);
      this.#letNextIn();
    };
  }

  #letNextIn(): void {
    for (const [client, waiting] of this.#waiting) {
      if (this.#size >= this.#total) return;
      if (!this.#hasRoom(client)) continue;
      const next = waiting.shift();
      this.#waiting.delete(client);
      if (waiting.length > 0) this.#waiting.set(client, waiting);
      next?.resolve(this.#admit(client));
      return;
    }
  }
}
