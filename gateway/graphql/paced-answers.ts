import type { ExecutionResult } from "graphql";
import type { Release } from "../fair-gate.js";

export interface PacedAnswersOptions<Event> {
  readonly events: AsyncIterator<Event>;
  /** Makes the answer to an event. */
  readonly answer: (event: Event) => Promise<ExecutionResult> | ExecutionResult;
  /** Resolves when one more answer may be made; it is released when that was sent. */
  readonly enter: () => Promise<Release>;
}

/**
 * The answers of an operation, each of which is made when there is room for it: the reader has sent one answer when it
 * asks for the next, so what many operations of one client keep in memory is bounded. `return()` ends it at once.
 */
export class PacedAnswers<Event> implements AsyncIterableIterator<ExecutionResult> {
  readonly #options: PacedAnswersOptions<Event>;
  #release: Release | undefined;
  #isOver = false;

  constructor(options: PacedAnswersOptions<Event>) {
    this.#options = options;
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    this.#leave();
    const { events, answer, enter } = this.#options;
    const event = await events.next();
    if (event.done || this.#isOver) return { value: undefined, done: true };
    this.#release = await enter();
    if (!this.#isOver) return { value: await answer(event.value), done: false };
    this.#leave();
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#isOver = true;
    this.#leave();
    await this.#options.events.return?.();
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<ExecutionResult>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #leave(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
