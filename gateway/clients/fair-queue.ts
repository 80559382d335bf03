import { setImmediate as nextIteration } from "node:timers/promises";

/** Maximum time of work in one iteration of the event loop, in ms: the delay for everything else in the loop. */
const ITERATION_MS = 2;

/**
 * Shares the event loop among clients: each has one turn after the other, however many it waits for. A turn is the work up
 * to the next `await` of its caller, whose failure is the caller's alone.
 */
export class FairQueue {
  /** What starts the turns of a client; in the order in which clients are served next. */
  readonly #clients = new Map<string, (() => void)[]>();
  #isServing = false;

  /** Resolves when it is a client's turn. */
  turn(client: string): Promise<void> {
    return new Promise((start) => {
      const starts = this.#clients.get(client);
      if (starts) starts.push(start);
      else this.#clients.set(client, [start]);
      if (!this.#isServing) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    await nextIteration();
    let end = performance.now() + ITERATION_MS;
    for (const [client, starts] of this.#clients) {
      this.#clients.delete(client);
      starts.shift()?.();
      // A client with more turns goes to the end, where this loop comes to it again.
      if (starts.length > 0) this.#clients.set(client, starts);
      // The turn is used meanwhile.
      await undefined;
      if (performance.now() < end) continue;
      await nextIteration();
      end = performance.now() + ITERATION_MS;
    }
    this.#isServing = false;
  }
}
