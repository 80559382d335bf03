import type { ExecutionResult } from "graphql";
import type { ClientLimit } from "../clients/client-limit.js";
import type { FairQueue } from "../clients/fair-queue.js";

/** Where a result counts, and for whom. */
interface Place {
  readonly limit: ClientLimit;
  readonly key: string;
}

export interface PacedAnswersOptions<Event, Result extends ExecutionResult> {
  readonly events: AsyncIterator<Event>;
  /** Creates the result of an event. @param signal aborted when the operation ends */
  readonly answer: (event: Event, signal: AbortSignal) => Promise<Result> | Result;
  /** Key of the client. */
  readonly client: string;
  /** Results are created in the client's turns. */
  readonly steps: FairQueue;
  /** Bound the results that are created and not yet sent, if their reader reports sending. */
  readonly places?: { readonly ofConnection: Place; readonly ofClient: Place };
  /** Whether a result takes so little memory that it counts for the client only until it is created. */
  readonly isSmall?: (result: Result) => boolean;
  /** The result when a limit rejects: without it, the result is still awaited. */
  readonly rejection?: ((error: unknown) => Result) | undefined;
}

/**
 * The results of an operation, each created when there is room for it: the reader has sent one result when it
 * requests the next, so the memory of many operations of one client is bounded. `return()` ends it at once.
 */
export class PacedAnswers<Event, Result extends ExecutionResult> implements AsyncIterableIterator<Result> {
  readonly #options: PacedAnswersOptions<Event, Result>;
  readonly #ended = new AbortController();
  /** The result was sent, or is not wanted any more. */
  #sent: () => void = () => undefined;

  constructor(options: PacedAnswersOptions<Event, Result>) {
    this.#options = options;
  }

  async next(): Promise<IteratorResult<Result>> {
    this.#sent();
    const event = await this.#options.events.next();
    if (event.done) return { value: undefined, done: true };
    const value = await new Promise<Result | undefined>((resolve, reject) => {
      this.#answer(event.value, resolve).catch(reject);
    });
    return value ? { value, done: false } : { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Result>> {
    this.#ended.abort();
    this.#sent();
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

  /**
   * Creates the result of an event in its places, which it leaves when the result was sent. Starts anew however often a
   * limit rejects: an event without a result would be missed.
   * @param deliver receives the result; undefined when the operation has ended
   */
  async #answer(event: Event, deliver: (result: Result | undefined) => void): Promise<void> {
    const { rejection } = this.#options;
    let hasStarted = false;
    do {
      try {
        await this.#inPlaces((isSent) => {
          hasStarted = true;
          return this.#create(event, deliver, isSent);
        });
      } catch (error) {
        if (this.#ended.signal.aborted) return deliver(undefined);
        if (hasStarted) throw error;
        if (rejection) return deliver(rejection(error));
      }
    } while (!hasStarted);
  }

  /** @returns whether the result is small */
  async #create(event: Event, deliver: (result: Result | undefined) => void, isSent: Promise<void>): Promise<boolean> {
    const { steps, client, answer, isSmall } = this.#options;
    const { signal } = this.#ended;
    const result = await steps.run(client, () => (signal.aborted ? undefined : answer(event, signal)));
    deliver(result);
    if (!result) this.#sent();
    if (!result || isSmall?.(result)) return true;
    await isSent;
    return false;
  }

  async #inPlaces(create: (isSent: Promise<void>) => Promise<boolean>): Promise<void> {
    const isSent = new Promise<void>((resolve) => {
      this.#sent = resolve;
    });
    const { places } = this.#options;
    if (!places) {
      await create(isSent);
      return;
    }
    const { ofConnection, ofClient } = places;
    const { signal } = this.#ended;
    await ofConnection.limit.run(ofConnection.key, signal, async () => {
      await ofClient.limit.run(ofClient.key, signal, () => create(isSent));
      await isSent;
    });
  }
}
