import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import type { Finalization, Head } from "../../database/queries/head.js";
import type { Executor } from "../execution/executor.js";
import { votesOf } from "../execution/overrule.js";
import type { Finality } from "../finality/finality.js";
import { ProvenBranches } from "../finality/votes.js";
import { FillRate, type FillStatus } from "../metrics/fill-rate.js";
import type { IndexerMetrics } from "../metrics/metrics.js";
import { vacuumFilled } from "../step/deferred-indexes.js";
import { type FillRules, fillRange, LONG_RANGE } from "./fill-range.js";
import { BlocksMissingError, backfillRange, NodeSource } from "./node-source.js";
import { StageClock } from "./stage-times.js";

export interface FillerOptions extends FillRules {
  /** Another connection to the followed node, if it can be opened: it makes the answers of several requests overlap. */
  readonly openSecond: () => NodeClient | undefined;
  /** Called with the progress after each batch. */
  readonly onProgress?: ((status: FillStatus) => void) | undefined;
}

/** What an indexer that is far below the node's head is to do. */
export interface FarRange {
  readonly db: Db;
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly ledger: Executor;
  readonly finality: Finality;
  readonly head: Head;
  readonly to: number;
  /** What the node claims. */
  readonly finalized: Finalization;
  readonly stopsBefore: (timestamp: number) => boolean;
}

/** Fills the index of an indexer that is far below its node's head. It outlives failures, after which it continues. */
export class Filler {
  readonly #options: FillerOptions;
  readonly #requests = backfillRange();
  /** The block that the last attempt rejected. */
  #doubted: BlockRejectedError | undefined;
  #isFirstDoubt = false;
  #rate: FillRate | undefined;

  constructor(options: FillerOptions) {
    this.#options = options;
  }

  /**
   * Whether this error is of a block that a fill rejected for the first time: then it is tried again before anyone is
   * blamed, since votes may overrule what rejected it.
   */
  doubts(error: unknown): boolean {
    return error === this.#doubted && this.#isFirstDoubt;
  }

  /**
   * Fills the range.
   *
   * @returns whether anything was written
   * @throws BlockRejectedError, FinalizationProofError; errors of node and database as they are
   */
  async fill(range: FarRange, signal: AbortSignal): Promise<boolean> {
    const { db, node, network, log, metrics, ledger, finality, head, to, finalized } = range;
    const { config } = ledger;
    const second = this.#options.openSecond();
    const source = new NodeSource(second ? [node, second] : [node], log, this.#requests);
    this.#rate ??= new FillRate(head.height, to);
    this.#rate.target = to;
    let written = 0;
    try {
      await fillRange(
        {
          ...{ source, head, to, stopsBefore: range.stopsBefore, isRaw: false, doubted: this.#doubted },
          branches: new ProvenBranches(node, finalized, config),
          votes: votesOf(node, () => config),
          ignoresInvalidProofs: finality.ignoresInvalid,
        },
        {
          ...{ db, network, log, metrics, executor: ledger, clock: new StageClock() },
          onWritten: ({ blocks, transactions }) => {
            written += blocks;
            this.#rate?.wrote(blocks, transactions);
            this.#report(metrics);
          },
        },
        this.#options,
        signal,
      );
    } catch (error) {
      if (error instanceof BlockRejectedError) {
        this.#isFirstDoubt = this.#doubted?.height !== error.height;
        this.#doubted = error;
      }
      // The node does not have what it claims: what it has is asked for block by block.
      if (!(error instanceof BlocksMissingError)) throw error;
      log.info({ reason: error.message }, "The node has fewer blocks than it claims");
    } finally {
      await second?.close();
      metrics?.filling(undefined);
    }
    if (written >= (this.#options.longRange ?? LONG_RANGE) && head.height > 0) await vacuumFilled(db);
    return written > 0;
  }

  #report(metrics: IndexerMetrics | undefined): void {
    const status = this.#rate?.status();
    if (!status) return;
    metrics?.filling(status);
    this.#options.onProgress?.(status);
  }
}
