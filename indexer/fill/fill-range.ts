import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { Db } from "../../database/database.js";
import type { Head } from "../../database/queries/head.js";
import { positionAt } from "../chain/head-row.js";
import { StepWriter } from "../chain/write.js";
import type { Executor } from "../execution/executor.js";
import type { VoteSource } from "../execution/overrule.js";
import { reportContradiction } from "../finality/finality.js";
import type { VotedBranches } from "../finality/votes.js";
import type { IndexerMetrics } from "../metrics/metrics.js";
import { deferIndexes } from "../step/deferred-indexes.js";
import { reportDiffering, reportOverruled } from "../step/differing-report.js";
import { reportUnknown } from "../step/unknown-rows.js";
import { DecoderPool } from "./decoder-pool.js";
import { fill, type WrittenBatch } from "./fill.js";
import { RangeExecutor } from "./range-executor.js";
import type { BlockSource } from "./source.js";
import type { StageClock } from "./stage-times.js";

/** How ranges are filled. */
export interface FillRules {
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether all signatures are verified; hashes always are. */
  readonly checksSignatures: boolean;
  /**
   * Minimum number of blocks from which an empty index is filled without most of its database indexes; default 5,000. A
   * range that does not begin at height 1 keeps them.
   */
  readonly longRange?: number | undefined;
}

/** A range that is to be filled, and where it comes from. */
export interface FilledRange {
  readonly source: BlockSource;
  /** What votes prove of the blocks. */
  readonly branches: VotedBranches;
  /** Where votes are looked for that prove a block although a check of ours rejects it. */
  readonly votes: VoteSource;
  readonly head: Head;
  readonly to: number;
  /** Whether a block with this timestamp ends the range before it. */
  readonly stopsBefore?: (timestamp: number) => boolean;
  /** Whether the source is the database: then the bytes of the blocks are not written again. */
  readonly isRaw: boolean;
  /** The block that an earlier attempt rejected. */
  readonly doubted: BlockRejectedError | undefined;
  readonly ignoresInvalidProofs: boolean;
}

export interface FillPlace {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly executor: Executor;
  readonly clock: StageClock;
  /** A batch was written. */
  readonly onWritten: (batch: WrittenBatch) => void;
}

/** From this number of blocks on, it pays to create the database indexes at the end. */
export const LONG_RANGE = 5_000;

/**
 * Fills the index from its head on. The state in memory is at the end afterwards, or is loaded again when it is used.
 *
 * @throws BlockRejectedError, FinalizationProofError; errors of source and database as they are
 */
export async function fillRange(
  range: FilledRange,
  place: FillPlace,
  rules: FillRules,
  signal: AbortSignal,
): Promise<void> {
  const { db, network, log, metrics, executor, clock, onWritten } = place;
  const { head, to, source, isRaw } = range;
  if (head.height === 0 && to >= (rules.longRange ?? LONG_RANGE)) await deferIndexes(db);
  await executor.align(head, head);
  const finalizedHeight = head.finalization.height;
  const ranged = new RangeExecutor({
    ...range,
    executor,
    finalizedHeight,
    votes: { ...range.votes, network, log, ledger: executor },
    comparesStored: isRaw,
  });
  const decoders = new DecoderPool(rules.jobs, { network, checkSignatures: rules.checksSignatures });
  try {
    await fill(
      {
        ...{ source, to, clock, decoders, finalizedHeight },
        executor: ranged,
        start: await positionAt(db, head.height),
        writer: new StepWriter({ db, network }),
        writesRaw: !isRaw,
        onWritten: (batch) => {
          executor.wroteExecuted();
          metrics?.wrote(batch, batch.ms);
          reportUnknown(batch.unknown, place);
          reportOverruled(batch.overruled, place);
          reportDiffering(batch.differing, place);
          if (batch.contradiction) reportContradiction(batch.contradiction, place);
          onWritten(batch);
        },
      },
      signal,
    );
  } finally {
    await decoders.close();
  }
}
