import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import { BlockRejectedError } from "../catapult/verify/verify.js";
import { Backoff } from "../catapult/wire/backoff.js";
import { NodeClient } from "../catapult/wire/node-client.js";
import { openDatabase } from "../database/connection.js";
import type { Db } from "../database/database.js";
import { reportOutage } from "../database/outage.js";
import { readHead } from "../database/queries/head.js";
import { FinalizationProofError } from "../ledger/finalization/verify-proof.js";
import { type Filling, prepareFromNode, prepareFromRaw } from "./backfill-range.js";
import { Executor } from "./chain/execution/executor.js";
import type { ExecutionOptions } from "./chain/execution/options.js";
import { Filler } from "./chain/fill/filler.js";
import type { StageTimes } from "./chain/fill/stage-times.js";
import { reportInvalidProofs } from "./chain/finality/finality.js";
import type { StateOptions } from "./chain/state/options.js";
import { addUpDays } from "./chain/step/daily-sums.js";
import { createDeferredIndexes, vacuumFilled } from "./chain/step/deferred-indexes.js";
import type { FillStatus } from "./metrics/fill-rate.js";
import type { IndexerMetrics } from "./metrics/metrics.js";
import { endsBackfill, isForkRace } from "./nodes/failures.js";
import { withWriterLock } from "./writer.js";

export interface BackfillOptions {
  /** PostgreSQL connection string; migrations must have been run. */
  readonly databaseUrl: string;
  /** Source of blocks: a node, or the bytes in the database. */
  readonly source: "node" | "raw";
  /** Required if the source is a node: tried in this order. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  /** First height; default the one after the index's head with a node, 1 with raw bytes. */
  readonly from?: number | undefined;
  /** Last height; default the node's, or that of the newest raw bytes, at the start. */
  readonly to?: number | undefined;
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether to verify all signatures, or hashes only. */
  readonly verify: "hashes" | "full";
  /** Number of connections to the node, which allows few per identity; default 2. */
  readonly connections?: number;
  /** How long a node may be silent during a response, in ms; default 15,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** As for the indexer. */
  readonly state?: StateOptions | undefined;
  /** How blocks are executed. */
  readonly execution: ExecutionOptions;
  readonly metrics?: IndexerMetrics | undefined;
  /** Called with the progress after each batch. */
  readonly onProgress?: (status: FillStatus) => void;
  /** Maximum delay after an error, in ms; the first one is 500, doubling each time; default 30,000. */
  readonly maxRetryMs?: number;
  /**
   * Minimum number of blocks from which an empty index is filled without most of its database indexes; default 5,000.
   */
  readonly longRange?: number;
}

/** The result of a backfill. */
export interface BackfillReport {
  /** Height of the index. */
  readonly height: number;
  /** Last height of the range. */
  readonly target: number;
  /** Number of blocks written by this run. */
  readonly blocks: number;
  readonly transactions: number;
  readonly ms: number;
  readonly stages: StageTimes;
}

const FIRST_RETRY_MS = 500;
const DEFAULT_CONNECTIONS = 2;
/**
 * Fills a range of the index and ends. Failures of the node or the database are retried with increasing delays; while
 * an indexer writes to the same database, it waits until it is the only writer. It can be stopped and killed
 * anywhere: what is written is complete, and the next run resumes after it.
 * @returns a report; the range is incomplete only if `signal` was aborted
 * @throws BackfillRangeError, WrongNetworkError; BlockRejectedError when a block is invalid, also when it is
 *   requested a second time; an error that occurred too often
 */
export async function backfill(options: BackfillOptions, signal: AbortSignal): Promise<BackfillReport | undefined> {
  const { databaseUrl, log, metrics } = options;
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 3,
    statementTimeoutMs: 0,
    applicationName: "symbol-gateway backfill",
    onError: (error) => reportOutage(log, error),
  });
  metrics?.readFrom(db);
  try {
    return await new Backfill(options, db).run(signal);
  } finally {
    await db.destroy();
  }
}

class Backfill {
  readonly #options: BackfillOptions;
  readonly #db: Db;
  readonly #filler: Filler;
  readonly #startedAt = performance.now();
  #target: number | undefined;
  /** Whether proofs of the nodes were invalid twice. */
  #ignoresInvalidProofs = false;
  #executor: Executor | undefined;
  /** Whether this run has been the only writer. */
  #hasWritten = false;

  constructor(options: BackfillOptions, db: Db) {
    this.#options = options;
    this.#db = db;
    const { jobs, verify, longRange, onProgress } = options;
    this.#filler = new Filler({ jobs, checksSignatures: verify === "full", longRange, onProgress });
  }

  async run(signal: AbortSignal): Promise<BackfillReport | undefined> {
    const { log, metrics, maxRetryMs = 30_000 } = this.#options;
    const backoff = new Backoff({ initialMs: FIRST_RETRY_MS, maxMs: maxRetryMs, jitter: 0 });
    let failures: unknown[] = [];
    while (!signal.aborted) {
      const before = this.#filler.blocks;
      try {
        await this.#fillAsWriter(signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        if (!this.#hasWritten) throw error;
        if (this.#filler.blocks > before) {
          failures = [];
          backoff.reset();
        }
        if (this.#endsUnproven(error)) break;
        if (this.#mayIgnoreProof(error, failures)) {
          this.#ignoresInvalidProofs = true;
          await reportInvalidProofs(error, { db: this.#db, log });
          failures = [];
          continue;
        }
        if (endsBackfill(error, failures)) throw error;
        failures.push(error);
        const retryMs = backoff.next();
        if (isForkRace(error)) {
          log.info({ height: error.height, retryMs }, "The node switched to another branch meanwhile; trying again");
        } else {
          metrics?.failed();
          log.error({ err: error, retryMs }, "Backfill failed; trying again");
        }
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return this.#hasWritten ? this.#report() : undefined;
  }

  /**
   * Fills the range while this process is the only writer; returns early when `signal` is aborted.
   *
   * @throws also when the connection that holds the writer lock is lost: what is written by then is complete
   */
  async #fillAsWriter(signal: AbortSignal): Promise<void> {
    await withWriterLock(this.#options, signal, async (whileWriting) => {
      this.#hasWritten = true;
      await this.#fillOnce(whileWriting);
      if (!signal.aborted) whileWriting.throwIfAborted();
    });
  }

  async #fillOnce(signal: AbortSignal): Promise<void> {
    const { source, nodes, credentials, log, requestTimeoutMs } = this.#options;
    const count = source === "node" ? Math.max(1, this.#options.connections ?? DEFAULT_CONNECTIONS) : 0;
    const clients = Array.from(
      { length: count },
      () => new NodeClient({ nodes: [...nodes], credentials, log, requestTimeoutMs }),
    );
    const close = () => Promise.all(clients.map((client) => client.close()));
    const onAbort = () => void close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const range = { from: this.#options.from, to: this.#target ?? this.#options.to };
      const shared = {
        db: this.#db,
        databaseUrl: this.#options.databaseUrl,
        log,
        range,
        isFirst: this.#target === undefined,
        rules: this.#options.state,
        filler: this.#filler,
        execution: this.#options.execution,
      };
      const [first, ...others] = clients;
      const filling = first ? await prepareFromNode(shared, [first, ...others]) : await prepareFromRaw(shared);
      this.#target = filling.to;
      this.#options.metrics?.polled(filling.sourceHeight);
      this.#filler.show(filling, this.#options.metrics);
      if (filling.head.height < filling.to) await this.#fill(filling, signal);
      if (!signal.aborted) await this.#finish(signal);
    } finally {
      signal.removeEventListener("abort", onAbort);
      await close();
    }
  }

  /**
   * Whether the state differs from that of the network, and votes do not prove the next block yet: then the range ends
   * here, and the indexer continues.
   */
  #endsUnproven(error: unknown): boolean {
    const since = this.#executor?.differsSince;
    if (since === undefined || !(error instanceof BlockRejectedError)) return false;
    if (this.#executor?.rejected?.height !== error.height) return false;
    this.#options.log.warn(
      { height: error.height - 1, since },
      "The state differs from that of the network, and votes prove no further block: the indexer continues from here",
    );
    return true;
  }

  /** Whether a proof was invalid twice: this program may lack a rule about voters, and blocks need no votes. */
  #mayIgnoreProof(error: unknown, failures: readonly unknown[]): error is FinalizationProofError {
    if (this.#options.source !== "node" || this.#ignoresInvalidProofs) return false;
    return error instanceof FinalizationProofError && endsBackfill(error, failures);
  }

  async #finish(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const created = await createDeferredIndexes({ db: this.#db, log: this.#options.log }, signal);
    if (created === 0 && this.#filler.hasWrittenMany) await vacuumFilled(this.#db);
    this.#filler.clock.add({ index: performance.now() - startedAt });
    if (!signal.aborted) await addUpDays(this.#db);
  }

  async #fill(filling: Filling, signal: AbortSignal): Promise<void> {
    const { source, metrics, log } = this.#options;
    const { network, config } = filling;
    const isRaw = source === "raw";
    // What the database has was verified before, when the clock may have been another.
    const now = isRaw ? () => Number.MAX_SAFE_INTEGER : this.#options.execution.now;
    this.#executor ??= new Executor({ db: this.#db, network, config, log, now });
    const range = { ...filling, isRaw, ignoresInvalidProofs: this.#ignoresInvalidProofs };
    await this.#filler.fill(range, { db: this.#db, network, log, metrics, executor: this.#executor }, signal);
  }

  async #report(): Promise<BackfillReport> {
    const head = await readHead(this.#db);
    return {
      height: head?.height ?? 0,
      target: this.#target ?? 0,
      blocks: this.#filler.blocks,
      transactions: this.#filler.transactions,
      ms: performance.now() - this.#startedAt,
      stages: this.#filler.clock.times,
    };
  }
}
