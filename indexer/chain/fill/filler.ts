import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { Db } from "../../../database/database.js";
import type { Finalization, Head } from "../../../database/queries/head.js";
import { FillRate, type FillStatus } from "../../metrics/fill-rate.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import { reportContradiction } from "../finality/finality.js";
import { BlocksMissingError, type Source } from "../source/source.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes, deferIndexes, vacuumFilled } from "../step/deferred-indexes.js";
import { reportStep } from "../step/unknown-rows.js";
import { readPosition } from "../write/head-row.js";
import { StepWriter } from "../write/write.js";
import { DecoderPool } from "./decoder-pool.js";
import { fill, type WrittenBatch } from "./fill.js";
import { type DoubtedBlock, RangeExecutor } from "./range-executor.js";
import { StageClock } from "./stage-times.js";

export interface FillerOptions {
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether all signatures are verified; hashes always are. */
  readonly checksSignatures: boolean;
  /**
   * Minimum number of blocks from which an empty index is filled without most of its database indexes; default 5,000. A
   * range that does not begin at height 1 keeps them.
   */
  readonly longRange?: number | undefined;
  /** Called with the progress at the start, and after each step. */
  readonly onProgress?: ((status: FillStatus) => void) | undefined;
  /** Called after each step. */
  readonly onWritten?: (() => void) | undefined;
}

/** What is filled, and where it comes from. */
export interface FilledRange {
  readonly source: Source;
  readonly head: Head;
  /** Last height. */
  readonly to: number;
  /** The latest final block, as the source claims. */
  readonly finalized: Finalization;
  /** Whether a block with this timestamp ends the range before it. */
  readonly stopsBefore?: ((timestamp: number) => boolean) | undefined;
  readonly ignoresInvalidProofs: boolean;
}

export interface FillPlace {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly executor: Executor;
}

/** From this number of blocks on, it pays to create the database indexes at the end. */
const LONG_RANGE = 5_000;

/** Fills the index in large steps. It outlives failures, after which it continues. */
export class Filler {
  readonly clock = new StageClock();
  readonly #options: FillerOptions;
  /** The block that the last attempt rejected. */
  #doubted: DoubtedBlock | undefined;
  /** Its error, if no attempt before had rejected it. */
  #firstRejection: BlockRejectedError | undefined;
  #blocks = 0;
  #transactions = 0;

  constructor(options: FillerOptions) {
    this.#options = options;
  }

  /** Number of blocks written so far. */
  get blocks(): number {
    return this.#blocks;
  }

  get transactions(): number {
    return this.#transactions;
  }

  /**
   * Whether this error is of a block that a fill rejected for the first time: then it is tried again before anyone is
   * blamed, since votes may overrule what rejected it.
   */
  doubts(error: unknown): boolean {
    return error instanceof BlockRejectedError && error === this.#firstRejection;
  }

  /**
   * Fills the index from its head on. The state in memory is at the end afterwards, or is loaded again when it is used.
   * It ends early where the source changes its branch, and where votes prove no further block of a chain whose state
   * differs.
   *
   * @returns whether anything was written
   * @throws BlockRejectedError, FinalizationProofError; errors of source and database as they are
   */
  async fill(range: FilledRange, place: FillPlace, signal: AbortSignal): Promise<boolean> {
    const { db, log } = place;
    const { head, to, source } = range;
    const { longRange = LONG_RANGE } = this.#options;
    const before = this.#blocks;
    if (head.height === 0 && to >= longRange) await deferIndexes(db);
    try {
      await this.#fill(range, place, signal);
    } catch (error) {
      if (error instanceof BlockRejectedError && error.field === "previousHash" && this.doubts(error))
        log.info({ height: error.height }, `${source.name} switched to another branch meanwhile`);
      else if (error instanceof BlocksMissingError)
        log.info({ reason: error.message }, `${source.name} has fewer blocks than it claims`);
      else if (isUnproven(error, place.executor))
        log.info({ reason: (error as Error).message }, "The state differs, and votes do not prove the next block");
      else throw error;
    }
    // An index that was empty is vacuumed when its indexes are created.
    if (head.height > 0 && this.#blocks - before >= longRange) await vacuumFilled(db);
    return this.#blocks > before;
  }

  async #fill(range: FilledRange, place: FillPlace, signal: AbortSignal): Promise<void> {
    const { db, network, executor } = place;
    const { head, to, source, finalized } = range;
    const { jobs, checksSignatures } = this.#options;
    const rate = new FillRate(head.height);
    this.#show(rate, to, place.metrics);
    await executor.align(head, head);
    const start = await readPosition(db, head);
    const finalizedHeight = head.finalization.height;
    const branches = await source.branches(finalized, executor.config);
    const decoders = new DecoderPool(jobs, { network, checkSignatures: checksSignatures });
    try {
      await fill(
        {
          ...{ source, to, start, decoders, finalizedHeight, clock: this.clock },
          executor: new RangeExecutor({ ...place, ...range, start, finalizedHeight, branches, doubted: this.#doubted }),
          writer: new StepWriter({ db, network }),
          onWritten: (batch) => {
            this.#wrote(batch, place);
            rate.wrote(batch.blocks, batch.transactions);
            this.#show(rate, to, place.metrics);
          },
        },
        signal,
      );
    } catch (error) {
      if (error instanceof BlockRejectedError) {
        const { height, field } = error;
        this.#firstRejection = this.#doubted?.height === height ? undefined : error;
        this.#doubted = { height, field, hash: executor.hashAt(height) };
      }
      throw error;
    } finally {
      await decoders.close();
      place.metrics?.filling(undefined);
    }
  }

  #show(rate: FillRate, to: number, metrics: IndexerMetrics | undefined): void {
    const status = rate.status(to);
    metrics?.filling(status);
    this.#options.onProgress?.(status);
  }

  #wrote(batch: WrittenBatch, place: FillPlace): void {
    const { executor, metrics } = place;
    this.#blocks += batch.blocks;
    this.#transactions += batch.transactions;
    executor.hasWritten = true;
    metrics?.wrote(batch, batch.ms);
    reportStep(batch, place);
    if (batch.contradiction) reportContradiction(batch.contradiction, place);
    this.#options.onWritten?.();
  }
}

/** Whether a block was rejected because the state differs: a check of a state that differs says nothing. */
function isUnproven(error: unknown, { rejected, differsSince }: Executor): boolean {
  return error instanceof BlockRejectedError && rejected?.height === error.height && differsSince !== undefined;
}

/** Does what a fill leaves for its end, unless that is done, or `signal` is aborted. */
export async function finishFill(
  { db, log, filler }: { readonly db: Db; readonly log: Logger; readonly filler?: Filler | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const startedAt = performance.now();
  await createDeferredIndexes({ db, log }, signal);
  filler?.clock.add({ index: performance.now() - startedAt });
  if (!signal.aborted) await addUpDays(db);
}
