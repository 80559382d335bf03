/** A step of work of one client; returns true if there is more to do. */
export type Step = () => boolean;

/** Maximum time of steps in one turn of the event loop, in ms: the delay for everything else in the loop. */
const TURN_MS = 2;

/**
 * Runs steps of work of many clients in bounded turns of the event loop. Clients take turns, however many steps each
 * of them has; the steps of one client run in the order in which they were added. A step with more to do goes to the
 * end.
 */
export class FairQueue {
  /** In the order in which clients are served next. */
  readonly #clients = new Map<string, Step[]>();
  #next: NodeJS.Immediate | undefined;

  /** Runs a step of a client in one of the next turns. */
  add(client: string, step: Step): void {
    const steps = this.#clients.get(client);
    if (steps) steps.push(step);
    else this.#clients.set(client, [step]);
    this.#next ??= setImmediate(this.#run);
  }

  /** Runs work of a client in one of the next turns. @returns its result */
  run<Result>(client: string, work: () => Promise<Result> | Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.add(client, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
        return false;
      });
    });
  }

  /** Drops all steps that have not run. */
  close(): void {
    this.#clients.clear();
    clearImmediate(this.#next);
    this.#next = undefined;
  }

  readonly #run = (): void => {
    const end = performance.now() + TURN_MS;
    do this.#runOne();
    while (this.#clients.size > 0 && performance.now() < end);
    this.#next = this.#clients.size > 0 ? setImmediate(this.#run) : undefined;
  };

  #runOne(): void {
    const [first] = this.#clients;
    if (!first) return;
    const [client, steps] = first;
    this.#clients.delete(client);
    const step = steps.shift();
    // Before the step runs: it may add another one, or close this.
    if (steps.length > 0) this.#clients.set(client, steps);
    try {
      if (step?.()) this.add(client, step);
    } catch (error) {
      // A fault of ours ends the work of one client. The process reports it as a rejection that nothing handles.
      void Promise.reject(error);
    }
  }
}
