import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { Db } from "../../../database/database.js";
import type { Finalization, Head } from "../../../database/queries/head.js";
import { FillRate, type FillStatus } from "../../metrics/fill-rate.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import { type VoteSource, votesOf } from "../execution/overrule.js";
import { reportContradiction } from "../finality/finality.js";
import { ProvenBranches, type VotedBranches } from "../finality/votes.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes, deferIndexes, vacuumFilled } from "../step/deferred-indexes.js";
import { reportStep } from "../step/unknown-rows.js";
import { readPosition } from "../write/head-row.js";
import { StepWriter } from "../write/write.js";
import { DecoderPool } from "./decoder-pool.js";
import { fill, type WrittenBatch } from "./fill.js";
import { BlocksMissingError, largestRanges, NodeSource } from "./node-source.js";
import { type DoubtedBlock, RangeExecutor } from "./range-executor.js";
import type { BlockSource } from "./source.js";
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
  readonly source: BlockSource;
  /** What votes prove of the blocks. */
  readonly branches: VotedBranches;
  /** Where votes are looked for that prove a block although a check of ours rejects it. */
  readonly votes: VoteSource;
  readonly head: Head;
  /** Last height. */
  readonly to: number;
  /** Whether a block with this timestamp ends the range before it. */
  readonly stopsBefore?: (timestamp: number) => boolean;
  /** Whether the source is the database: then the bytes of the blocks are not written again. */
  readonly isRaw: boolean;
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
  /** How much is requested from a node at once. */
  readonly #requests = largestRanges();
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

  /** Blocks of a node. @param clients at least one, each with its own connection */
  sourceOf(clients: readonly [NodeClient, ...NodeClient[]], log: Logger): BlockSource {
    return new NodeSource(clients, log, this.#requests);
  }

  /**
   * Fills the index from its head on. The state in memory is at the end afterwards, or is loaded again when it is used.
   *
   * @throws BlockRejectedError, FinalizationProofError; errors of source and database as they are
   */
  async fill(range: FilledRange, place: FillPlace, signal: AbortSignal): Promise<void> {
    const { db, network, log, executor } = place;
    const { head, to, source, isRaw } = range;
    const { jobs, checksSignatures, longRange = LONG_RANGE } = this.#options;
    const before = this.#blocks;
    if (head.height === 0 && to >= longRange) await deferIndexes(db);
    const rate = new FillRate(head.height);
    this.#show(rate, to, place.metrics);
    await executor.align(head, head);
    const finalizedHeight = head.finalization.height;
    const votes = { ...range.votes, network, log, ledger: executor };
    const start = await readPosition(db, head);
    const fixed = { ...range, start, executor, finalizedHeight, votes, comparesStored: isRaw, doubted: this.#doubted };
    const decoders = new DecoderPool(jobs, { network, checkSignatures: checksSignatures });
    try {
      await fill(
        {
          ...{ source, to, decoders, finalizedHeight, clock: this.clock },
          executor: new RangeExecutor(fixed),
          start,
          writer: new StepWriter({ db, network }),
          writesRaw: !isRaw,
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
    // An index that was empty is vacuumed when its indexes are created.
    if (head.height > 0 && this.#blocks - before >= longRange) await vacuumFilled(db);
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

/** What a fill from the followed node needs besides. */
export interface FarOptions
  extends FillPlace,
    Pick<FilledRange, "head" | "to" | "stopsBefore" | "ignoresInvalidProofs"> {
  readonly node: NodeClient;
  /** Another connection to the same node, if it can be opened: it makes the answers of several requests overlap. */
  readonly openSecond?: (() => NodeClient | undefined) | undefined;
  /** What the node claims. */
  readonly finalized: Finalization;
}

/** Fills the index from the followed node. @returns whether anything was written */
export async function fillFromNode(filler: Filler, options: FarOptions, signal: AbortSignal): Promise<boolean> {
  const { node, log, executor, finalized } = options;
  const { config } = executor;
  const before = filler.blocks;
  const second = options.openSecond?.();
  const range: FilledRange = {
    ...options,
    source: filler.sourceOf(second ? [node, second] : [node], log),
    branches: new ProvenBranches(node, finalized, config),
    votes: votesOf(node, () => config),
    isRaw: false,
  };
  try {
    await filler.fill(range, options, signal);
  } catch (error) {
    const isOtherBranch = error instanceof BlockRejectedError && error.field === "previousHash" && filler.doubts(error);
    // What the node has is asked for block by block.
    if (isOtherBranch) log.info({ height: error.height }, "The node switched to another branch meanwhile");
    else if (error instanceof BlocksMissingError)
      log.info({ reason: error.message }, "The node has fewer blocks than it claims");
    else throw error;
  } finally {
    await second?.close();
  }
  return filler.blocks > before;
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
