import type { ExecutionResult } from "graphql";
import type { FairGate, Release } from "../clients/fair-gate.js";
import type { FairTurns } from "../clients/fair-turns.js";

export interface PacedAnswersOptions<Event, Result extends ExecutionResult> {
  readonly events: AsyncIterator<Event>;
  /** Creates the result of an event. */
  readonly answer: (event: Event) => Promise<Result> | Result;
  /** Key of the client. */
  readonly client: string;
  /** Results are created in the client's turns. */
  readonly turns: FairTurns;
  /** Bound the results that are created and not yet sent, if their reader reports sending; entered in this order. */
  readonly gates?: readonly { readonly gate: FairGate; readonly key: string }[];
  /** Whether a result takes so little memory that it leaves all gates but the first before it is sent. */
  readonly isSmall?: (result: Result) => boolean;
  /** The result when a gate rejects: without it, the result is still awaited. */
  readonly rejection?: ((error: unknown) => Result) | undefined;
}

/**
 * The results of an operation, each created when there is room for it: the reader has sent one result when it
 * requests the next, so the memory of many operations of one client is bounded. `return()` ends it at once.
 */
export class PacedAnswers<Event, Result extends ExecutionResult> implements AsyncIterableIterator<Result> {
  readonly #options: PacedAnswersOptions<Event, Result>;
  readonly #releases: Release[] = [];
  #isOver = false;

  constructor(options: PacedAnswersOptions<Event, Result>) {
    this.#options = options;
  }

  async next(): Promise<IteratorResult<Result>> {
    this.#leave();
    const { events, answer, client, turns, gates = [], rejection, isSmall } = this.#options;
    const event = await events.next();
    if (event.done || this.#isOver) return { value: undefined, done: true };
    for (const { gate, key } of gates) {
      try {
        this.#releases.push(await (rejection ? gate.enter(key) : enterAtLast(gate, key)));
      } catch (error) {
        this.#leave();
        return { value: rejection!(error), done: false };
      }
    }
    const value = await turns.run(client, () => (this.#isOver ? undefined : answer(event.value)));
    if (value) {
      if (isSmall?.(value)) this.#leave(1);
      return { value, done: false };
    }
    this.#leave();
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Result>> {
    this.#isOver = true;
    this.#leave();
    await this.#options.events.return?.();
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<Result>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Leaves the gates, except the first ones. */
  #leave(except = 0): void {
    for (const release of this.#releases.splice(except)) release();
  }
}

/** Retries however often the gate rejects: an event without a result would be missed. */
async function enterAtLast(gate: FairGate, key: string): Promise<Release> {
  for (;;) {
    const release = await gate.enter(key).catch(() => undefined);
    if (release) return release;
  }
}
