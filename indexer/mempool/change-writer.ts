import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "../../catapult/wire/backoff.js";
import { classifyDatabaseFailure, reportDatabaseLost } from "../../database/outage.js";
import type { IndexContext } from "../chain/step/index-context.js";
import type { Change } from "./change.js";
import { type MempoolContext, writeMempoolStep } from "./mempool-step.js";

/** Maximum number of changes per database transaction: other writers wait for its end. */
const MAX_CHANGES = 1_000;
/**
 * Maximum number of changes held back for a roll-back; above it those of the oldest transactions are dropped, and polling
 * the node's pool finds them.
 */
const MAX_REVERTING = 50_000;
/** How long an addition of a confirmed transaction may mean that its block is about to be dropped, in ms. */
const REVERTING_MS = 60_000;

/** SQLSTATE classes of errors caused by the data: data exception, constraint, program limit. */
const DATA_ERRORS = /^(22|23|54)/;

const FAILED = "Writing pending transactions failed; trying again";

/**
 * Writes changes in order, each until it succeeds: while the database is unreachable, it waits. A change that cannot
 * be written at all is skipped, alone and with a log line.
 */
export class ChangeWriter {
  readonly #context: MempoolContext & Pick<IndexContext, "log">;
  readonly #signal: AbortSignal;
  /** Of each transaction that is still in a block here: its addition, all that followed, and when the addition arrived. */
  readonly #reverting = new Map<string, { readonly changes: Change[]; readonly at: number }>();
  /** Number of these changes. */
  #held = 0;
  /** Whether blocks were dropped since the last batch. */
  #hasRolledBack = false;
  #queue: Change[] = [];
  #draining: Promise<void> | undefined;

  /** @param signal stops it */
  constructor(context: MempoolContext & Pick<IndexContext, "log">, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Number of changes that are not written yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Queues changes after all previous ones. Resolves when the queue is empty, or when it is stopped. */
  write(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return this.written();
    this.#queue = this.#queue.concat(changes);
    return this.#start();
  }

  /** Resolves when the queue is empty, or when it is stopped. */
  written(): Promise<void> {
    return this.#draining ?? Promise.resolve();
  }

  /**
   * Applies, after a roll-back, what arrived since a transaction was added while its old block existed: with what is in
   * the batch that is being written, and before changes that arrived later.
   */
  afterRollBack(): Promise<void> {
    this.#hasRolledBack = true;
    return this.#start();
  }

  #start(): Promise<void> {
    if (this.#signal.aborted) return this.written();
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    while ((this.#queue.length > 0 || this.#hasRolledBack) && !this.#signal.aborted) {
      if (this.#hasRolledBack) this.#queue = [...this.#takeReverting(), ...this.#queue];
      this.#hasRolledBack = false;
      await this.#writeBatch(this.#queue.splice(0, MAX_CHANGES));
    }
    this.#queue = [];
    // At once, without a pause in which more could be added.
    this.#draining = undefined;
  }

  #takeReverting(): Change[] {
    const since = performance.now() - REVERTING_MS;
    const held = [...this.#reverting.values()];
    this.#reverting.clear();
    this.#held = 0;
    return held.flatMap(({ changes, at }) => (at >= since ? changes : []));
  }

  async #writeBatch(changes: readonly Change[]): Promise<void> {
    const { log } = this.#context;
    const signal = this.#signal;
    const backoff = new Backoff({ initialMs: 200, maxMs: 5_000 });
    while (!signal.aborted) {
      try {
        const { confirmed, tooMany } = await writeMempoolStep(this.#context, changes, signal);
        if (tooMany > 0) log.warn({ tooMany }, "Too many pending transactions; skipping these");
        this.#remember(changes, confirmed);
        return;
      } catch (error) {
        if (isAboutData(error)) {
          await this.#leaveOut(changes, error);
          return;
        }
        if (signal.aborted) return;
        const retryMs = Math.round(backoff.next());
        if (!reportDatabaseLost(log, error, { retryMs }))
          log[classifyDatabaseFailure(error) ? "warn" : "error"]({ err: error, retryMs }, FAILED);
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
    this.#context.log.error(
      { err: error, kind, hash: hash.toString("hex") },
      "Skipping a transaction that cannot be written",
    );
  }

  #remember(changes: readonly Change[], confirmed: readonly Change[]): void {
    const additions = new Set(confirmed);
    const at = performance.now();
    for (const change of changes) {
      const key = change.hash.toString("hex");
      if (additions.has(change) && !this.#reverting.has(key)) this.#reverting.set(key, { changes: [], at });
      const held = this.#reverting.get(key);
      if (!held) continue;
      held.changes.push(change);
      this.#held += 1;
    }
    for (const [key, held] of this.#reverting) {
      if (this.#held <= MAX_REVERTING) break;
      this.#reverting.delete(key);
      this.#held -= held.changes.length;
    }
  }
}

function isAboutData(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && DATA_ERRORS.test(code);
}
