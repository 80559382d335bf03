import { ApiError, serviceUnavailable } from "../../schema/errors/errors.js";

export interface ClientLimitOptions {
  /** Slots in total; default no limit. */
  readonly total?: number;
  /** Slots per client; default no limit. */
  readonly perClient?: number;
  /** Queued work per client; default no limit. */
  readonly waiting?: number;
  /** The message of status 429 for work above that. */
  readonly tooMany?: string;
}

/** Work in the queue. */
interface Waiting {
  /** Starts it: its slot is taken. */
  readonly start: () => void;
  readonly fail: (reason: Error) => void;
}

/**
 * Bounds the work that runs at one time, in total and per client. Further work is queued: clients take turns, however
 * much each of them has queued, and the work of one client runs first come, first served.
 */
export class ClientLimit {
  readonly #options: Required<ClientLimitOptions>;
  /** Slots in use by client. */
  readonly #held = new Map<string, number>();
  /** The queues in the order in which clients are served next. */
  readonly #queues = new Map<string, Waiting[]>();
  #size = 0;

  constructor(options: ClientLimitOptions) {
    const none = Number.POSITIVE_INFINITY;
    this.#options = { total: none, perClient: none, waiting: none, tooMany: "too many requests at once", ...options };
  }

  /** Number of slots in use. */
  get held(): number {
    return this.#size;
  }

  /**
   * Runs work of a client in a slot of its own, which it gives back when it has ended, whatever its outcome.
   * @param signal the client has disconnected: work that waits leaves the queue; work that runs watches it itself
   * @returns the result of the work
   * @throws what the work throws; the signal's reason; ApiError TooManyRequests above the length of the queue; the
   *   argument of {@link rejectWaiting}
   */
  async run<Result>(
    client: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result> | Result,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#hasRoom(client)) this.#take(client);
    else await this.#waitForSlot(client, signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#giveBack(client);
    }
  }

  /** Rejects all queued work. @returns its amount */
  rejectWaiting(reason: Error): number {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    for (const { fail } of all) fail(reason);
    return all.length;
  }

  #hasRoom(client: string): boolean {
    return this.#size < this.#options.total && (this.#held.get(client) ?? 0) < this.#options.perClient;
  }

  #take(client: string): void {
    this.#size += 1;
    this.#held.set(client, (this.#held.get(client) ?? 0) + 1);
  }

  #giveBack(client: string): void {
    this.#size -= 1;
    const left = this.#held.get(client)! - 1;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
    this.#startNext();
  }

  /** Resolves when a slot was taken for this work. */
  async #waitForSlot(client: string, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#queues.get(client) ?? [];
    if (queue.length >= this.#options.waiting) throw new ApiError("TooManyRequests", this.#options.tooMany);
    let leave = (): void => undefined;
    try {
      await new Promise<void>((start, fail) => {
        const own = { start, fail };
        queue.push(own);
        this.#queues.set(client, queue);
        leave = () => {
          const index = queue.indexOf(own);
          if (index < 0) return;
          queue.splice(index, 1);
          if (queue.length === 0 && this.#queues.get(client) === queue) this.#queues.delete(client);
          fail(signal?.reason as Error);
        };
        signal?.addEventListener("abort", leave);
      });
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #startNext(): void {
    for (const [client, queue] of this.#queues) {
      if (!this.#hasRoom(client)) continue;
      const next = queue.shift();
      this.#queues.delete(client);
      if (queue.length > 0) this.#queues.set(client, queue);
      if (!next) continue;
      this.#take(client);
      next.start();
      return;
    }
  }
}

/**
 * The limits whose work depends on the database. When it becomes silent, the work that runs fails after the statement
 * timeout; work queued after it would fail one such time later, and so on: it is rejected together with the first.
 */
export class ClientLimits {
  readonly #limits = new Map<string, ClientLimit[]>();

  /** A limit; `name` is that of its metric. */
  create(name: string, options: ClientLimitOptions): ClientLimit {
    const limit = new ClientLimit(options);
    this.#limits.set(name, [...(this.#limits.get(name) ?? []), limit]);
    return limit;
  }

  /** Number of slots in use by the names of the limits. */
  held(): readonly (readonly [name: string, held: number])[] {
    return [...this.#limits].map(([name, limits]) => [name, limits.reduce((sum, { held }) => sum + held, 0)]);
  }

  /** The database is silent: rejects all queued work with ServiceUnavailable. @returns its amount */
  rejectWaiting(): number {
    const error = serviceUnavailable("the database is unreachable or did not answer in time");
    return [...this.#limits.values()].flat().reduce((count, limit) => count + limit.rejectWaiting(error), 0);
  }
}
