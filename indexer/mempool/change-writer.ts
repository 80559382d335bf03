import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Backoff } from "../../catapult/backoff.js";
import type { Change, PartialAdded, UnconfirmedAdded } from "./change.js";
import { type MempoolStepOptions, writeMempoolStep } from "./mempool-step.js";

export interface ChangeWriterOptions extends MempoolStepOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Changes in one database transaction at most: other writers wait for its end. */
const MAX_CHANGES = 1_000;
/** Additions that may wait for a roll-back; beyond it the oldest go, and a look into the node's pool finds them. */
const MAX_REVERTING = 50_000;

/** SQLSTATE classes of errors that come from what was to be written: data exception, constraint, program limit. */
const DATA_ERRORS = /^(22|23|54)/;

/**
 * Writes changes one batch after another, each until it is written: a database that cannot be reached is waited for.
 * What cannot be written at all is left out, alone and with a line in the log.
 */
export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  /** Additions of transactions that still stand in a block here: the node may have dropped it already. */
  readonly #reverting = new Map<string, UnconfirmedAdded | PartialAdded>();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ChangeWriterOptions) {
    this.#options = options;
  }

  /** Writes changes behind all that were given before. Resolves when they are written, or when it is over. */
  write(changes: readonly Change[]): Promise<void> {
    const written = this.#queue.then(async () => {
      for (let start = 0; start < changes.length; start += MAX_CHANGES) {
        await this.#writeBatch(changes.slice(start, start + MAX_CHANGES));
      }
    });
    this.#queue = written;
    return written;
  }

  /** Tries again, after a roll-back, what was added while its old block stood. */
  afterRollBack(): Promise<void> {
    const changes = [...this.#reverting.values()];
    this.#reverting.clear();
    return this.write(changes);
  }

  async #writeBatch(changes: readonly Change[]): Promise<void> {
    const { log, signal } = this.#options;
    const backoff = new Backoff({ initialMs: 200, maxMs: 5_000 });
    while (!signal.aborted) {
      try {
        this.#remember(changes, await writeMempoolStep(this.#options, changes));
        return;
      } catch (error) {
        if (isAboutData(error)) {
          await this.#leaveOut(changes, error);
          return;
        }
        const retryMs = Math.round(backoff.next());
        log.error({ err: error, retryMs }, "Transactions before the block could not be written; trying again");
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #leaveOut(changes: readonly Change[], error: unknown): Promise<void> {
    const [only] = changes;
    if (!only || changes.length > 1) {
      for (const change of changes) await this.#writeBatch([change]);
      return;
    }
    const { kind, hash } = only;
    this.#options.log.error(
      { err: error, kind, hash: hash.toString("hex") },
      "A transaction cannot be written; it is left out",
    );
  }

  #remember(changes: readonly Change[], confirmed: readonly Change[]): void {
    for (const { kind, hash } of changes) {
      if (kind === "unconfirmedRemoved" || kind === "partialRemoved") this.#reverting.delete(hash.toString("hex"));
    }
    for (const change of confirmed) {
      if (change.kind !== "unconfirmedAdded" && change.kind !== "partialAdded") continue;
      this.#reverting.set(change.hash.toString("hex"), change);
    }
    for (const key of this.#reverting.keys()) {
      if (this.#reverting.size <= MAX_REVERTING) break;
      this.#reverting.delete(key);
    }
  }
}

function isAboutData(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && DATA_ERRORS.test(code);
}
