import type { DatabaseWatch } from "../../database/lists/operation-db.js";
import { ApiError, invalidArgument, serviceUnavailable } from "./errors.js";

/** How much one operation may do. */
export interface OperationLimits {
  /** Statements that it may run. */
  readonly statements: number;
  /** Rows that it may read. */
  readonly rows: number;
  /** Time that it may take, in ms. */
  readonly timeMs: number;
}

/** Counts what one operation does, and ends it when that is too much: every further statement is refused then. */
export class OperationMeter implements DatabaseWatch {
  readonly #ended: Promise<never>;
  #statements = 0;
  #rows = 0;
  #limits: OperationLimits;
  readonly #timer: NodeJS.Timeout;
  #reason: ApiError | undefined;
  #reject: (reason: ApiError) => void = () => undefined;

  /** The time begins to run. */
  constructor(limits: OperationLimits) {
    this.#limits = limits;
    this.#ended = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // Nobody may be waiting for it.
    this.#ended.catch(() => undefined);
    const message = `the operation took longer than ${limits.timeMs} ms and was ended: ask for less at once`;
    this.#timer = setTimeout(() => this.end(serviceUnavailable(message)), limits.timeMs);
    this.#timer.unref();
  }

  /** Statements that were run until now. */
  get statements(): number {
    return this.#statements;
  }

  /** Rows that were read until now. */
  get rows(): number {
    return this.#rows;
  }

  /** @throws ApiError when the operation is ended, or runs a statement more than it may */
  onStatement(): void {
    if (this.#reason) throw this.#reason;
    this.#statements += 1;
    const { statements } = this.#limits;
    if (this.#statements > statements) {
      throw invalidArgument(
        `the operation needs more than ${statements} questions to the database: ask for less at once`,
      );
    }
  }

  /** @throws ApiError InvalidArgument when the operation reads more than it may */
  onRows(count: number): void {
    this.#rows += count;
    const { rows } = this.#limits;
    if (this.#rows > rows) {
      throw invalidArgument(`the operation needs more than ${rows} rows of the database: ask for less at once`);
    }
  }

  /** The result of the operation, unless its time is over before. @throws ApiError ServiceUnavailable then */
  async race<Result>(result: Promise<Result> | Result): Promise<Result> {
    try {
      return await Promise.race([result, this.#ended]);
    } finally {
      this.end();
    }
  }

  /** Lifts all limits: for subscriptions, which go on as long as somebody listens. */
  release(): void {
    clearTimeout(this.#timer);
    this.#limits = { statements: Infinity, rows: Infinity, timeMs: Infinity };
  }

  /** Ends the operation: it has its answer, nobody waits for it any more, or its time is over. */
  end(reason: ApiError = new ApiError("ServiceUnavailable", "nobody waits for the operation any more")): void {
    clearTimeout(this.#timer);
    this.#reason ??= reason;
    this.#reject(reason);
  }
}
