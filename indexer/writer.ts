import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Backoff } from "../catapult/wire/backoff.js";
import { NodeError, NodeUnavailableError } from "../catapult/wire/errors.js";
import { classifyDatabaseFailure, reportDatabaseLost } from "../database/outage.js";
import { ProcessLock } from "../database/process-lock.js";
import { UnknownNetworkError } from "./chain/step/errors.js";
import type { IndexerLimits } from "./limits/indexer-limits.js";
import type { IndexerMetrics } from "./metrics/metrics.js";

export interface WriterOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly limits: Pick<IndexerLimits, "maxRetryMs">;
}

const FIRST_RETRY_MS = 500;
/** Fewer failures in a row are no reason to hand over the writer lock, however long they take. */
const FAILURES_UNTIL_STUCK = 5;
/** How long the writer lock is left to others, in ms: a standby requests it every second. */
const HAND_OVER_MS = 3_000;

/** A failure that lasts for this time does not pass by itself. */
const LASTING_MS = 60_000;

/** Whether it passes by itself as a rule: a node that is started again, a database that has too much to do. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof NodeError || error instanceof NodeUnavailableError || classifyDatabaseFailure(error) !== undefined
  );
}

/** The writer failed again and again, and leaves the writer lock to a standby. */
export class StuckWriterError extends Error {
  override readonly name = "StuckWriterError";

  /** @param ms for how long nothing has succeeded */
  constructor(failures: number, ms: number, cause: unknown) {
    super(`Nothing has succeeded for ${Math.round(ms / 1_000)} s, in ${failures} attempts`, { cause });
  }
}

/** Decides what follows from failures. */
export interface Failures {
  /** Something was written, or there was nothing to write. */
  succeeded(): void;
  /** @throws what ends the attempts */
  failed(error: unknown): void;
}

/** The failures of an indexer since an attempt last succeeded. */
export class FailureRun implements Failures {
  readonly #stuckAfterMs: number;
  #count = 0;
  #since = 0;

  constructor({ stuckAfterMs }: Pick<IndexerLimits, "stuckAfterMs">) {
    this.#stuckAfterMs = stuckAfterMs;
  }

  succeeded(): void {
    this.#count = 0;
  }

  /** @throws StuckWriterError when there were too many, for too long */
  failed(error: unknown): void {
    const now = performance.now();
    if (this.#count === 0) this.#since = now;
    this.#count += 1;
    const ms = now - this.#since;
    if (this.#count < FAILURES_UNTIL_STUCK || ms < this.#stuckAfterMs) return;
    const stuck = new StuckWriterError(this.#count, ms, error);
    this.#count = 0;
    throw stuck;
  }
}

/**
 * Repeats `work` while this process has the writer lock, as `retryUntil` does; a lost lock aborts the work. While another
 * process has the lock, this one is on standby; and a writer that is stuck leaves the lock to a standby, if there is one,
 * and becomes one itself.
 */
export function writeUntil(
  signal: AbortSignal,
  options: WriterOptions,
  work: (signal: AbortSignal) => Promise<boolean>,
  failures?: Failures,
): Promise<boolean> {
  return retryUntil(signal, options, () => withWriterLock(options, signal, work), failures);
}

/**
 * Repeats `work` until it returns true, or `signal` is aborted; failures are logged, and retried with increasing delays.
 *
 * @param work may report a success before its end: the next delay is the first one again
 * @param failures may end the attempts; without it, the number of failures has no consequences
 * @returns whether it was done
 * @throws what needs another setting, such as UnknownNetworkError; what `failures` throws
 */
export async function retryUntil(
  signal: AbortSignal,
  { log, metrics, limits: { maxRetryMs } }: WriterOptions,
  work: (succeeded: () => void) => Promise<boolean>,
  failures?: Failures,
): Promise<boolean> {
  const backoff = new Backoff({ initialMs: FIRST_RETRY_MS, maxMs: maxRetryMs, jitter: 0 });
  let failingSince: number | undefined;
  const succeeded = () => {
    backoff.reset();
    failingSince = undefined;
  };
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      if (await work(succeeded)) return true;
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof UnknownNetworkError) throw error;
      failures?.failed(error);
      metrics?.count("errors_total");
      const now = performance.now();
      if (now - startedAt > maxRetryMs) succeeded();
      failingSince ??= now;
      const isStuck = error instanceof StuckWriterError;
      const retryMs = Math.max(backoff.next(), isStuck ? HAND_OVER_MS : 0);
      const cause = isStuck ? error.cause : error;
      // What passes by itself is no error before it lasts.
      const level = now - failingSince < LASTING_MS && isPassing(cause) ? "warn" : "error";
      if (isStuck) log[level]({ err: error, retryMs }, "Leaving the writer lock to a standby");
      else if (error instanceof NodeUnavailableError) {
        // The connection has said so, with the reason of each attempt.
        log.debug({ err: error, retryMs }, "No node to follow; trying again");
      } else if (!reportDatabaseLost(log, error, { retryMs }))
        log[level]({ err: error, retryMs }, "Following the node failed; trying again");
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}

async function withWriterLock(
  { databaseUrl, log, metrics }: WriterOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const lock = await ProcessLock.acquire({
    databaseUrl,
    name: "writesIndex",
    applicationName: "symbol-gateway writer lock",
    signal,
    onWaiting: (holder) => log.info({ holder }, "Another indexer writes to this database; waiting to take over"),
  });
  if (!lock) return false;
  metrics?.writes(true);
  try {
    return await work(AbortSignal.any([signal, lock.lost]));
  } finally {
    metrics?.writes(false);
    await lock.release();
  }
}
