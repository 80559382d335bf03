import type { Logger } from "pino";
import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { ChainStatistics } from "../../../catapult/wire/requests.js";
import type { Db } from "../../../database/database.js";
import { findBlockRow } from "../../../database/queries/blocks.js";
import { type Finalization, type Head, readHead } from "../../../database/queries/head.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import { ProvenBlocks, votesOf } from "../execution/overrule.js";
import { type Filler, fillFromNode } from "../fill/filler.js";
import { Finality } from "../finality/finality.js";
import { rowsOf } from "../step/block-rows.js";
import type { ChainPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes } from "../step/deferred-indexes.js";
import { RangeLimit } from "../step/range-limit.js";
import { rawBlockOf } from "../step/raw-rows.js";
import { OWN_PACE, type Pace, type Step } from "../step/step.js";
import { reportDiffering, reportOverruled, reportUnknown, unknownIn } from "../step/unknown-rows.js";
import { readPosition } from "../write/head-row.js";
import { StepWriter } from "../write/write.js";
import { compareBranch } from "./branch.js";
import { fetchBlocks } from "./fetch.js";
import { Progress } from "./progress.js";
import type { ScoreWatch } from "./score-watch.js";

export interface FollowOptions {
  readonly db: Db;
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** Polling interval when there is nothing new, in ms. */
  readonly pollMs: number;
  /** Size of one request to the node, which makes one step. */
  readonly range: RangeLimit;
  /** Blocks at least this far below the node's head are written without events. */
  readonly announceWithin: number;
  /** Executes the blocks. */
  readonly ledger: Executor;
  /** Fills the index while it is far below the node's head; by default nothing does. */
  readonly filler?: Filler | undefined;
  /** Another connection to the same node, for a fill. */
  readonly openSecond?: (() => NodeClient | undefined) | undefined;
  /** What is known of votes; by default nothing is. */
  readonly finality?: Finality | undefined;
  /** Another source of news about the chain; default none. */
  readonly pace?: Pace;
  /** Receives everything that metrics are computed from. */
  readonly metrics?: IndexerMetrics | undefined;
  /** Compares the scores of several nodes. */
  readonly watch?: ScoreWatch | undefined;
  /** Called after each round that succeeded. */
  readonly onRound?: () => Promise<void>;
}

/** A block is new for as long as events are kept by default, in ms. */
const RECENT_MS = 24 * 3_600_000;

/**
 * Follows one node until `signal` is aborted.
 *
 * Each round queries the node once (its heights, its finalized block), then:
 * 0. the node is far above our head      → the blocks up to where events are emitted are filled, in large steps;
 * 1. the node has our head and more      → the next blocks are written;
 * 2. the node left our chain             → the common block is found, the branch is verified up to a higher score
 *                                          than ours (if there are several nodes), and the roll-back is written
 *                                          together with the first blocks of the new branch, so that no reader sees
 *                                          the height drop further than it must;
 * 3. the node is behind us on our chain  → wait;
 * 4. nothing new but finalization moved  → that is written.
 *
 * Errors end the round and are left to the caller, which waits and retries: everything needed is in the head row.
 */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { pace = OWN_PACE } = options;
  const progress = new Progress(options.log);
  const writer = new StepWriter(options);
  const proven = new ProvenBlocks({ ...options, ...votesOf(options.node, () => options.ledger.ledger?.config) });
  const finality = options.finality ?? new Finality(options);
  let hasIndexes = false;
  const prepare = async () => {
    if (!hasIndexes) await createDeferredIndexes(options, signal);
    hasIndexes = true;
    await addUpDays(options.db);
  };
  while (!signal.aborted) {
    const moved = await followOnce({ ...options, proven, finality, writer, prepare }, progress, signal);
    await options.onRound?.();
    if (!moved) await pace.nextLook(options.pollMs, signal);
  }
}

interface RoundOptions extends FollowOptions {
  readonly proven: ProvenBlocks;
  readonly finality: Finality;
  readonly writer: StepWriter;
  /** Called before a step with events: what a fill leaves for its end is done. */
  readonly prepare: () => Promise<void>;
}

/** One round. @returns whether anything was written. */
async function followOnce(options: RoundOptions, progress: Progress, signal: AbortSignal): Promise<boolean> {
  const { db, node, metrics, watch } = options;
  const head = await readHead(db);
  if (!head) throw new Error("The head row is missing");
  const [statistics, finalized] = await Promise.all([node.chainStatistics(), node.finalizationStatistics()]);
  metrics?.polled(statistics.height);
  const look = { head, statistics, finalized };
  const hasFilled = await fillIfFar(options, look, signal);
  if (hasFilled) watch?.afterRound(head.score, statistics, true);
  if (hasFilled || signal.aborted) return hasFilled;
  await options.prepare();
  const moved = await moveTowards(options, look, progress, signal);
  watch?.afterRound(head.score, statistics, moved);
  return moved;
}

/** What others need to know of the steps of a fill. */
const FILLING = { announce: false } as const;

/** Fills the index while it is far below the node's head, on the same branch. @returns whether anything was written */
async function fillIfFar(
  options: RoundOptions,
  { head, statistics, finalized }: Look,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, node, filler, ledger, announceWithin, pace } = options;
  const to = statistics.height - announceWithin;
  if (!filler || ledger.differsSince !== undefined || to - head.height < announceWithin) return false;
  if (head.height > 0 && (await compareBranch(db, node, head, statistics.height)).kind !== "same") return false;
  pace?.afterStep(FILLING);
  const stopsBefore = (timestamp: number) => isRecent(options, { timestamp });
  const { openSecond = () => undefined, finality } = options;
  const range = { head, to, finalized, stopsBefore, ignoresInvalidProofs: finality.ignoresInvalid };
  return fillFromNode(filler, { ...options, ...range, executor: ledger, openSecond }, signal);
}

/** The position of the index at the start of a round, and the node's information about its own chain. */
interface Look {
  readonly head: Head;
  readonly statistics: ChainStatistics;
  readonly finalized: Finalization;
}

async function moveTowards(
  options: RoundOptions,
  { head, statistics, finalized }: Look,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, node, log, metrics, watch, pace = OWN_PACE } = options;
  const several = watch?.isComparing ? watch : undefined;
  let rollBackTo: ChainPosition | undefined;
  if (head.height > 0) {
    const branch = await compareBranch(db, node, head, statistics.height);
    if (branch.kind === "behind") {
      log.debug({ height: head.height, nodeHeight: branch.height }, "The node is behind the index");
      return false;
    }
    if (branch.kind === "fork" && several?.mayBeHigher(statistics, head) === false) {
      log.debug({ height: head.height }, "The node is on another branch, whose score is not higher");
      return false;
    }
    if (branch.kind === "fork") rollBackTo = branch.common;
  }

  const base = rollBackTo ?? head;
  const { ledger, proven } = options;
  await ledger.align(head, base);
  const differs = ledger.differsSince !== undefined && !rollBackTo;
  const limit = differs ? await proven.provenTo(ledger, head, finalized.height) : undefined;
  const blocks = (limit ?? statistics.height) > base.height ? await fetchNext(options, base, limit) : [];
  if (rollBackTo && blocks.length === 0) return false;
  if (rollBackTo && several && !(await several.isHigher(options, head, { base, blocks }))) return false;
  const newHead = blocks.at(-1) ?? head;
  const chain = { head, base, blocks, height: newHead.height, claimed: finalized };
  const finding = await options.finality.look(node, ledger, chain);
  const { final: finalization, contradiction } = finding;
  const previous: ChainPosition = { height: head.height, hash: head.hash };
  const finalizedHeight = (finalization ?? head.finalization).height;
  if (blocks.length === 0 && !finalization) {
    await options.finality.wrote(finding);
    return false;
  }
  const move = { blocks, finalizedHeight, nodeFinalizedHeight: contradiction ? 0 : finalized.height };
  const change = ledger.change(move);

  const announce = statistics.height - newHead.height < options.announceWithin || isRecent(options, blocks.at(-1));
  const step: Step = {
    previous,
    rollBackTo,
    rows: blocks.length > 0 ? [rowsOf(await readPosition(db, base), blocks)] : [],
    raw: blocks.map(rawBlockOf),
    finalizations: finalization ? [finalization] : [],
    state: change,
    announce,
    blocks: announce ? blocks : [],
  };
  await pace.beforeStep(step, statistics.height, signal);
  const writingSince = performance.now();
  await options.writer.write(step);
  await options.finality.wrote(finding);
  metrics?.wrote(step, performance.now() - writingSince);
  reportUnknown(unknownIn(blocks), options);
  reportOverruled(change.overruled, options);
  reportDiffering(change.differing, options);
  pace.afterStep(step);
  ledger.wrote(move, finalization && (await positionInTime(db, finalization.height)));
  report(log, progress, step, newHead, statistics.height);
  return true;
}

/** Whether a step is new by its verified content alone: nodes may claim any height. */
function isRecent({ ledger }: FollowOptions, newest: Pick<VerifiedBlock, "timestamp"> | undefined): boolean {
  if (!newest) return true;
  return ledger.ageOf(newest) < RECENT_MS;
}

/** A block of the index, and its time in ms since the network's epoch. */
async function positionInTime(
  db: Db,
  height: number,
): Promise<{ readonly height: number; readonly timestamp: number }> {
  return { height, timestamp: (await findBlockRow(db, height))?.timestamp ?? 0 };
}

async function fetchNext(options: FollowOptions, base: ChainPosition, to?: number): Promise<VerifiedBlock[]> {
  const parent = base.height > 0 ? await findBlockRow(options.db, base.height) : undefined;
  const position = { height: base.height, hash: base.hash, timestamp: parent?.timestamp ?? 0 };
  const { current } = options.range;
  const maxBlocks = Math.min(current.maxBlocks, (to ?? Number.POSITIVE_INFINITY) - base.height);
  const range = to === undefined ? options.range : new RangeLimit({ ...current, maxBlocks });
  return fetchBlocks(position, { ...options, range });
}

function report(log: Logger, progress: Progress, step: Step, newHead: ChainPosition, nodeHeight: number): void {
  const blocks = step.raw.length;
  const transactions = step.rows.reduce((sum, rows) => sum + rows.transactions, 0);
  if (step.rollBackTo) {
    log.warn(
      {
        commonHeight: step.rollBackTo.height,
        dropped: step.previous.height - step.rollBackTo.height,
        height: newHead.height,
      },
      "The node switched to another branch; the index followed",
    );
  }
  log.debug(
    { height: newHead.height, blocks, transactions, finalizedHeight: step.finalizations.at(-1)?.height },
    "Wrote a step",
  );
  progress.wrote({ blocks, transactions, height: newHead.height, nodeHeight });
}
