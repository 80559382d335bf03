import type { Logger } from "pino";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { Db } from "../../../database/database.js";
import { requireHead } from "../../../database/queries/head.js";
import { FillRate, type FillStatus } from "../../metrics/fill-rate.js";
import type { Executor } from "../execution/executor.js";
import type { VotedBranches } from "../finality/votes.js";
import { BlocksMissingError, BranchLeftError } from "../source/source.js";
import type { BlockRange } from "../step/block-range.js";
import { type ChainEnd, readPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes, deferIndexes, vacuumFilled } from "../step/deferred-indexes.js";
import { MAX_RANGE } from "../step/range-limit.js";
import { StageClock } from "../step/stage-times.js";
import { DecoderPool } from "./decoder-pool.js";
import { RangeExecutor } from "./range-executor.js";
import { FAR, isFar, NEAR, type RangeContext, type RangeOptions, type WantedBlocks } from "./range-options.js";
import { reportRange } from "./report-range.js";
import { verifyRange } from "./verified-range.js";
import { writeRange } from "./written-range.js";

export interface FillerOptions {
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether all signatures are verified far below the head too; hashes always are. */
  readonly checksSignatures: boolean;
  /** Called with the progress at the start, and after each range. */
  readonly onProgress?: ((status: FillStatus) => void) | undefined;
  readonly onWritten: () => void;
}

const NO_VOTES: VotedBranches = { claimedHeight: 0, branchTo: async () => undefined };

/** Fills the index, in ranges of a block or thousands. It outlives failures, after which it continues. */
export class Filler {
  readonly clock = new StageClock();
  readonly #options: FillerOptions;
  /** The newest rejected block. */
  #rejected: BlockRejectedError | undefined;
  /** How often it was rejected on a state that nothing was written with since it was loaded. */
  #rejections = 0;
  /** Numbers of what was written so far. */
  blocks = 0;
  transactions = 0;

  constructor(options: FillerOptions) {
    this.#options = options;
  }

  /**
   * Whether this error is of a block that was rejected for the first time: then it is tried again before anyone is
   * blamed, since votes may prove it.
   */
  isFirstRejection(error: unknown): boolean {
    return error === this.#rejected && this.#rejections <= 1;
  }

  /**
   * Writes blocks. It ends early where the source changes its branch, and where votes prove no further
   * block of a chain whose state differs.
   *
   * @returns whether anything was written
   * @throws BlockRejectedError, FinalizationProofError; errors of source and database as they are
   */
  async fill(wanted: WantedBlocks, context: RangeContext, signal: AbortSignal): Promise<boolean> {
    const { db, log } = context;
    const { head, to } = wanted;
    const { deferIndexesFrom } = context.limits;
    const before = this.blocks;
    if (isFar(wanted) && head.height === 0 && to >= deferIndexesFrom) await deferIndexes(db);
    try {
      await this.#write(wanted, context, signal);
    } catch (error) {
      if (isOfMovedSource(error)) log.info({ reason: error.message }, "The source is asked again for its branch");
      else if (isUnproven(error, context.ledger))
        log.debug({ reason: (error as Error).message }, "The state differs, and votes do not prove the next block");
      else throw error;
    }
    // An index that was empty is vacuumed when its indexes are created.
    if (head.height > 0 && this.blocks - before >= deferIndexesFrom) await vacuumFilled(db);
    return this.blocks > before;
  }

  /**
   * Executes and verifies blocks, which are not written.
   *
   * @returns the ends of parts of them
   */
  async *rehearse(wanted: WantedBlocks, context: RangeContext, signal: AbortSignal): AsyncGenerator<ChainEnd> {
    const options = this.#makeOptions(wanted, context, NO_VOTES);
    try {
      const executor = new RangeExecutor(options, await readPosition(context.db, wanted.base));
      for await (const { end } of verifyRange(options, executor, signal)) yield end;
    } catch (error) {
      if (!isOfMovedSource(error)) throw error;
    } finally {
      await options.decoders.close();
    }
  }

  /**
   * To be called after a range was written in `ms` milliseconds, also one without blocks: reports and counts it.
   * @throws errors of the database as they are
   */
  async wrote(range: BlockRange, ms: number, context: RangeContext): Promise<void> {
    const { ledger, metrics, finality, listener, log, watch } = context;
    const { blocks, rollBackTo, end, indexed } = range;
    this.blocks += blocks;
    this.transactions += range.transactions;
    ledger.wroteRange();
    metrics?.wrote(range, ms);
    reportRange(range, context);
    if (rollBackTo) {
      const dropped = indexed.height - rollBackTo.height;
      log.warn(
        { commonHeight: rollBackTo.height, dropped, height: end.height },
        "The node switched to another branch; the index followed",
      );
    }
    log.debug({ height: end.height, blocks }, "Wrote a range");
    await finality.wrote(range);
    listener.afterWriting(range);
    watch?.wrote();
    this.#options.onWritten();
  }

  /** Near the head, blocks before a rejected one are written first. */
  async #write(wanted: WantedBlocks, context: RangeContext, signal: AbortSignal): Promise<void> {
    const before = this.blocks;
    try {
      await this.#writeOnce(wanted, context, signal);
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      if (this.#rejected?.height !== error.height) this.#rejections = 0;
      this.#rejected = error;
      // A state that is to be loaded again says nothing about the block.
      if (!context.ledger.mayRecover) this.#rejections += 1;
      if (isFar(wanted)) throw error;
      const head = this.blocks > before ? await requireHead(context.db) : wanted.head;
      const base = this.blocks > before ? head : wanted.base;
      const to = error.height - 1;
      if (base.height < to && to < wanted.to) await this.#write({ ...wanted, head, base, to }, context, signal);
      throw error;
    }
  }

  async #writeOnce(wanted: WantedBlocks, context: RangeContext, signal: AbortSignal): Promise<void> {
    const { source, ledger, config, metrics } = context;
    const { head, base, to, finalized } = wanted;
    const rate = isFar(wanted) ? new FillRate(base.height) : undefined;
    this.#show(rate, to, context);
    const restored = await ledger.align(head, base);
    const branches = await source.branches(finalized, config);
    const options = this.#makeOptions(wanted, context, branches, rate);
    try {
      const executor = new RangeExecutor(options, restored.parent);
      await writeRange(options, executor, restored, signal);
      if (!signal.aborted) ledger.wrote(executor.undoFloor);
    } finally {
      await options.decoders.close();
      if (rate) metrics?.filling(undefined);
    }
  }

  #makeOptions(wanted: WantedBlocks, context: RangeContext, branches: VotedBranches, rate?: FillRate): RangeOptions {
    const { jobs, checksSignatures } = this.#options;
    const { network, config } = context;
    // For as many as a node sends at once, no threads are started.
    const isSmall = wanted.to - wanted.base.height <= MAX_RANGE.maxBlocks;
    return {
      context,
      wanted,
      branches,
      decoders: new DecoderPool(isSmall ? 0 : jobs, {
        network,
        config,
        checkSignatures: isFar(wanted) && checksSignatures,
      }),
      clock: this.clock,
      limits: isFar(wanted) ? FAR : NEAR,
      rejected: this.#rejections > 0 ? this.#rejected : undefined,
      onWritten: async (range, ms) => {
        await this.wrote(range, ms, context);
        rate?.wrote(range.blocks, range.transactions);
        this.#show(rate, wanted.to, context);
      },
    };
  }

  #show(rate: FillRate | undefined, to: number, { metrics }: RangeContext): void {
    if (!rate) return;
    const status = rate.status(to);
    metrics?.filling(status);
    this.#options.onProgress?.(status);
  }
}

/** Whether the source has changed its branch, or has fewer blocks than it claimed. */
function isOfMovedSource(error: unknown): error is Error {
  return error instanceof BranchLeftError || error instanceof BlocksMissingError;
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
