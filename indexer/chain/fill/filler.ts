import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { Db } from "../../../database/database.js";
import { type Finalization, type Head, requireHead } from "../../../database/queries/head.js";
import { FillRate, type FillStatus } from "../../metrics/fill-rate.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import type { Finality } from "../finality/finality.js";
import type { VotedBranches } from "../finality/votes.js";
import { BlocksMissingError, BranchLeftError, type Source } from "../source/source.js";
import type { ChainEnd, ChainPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes, deferIndexes, vacuumFilled } from "../step/deferred-indexes.js";
import type { Pace } from "../step/step.js";
import { reportStep } from "../step/unknown-rows.js";
import { readPosition } from "../write/head-row.js";
import type { StepWriter } from "../write/write.js";
import { DecoderPool } from "./decoder-pool.js";
import type { BatchLimits } from "./gathered-batch.js";
import { RangeExecutor } from "./range-executor.js";
import { StageClock } from "./stage-times.js";
import { type RangeLimits, type RangeWatch, verifyRange } from "./verified-range.js";
import { type WrittenStep, writeRange } from "./written-range.js";

export interface FillerOptions {
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether all signatures are verified far below the head too; hashes always are. */
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

/** Blocks to be written. */
export interface Range {
  readonly head: Head;
  /** The last kept block: the head, unless blocks are dropped. */
  readonly base: ChainPosition;
  /** Last height. */
  readonly to: number;
  /** Of the source's chain. */
  readonly sourceHeight: number;
  /** The latest final block, as the source claims. */
  readonly finalized: Finalization;
  /** Whether a block with this timestamp ends the range before it. */
  readonly stopsBefore?: ((timestamp: number) => boolean) | undefined;
  /** Near the source's head: whether a step that ends with this block emits events. Far below it none does. */
  readonly announces?: ((end: ChainEnd) => boolean) | undefined;
}

/** Where blocks come from, and where they are written. */
export interface RangePlace {
  readonly db: Db;
  readonly source: Source;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly ledger: Executor;
  readonly finality: Finality;
  readonly writer: StepWriter;
  readonly pace: Pace;
  readonly watch?: RangeWatch | undefined;
}

/** From this number of blocks on, it pays to create the database indexes at the end. */
const LONG_RANGE = 5_000;
/** As many blocks as a node sends at once by default; for as many, no threads are started. */
const SENT_AT_ONCE = 42;
const MIB = 1024 * 1024;
/**
 * Far below the head, writing a batch is short enough to lose little, and long enough that an account which many blocks
 * change is written once for them.
 */
export const FAR: RangeLimits & { readonly batches: BatchLimits } = {
  chunkBlocks: { first: 256, growth: 1 / 16, most: 1_024 },
  decodedBytes: 12 * MIB,
  batches: { first: 200, most: 10_000, targetMs: 8_000, maxBytes: 32 * MIB },
};
/**
 * Near the head, decoded blocks are in memory until their events are written, and someone waits for these. Which blocks are
 * written together does not depend on the time.
 */
const NEAR: RangeLimits & { readonly batches: BatchLimits } = {
  chunkBlocks: { first: SENT_AT_ONCE, growth: 0, most: SENT_AT_ONCE },
  decodedBytes: 3 * MIB,
  batches: { first: SENT_AT_ONCE, most: 8 * SENT_AT_ONCE, targetMs: Number.POSITIVE_INFINITY, maxBytes: 8 * MIB },
};
const NO_VOTES: VotedBranches = { claimedHeight: 0, branchTo: async () => undefined };

/** Fills the index, in steps of a block or thousands. It outlives failures, after which it continues. */
export class Filler {
  readonly clock = new StageClock();
  readonly #options: FillerOptions;
  /** The newest rejected block. */
  #rejected: BlockRejectedError | undefined;
  /** How often it was rejected on a state that nothing was written with since it was loaded. */
  #rejections = 0;
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
   * Whether this error is of a block that was rejected for the first time: then it is tried again before anyone is
   * blamed, since votes may prove it.
   */
  isFirstRejection(error: unknown): boolean {
    return error === this.#rejected && this.#rejections <= 1;
  }

  /**
   * Writes the blocks of a range. It ends early where the source changes its branch, and where votes prove no further
   * block of a chain whose state differs.
   *
   * @returns whether anything was written
   * @throws BlockRejectedError, FinalizationProofError; errors of source and database as they are
   */
  async fill(range: Range, place: RangePlace, signal: AbortSignal): Promise<boolean> {
    const { db, log } = place;
    const { head, to } = range;
    const { longRange = LONG_RANGE } = this.#options;
    const before = this.#blocks;
    if (isFar(range) && head.height === 0 && to >= longRange) await deferIndexes(db);
    try {
      await this.#write(range, place, signal);
    } catch (error) {
      if (isOfMovedSource(error)) log.info({ reason: error.message }, "The source is asked again for its branch");
      else if (isUnproven(error, place.ledger))
        log.debug({ reason: (error as Error).message }, "The state differs, and votes do not prove the next block");
      else throw error;
    }
    // An index that was empty is vacuumed when its indexes are created.
    if (head.height > 0 && this.#blocks - before >= longRange) await vacuumFilled(db);
    return this.#blocks > before;
  }

  /**
   * Executes and verifies the blocks of a range, which are not written.
   *
   * @returns the ends of its parts
   */
  async *rehearse(range: Range, place: RangePlace, signal: AbortSignal): AsyncGenerator<ChainEnd> {
    const decoders = this.#openDecoders(range, place);
    try {
      const options = await this.#verification(range, place, NO_VOTES);
      for await (const { decoded } of verifyRange({ ...options, decoders }, signal)) yield decoded.end;
    } catch (error) {
      if (!isOfMovedSource(error)) throw error;
    } finally {
      await decoders.close();
    }
  }

  /** To be called after each step, also one without blocks: reports and counts it. @throws errors of the database as they are */
  async wrote(written: WrittenStep, place: RangePlace): Promise<void> {
    const { step, finding, ms } = written;
    const { ledger, metrics, finality, pace, log } = place;
    const [blocks, transactions] = countsOf(written);
    this.#blocks += blocks;
    this.#transactions += transactions;
    ledger.wroteStep();
    metrics?.wrote(step, ms);
    reportStep({ ...step.state, rows: step.rows }, place);
    const height = step.rows.at(-1)?.end.height;
    if (step.rollBackTo) {
      const dropped = step.previous.height - step.rollBackTo.height;
      log.warn(
        { commonHeight: step.rollBackTo.height, dropped, height },
        "The node switched to another branch; the index followed",
      );
    }
    log.debug({ height, blocks }, "Wrote a step");
    await finality.wrote(finding);
    pace.afterStep(step);
    place.watch?.wrote();
    this.#options.onWritten?.();
  }

  /** Near the head, blocks before a rejected one are written first. */
  async #write(range: Range, place: RangePlace, signal: AbortSignal): Promise<void> {
    const before = this.#blocks;
    try {
      await this.#writeOnce(range, place, signal);
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      if (this.#rejected?.height !== error.height) this.#rejections = 0;
      this.#rejected = error;
      // A state that is to be loaded again says nothing about the block.
      if (!place.ledger.mayRecover) this.#rejections += 1;
      if (isFar(range)) throw error;
      const head = this.#blocks > before ? await requireHead(place.db) : range.head;
      const base = this.#blocks > before ? head : range.base;
      const to = error.height - 1;
      if (base.height < to && to < range.to) await this.#write({ ...range, head, base, to }, place, signal);
      throw error;
    }
  }

  async #writeOnce(range: Range, place: RangePlace, signal: AbortSignal): Promise<void> {
    const { source, ledger, pace } = place;
    const { head, base, to, finalized, sourceHeight, announces = () => false } = range;
    const rate = isFar(range) ? new FillRate(base.height) : undefined;
    this.#show(rate, to, place);
    const restored = await ledger.align(head, base);
    const branches = await source.branches(finalized, ledger.config);
    const decoders = this.#openDecoders(range, place);
    try {
      const options = await this.#verification(range, place, branches);
      await writeRange(
        {
          ...{ ...options, ...place, decoders, head, restored, announces },
          batches: options.limits.batches,
          finalizedHeight: head.finalization.height,
          beforeStep: (step) => pace.beforeStep(step, sourceHeight, signal),
          onWritten: async (written) => {
            await this.wrote(written, place);
            rate?.wrote(...countsOf(written));
            this.#show(rate, to, place);
          },
        },
        signal,
      );
      if (!signal.aborted) ledger.wrote(options.rangeExecutor.undoFloor);
    } finally {
      await decoders.close();
      if (rate) place.metrics?.filling(undefined);
    }
  }

  #openDecoders(range: Range, { network }: RangePlace): DecoderPool {
    const { jobs, checksSignatures } = this.#options;
    const isSmall = range.to - range.base.height <= SENT_AT_ONCE;
    return new DecoderPool(isSmall ? 0 : jobs, { network, checkSignatures: isFar(range) && checksSignatures });
  }

  async #verification(range: Range, place: RangePlace, branches: VotedBranches) {
    const { db, ledger, finality } = place;
    const { base, to, stopsBefore, head } = range;
    const start = await readPosition(db, base);
    const rangeExecutor = new RangeExecutor({
      ...{ ...place, executor: ledger, start, to, stopsBefore, branches, isNear: !isFar(range) },
      finalizedHeight: head.finalization.height,
      ignoresInvalidProofs: finality.ignoresInvalid,
      rejected: this.#rejections > 0 ? this.#rejected : undefined,
    });
    const limits = isFar(range) ? FAR : NEAR;
    return {
      source: place.source,
      executor: ledger,
      rangeExecutor,
      start,
      to,
      limits,
      clock: this.clock,
      watch: place.watch,
    };
  }

  #show(rate: FillRate | undefined, to: number, { metrics }: RangePlace): void {
    if (!rate) return;
    const status = rate.status(to);
    metrics?.filling(status);
    this.#options.onProgress?.(status);
  }
}

function isFar({ announces }: Range): boolean {
  return announces === undefined;
}

/** Whether the source has changed its branch, or has fewer blocks than it claimed. */
function isOfMovedSource(error: unknown): error is Error {
  return error instanceof BranchLeftError || error instanceof BlocksMissingError;
}

/** Numbers of blocks and transactions of a step. */
function countsOf({ step: { rows } }: WrittenStep): [number, number] {
  return [rows.reduce((sum, { blocks }) => sum + blocks, 0), rows.reduce((sum, part) => sum + part.transactions, 0)];
}

/** Whether a block was rejected because the state differs: a check of a state that differs says nothing. */
function isUnproven(error: unknown, { rejected, differsSince }: Executor): boolean {
  return error instanceof BlockRejectedError && rejected?.height === error.height && differsSince !== undefined;
}

/** Does what a fill leaves for its end, unless that is done, or `signal` is aborted. */
export async function finishFill(
  { db, log, filler }: { readonly db: Db; readonly log: Logger; readonly filler: Filler },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const startedAt = performance.now();
  await createDeferredIndexes({ db, log }, signal);
  filler.clock.add({ index: performance.now() - startedAt });
  if (!signal.aborted) await addUpDays(db);
}
