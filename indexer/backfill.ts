import { requireHead } from "../database/queries/head.js";
import { readNetworkIdentity } from "../database/queries/network.js";
import { Executor } from "./chain/execution/executor.js";
import { requireConfig, withSinks } from "./chain/execution/options.js";
import { Filler } from "./chain/fill/filler.js";
import { Finality } from "./chain/finality/finality.js";
import { follow } from "./chain/follow/follow.js";
import { Goal } from "./chain/follow/goal.js";
import { RawSource } from "./chain/source/raw-source.js";
import { BackfillRangeError } from "./chain/step/errors.js";
import type { IndexContext } from "./chain/step/index-context.js";
import { noteEpoch } from "./chain/step/network.js";
import { NO_LISTENER } from "./chain/step/range-listener.js";
import type { StageTimes } from "./chain/step/stage-times.js";
import { emptyToRebuild } from "./chain/write/rollback.js";
import { RangeWriter } from "./chain/write/write.js";
import { type FollowNodesOptions, followNodes, type IndexerOptions, openIndex } from "./indexer.js";
import { DEFAULT_LIMITS } from "./limits/indexer-limits.js";
import { BackfillFailures } from "./nodes/failures.js";
import { retryUntil, writeUntil } from "./writer.js";

export interface BackfillOptions extends Omit<IndexerOptions, "zmqUrl" | "tellsCosigners"> {
  /** Source of blocks: nodes, or the bytes in the database. */
  readonly source: "node" | "raw";
  /** First height; default the one after the index's head with nodes, 1 with raw bytes. */
  readonly from?: number | undefined;
  /** Last height; default the node's, or that of the newest raw bytes, at the start. */
  readonly to?: number | undefined;
  /** Number of decoding threads. */
  readonly jobs: number;
  /** Whether to verify all signatures, or hashes only. */
  readonly verify: "hashes" | "full";
}

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

/**
 * The indexer, for a range of blocks and without events; then it ends. Failures of the node or the database are retried
 * with increasing delays; while an indexer writes to the same database, it waits until it is the only writer. It can be
 * stopped and killed anywhere: what is written is complete, and the next run resumes after it.
 *
 * @returns a report, in which the range is incomplete if `signal` was aborted, or if votes prove no further block of a
 *   chain whose state differs; undefined if it was aborted before the range was known
 * @throws BackfillRangeError, WrongNetworkError; BlockRejectedError when a block is invalid, also when it is
 *   requested a second time; an error that occurred too often
 */
export async function backfill(options: BackfillOptions, signal: AbortSignal): Promise<BackfillReport | undefined> {
  const startedAt = performance.now();
  const { jobs, verify, onProgress } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits, eventBlocks: 0 };
  const goal = new Goal(options);
  const failures = new BackfillFailures();
  const onWritten = () => failures.succeeded();
  const filler = new Filler({ jobs, checksSignatures: verify === "full", onProgress, onWritten });
  const db = openIndex({ ...options, limits }, "symbol-gateway backfill");
  const filling = { ...options, limits, db, goal, filler, failures };
  try {
    if (options.source === "raw") await rebuild(filling, goal, signal);
    else await followNodes(filling, signal);
    const target = goal.to;
    if (target === undefined) return undefined;
    let height = 0;
    const readHeight = async () => {
      ({ height } = await requireHead(db));
      return true;
    };
    if (!(await retryUntil(signal, filling, readHeight, failures))) await readHeight();
    const { blocks, transactions, clock } = filler;
    return { height, target, blocks, transactions, ms: performance.now() - startedAt, stages: clock.times };
  } finally {
    await db.destroy();
  }
}

/**
 * Fills the index again from its own bytes: empties it first. If there are bytes above the index, an earlier incomplete run
 * did that already: it is continued.
 */
async function rebuild(options: FollowNodesOptions, goal: Goal, signal: AbortSignal): Promise<void> {
  const { databaseUrl, db, log, metrics, execution, limits, filler, failures } = options;
  const source = new RawSource(db, databaseUrl);
  let ledger: Executor | undefined;
  const work = async (lockSignal: AbortSignal): Promise<boolean> => {
    const newest = await source.chain();
    // Who has blocks has a network.
    const stored = (await readNetworkIdentity(db))!;
    const config = requireConfig(execution, stored);
    const network = withSinks(stored, config);
    await noteEpoch(db, config.epochAdjustment);
    const { height } = await requireHead(db);
    const isBegun = goal.to !== undefined || height < newest.height;
    goal.isReached(height, newest.height, source.name);
    if (isBegun) log.info({ height, to: goal.to }, "Continuing to fill the index from its own bytes");
    else if (goal.from !== undefined && goal.from > 1)
      throw new BackfillRangeError(`The state is computed from the first block on: --from must be 1, not ${goal.from}`);
    else await emptyToRebuild(db);
    const context: IndexContext = { db, network, config, log, metrics, limits, tellsCosigners: false };
    // What the database has was verified before, when the clock may have been another.
    ledger ??= new Executor(context, () => Number.MAX_SAFE_INTEGER);
    const finality = new Finality(context);
    const writer = new RangeWriter(context);
    const round = { ...context, source, ledger, finality, writer, listener: NO_LISTENER, filler, goal };
    try {
      return await follow(round, lockSignal);
    } catch (error) {
      if (filler.isFirstRejection(error)) return false;
      throw error;
    }
  };
  await writeUntil(signal, options, work, failures);
}
