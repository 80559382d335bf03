import type { DatabaseWatch } from "../../database/statement.js";
import { ApiError, invalidArgument, serviceUnavailable } from "./errors.js";

/** Limits of one operation. */
export interface OperationLimits {
  /** Maximum number of statements. */
  readonly statements: number;
  /** Maximum number of rows read. */
  readonly rows: number;
  /** Maximum duration, in ms. */
  readonly timeMs: number;
}

/** An operation has ended because its client has disconnected. */
export class ClientGone extends ApiError {
  constructor() {
    super("ServiceUnavailable", "the client has disconnected");
  }
}

/** Meters one operation, and ends it when it exceeds a limit: then every further statement is rejected. */
export class OperationMeter implements DatabaseWatch {
  readonly #ended: Promise<never>;
  #statements = 0;
  #rows = 0;
  #limits: OperationLimits;
  readonly #timer: NodeJS.Timeout;
  #reason: ApiError | undefined;
  #reject: (reason: ApiError) => void = () => undefined;

  /** The time starts to count. */
  constructor(limits: OperationLimits) {
    this.#limits = limits;
    this.#ended = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // It may never be awaited.
    this.#ended.catch(() => undefined);
    const message = `the operation took longer than ${limits.timeMs} ms and was aborted: request less at once`;
    this.#timer = setTimeout(() => this.end(serviceUnavailable(message)), limits.timeMs);
    this.#timer.unref();
  }

  /** Number of statements so far. */
  get statements(): number {
    return this.#statements;
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** @throws ApiError when the operation has ended, or exceeds its statements */
  onStatement(): void {
    if (this.#reason) throw this.#reason;
    this.#statements += 1;
    const { statements } = this.#limits;
    if (this.#statements > statements) {
      throw invalidArgument(`the operation needs more than ${statements} database statements: request less at once`);
    }
  }

  /** @throws ApiError InvalidArgument when the operation exceeds its rows */
  onRows(count: number): void {
    this.#rows += count;
    const { rows } = this.#limits;
    if (this.#rows > rows) {
      throw invalidArgument(`the operation needs more than ${rows} database rows: request less at once`);
    }
  }

  /** The result of the operation, unless it times out before. @throws ApiError ServiceUnavailable then */
  async race<Result>(result: Promise<Result> | Result): Promise<Result> {
    try {
      return await Promise.race([result, this.#ended]);
    } finally {
      this.end();
    }
  }

  /** Lifts all limits: for subscriptions, which continue as long as the client listens. */
  release(): void {
    clearTimeout(this.#timer);
    this.#limits = { statements: Infinity, rows: Infinity, timeMs: Infinity };
  }

  /** Ends the operation: it is complete, its client has disconnected, or it timed out. */
  end(reason: ApiError = new ClientGone()): void {
    clearTimeout(this.#timer);
    this.#reason ??= reason;
    this.#reject(reason);
  }
}
