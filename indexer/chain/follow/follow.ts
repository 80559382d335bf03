import type { Logger } from "pino";
import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { ChainStatistics } from "../../../catapult/wire/requests.js";
import type { Db } from "../../../database/database.js";
import { type Finalization, type Head, readHead } from "../../../database/queries/head.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import { ProvenBlocks, votesOf } from "../execution/overrule.js";
import { type Filler, fillFromNode } from "../fill/filler.js";
import { Finality, type Finding } from "../finality/finality.js";
import { rowsOf } from "../step/block-rows.js";
import type { ChainEnd, ChainPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { createDeferredIndexes } from "../step/deferred-indexes.js";
import { RangeLimit } from "../step/range-limit.js";
import { rawBlockOf } from "../step/raw-rows.js";
import { OWN_PACE, type Pace, type Step } from "../step/step.js";
import { reportDiffering, reportOverruled, reportUnknown } from "../step/unknown-rows.js";
import { positionAt, readPosition } from "../write/head-row.js";
import { StepWriter } from "../write/write.js";
import { compareBranch } from "./branch.js";
import { fetchBlocks } from "./fetch.js";
import type { ScoreWatch } from "./score-watch.js";

export interface FollowOptions {
  readonly tellsCosigners?: boolean | undefined;
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
  const writer = new StepWriter(options);
  const proven = new ProvenBlocks({ ...options, ...votesOf(options.node, () => options.ledger.ledger?.config) });
  const finality = options.finality ?? new Finality(options);
  let isPrepared = false;
  const prepare = async () => {
    if (isPrepared) return;
    await createDeferredIndexes(options, signal);
    await addUpDays(options.db);
    isPrepared = true;
  };
  while (!signal.aborted) {
    if (isPrepared) await addUpDays(options.db);
    const moved = await followOnce({ ...options, proven, finality, writer, prepare }, signal);
    await options.onRound?.();
    if (!moved) await pace.nextLook(options.pollMs, signal);
  }
}

interface RoundOptions extends FollowOptions {
  readonly proven: ProvenBlocks;
  readonly finality: Finality;
  readonly writer: StepWriter;
  /** Called before the first step near the head: does what a fill leaves for its end. */
  readonly prepare: () => Promise<void>;
}

/** One round. @returns whether anything was written. */
async function followOnce(options: RoundOptions, signal: AbortSignal): Promise<boolean> {
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
  const moved = await moveTowards(options, look, signal);
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

/** One round near the head. @returns whether anything was written. */
async function moveTowards(options: RoundOptions, look: Look, signal: AbortSignal): Promise<boolean> {
  const { db, node, ledger, finality } = options;
  const { head, finalized } = look;
  const base = await baseOf(options, look);
  if (!base) return false;
  await ledger.align(head, base);
  const start = await readPosition(db, base);
  const blocks = await nextBlocks(options, look, start);
  if (!blocks) return false;
  const height = blocks.at(-1)?.height ?? head.height;
  const finding = await finality.look(node, ledger, { head, base, blocks, height, claimed: finalized });
  if (blocks.length > 0 || finding.final) {
    await writeNext(options, look, { start, blocks, finding }, signal);
    return true;
  }
  await finality.wrote(finding);
  return false;
}

/** The last block that is kept: the head, or the one after which the node has another branch; undefined to wait. */
async function baseOf({ db, node, log, watch }: RoundOptions, look: Look): Promise<ChainPosition | undefined> {
  const { head, statistics } = look;
  if (head.height === 0) return head;
  const branch = await compareBranch(db, node, head, statistics.height);
  if (branch.kind === "same") return head;
  if (branch.kind === "behind") {
    log.debug({ height: head.height, nodeHeight: branch.height }, "The node is behind the index");
    return undefined;
  }
  if (!watch?.isComparing || watch.mayBeHigher(statistics, head)) return branch.common;
  log.debug({ height: head.height }, "The node is on another branch, whose score is not higher");
  return undefined;
}

/** The next verified blocks, if there are any; undefined if they are no reason to leave the branch of the index. */
async function nextBlocks(
  options: RoundOptions,
  { head, statistics, finalized }: Look,
  start: ChainEnd,
): Promise<VerifiedBlock[] | undefined> {
  const { ledger, proven, watch } = options;
  const isFork = start.height < head.height;
  const differs = ledger.differsSince !== undefined && !isFork;
  const limit = differs ? await proven.provenTo(ledger, head, finalized.height) : undefined;
  if ((limit ?? statistics.height) <= start.height) return isFork ? undefined : [];
  const { current } = options.range;
  const maxBlocks = limit && Math.min(current.maxBlocks, limit - start.height);
  const range = maxBlocks ? new RangeLimit({ ...current, maxBlocks }) : options.range;
  const blocks = await fetchBlocks(start, { ...options, range });
  if (!isFork) return blocks;
  if (blocks.length === 0) return undefined;
  if (watch?.isComparing && !(await watch.isHigher(options, head, { base: start, blocks }))) return undefined;
  return blocks;
}

/** What a step near the head is made of. */
interface NextStep {
  /** The last kept block. */
  readonly start: ChainEnd;
  readonly blocks: readonly VerifiedBlock[];
  readonly finding: Finding;
}

async function writeNext(
  options: RoundOptions,
  { head, statistics, finalized }: Look,
  { start, blocks, finding }: NextStep,
  signal: AbortSignal,
): Promise<void> {
  const { db, ledger, writer, metrics, pace = OWN_PACE, announceWithin } = options;
  const { final, contradiction } = finding;
  const newHead = blocks.at(-1) ?? head;
  const finalizedHeight = (final ?? head.finalization).height;
  const move = { blocks, finalizedHeight, nodeFinalizedHeight: contradiction ? 0 : finalized.height };
  const announce = statistics.height - newHead.height < announceWithin || isRecent(options, blocks.at(-1));
  const step: Step = {
    previous: { height: head.height, hash: head.hash },
    rollBackTo: start.height < head.height ? start : undefined,
    rows: blocks.length > 0 ? [rowsOf(start, blocks)] : [],
    raw: blocks.map(rawBlockOf),
    finalizations: final ? [final] : [],
    state: ledger.change(move),
    announce,
    blocks: announce ? blocks : [],
  };
  await pace.beforeStep(step, statistics.height, signal);
  const writingSince = performance.now();
  await writer.write(step);
  await options.finality.wrote(finding);
  metrics?.wrote(step, performance.now() - writingSince);
  report(step, newHead, options);
  pace.afterStep(step);
  ledger.wrote(move, final && (await positionAt(db, final.height)));
}

/** Whether a step is new by its verified content alone: nodes may claim any height. */
function isRecent({ ledger }: FollowOptions, newest: Pick<VerifiedBlock, "timestamp"> | undefined): boolean {
  return !newest || ledger.ageOf(newest) < RECENT_MS;
}

function report({ previous, rollBackTo, rows, raw, state }: Step, { height }: ChainPosition, options: FollowOptions) {
  const { log } = options;
  reportUnknown(
    rows.flatMap(({ unknown }) => unknown),
    options,
  );
  reportOverruled(state.overruled, options);
  reportDiffering(state.differing, options);
  if (rollBackTo) {
    const dropped = previous.height - rollBackTo.height;
    log.warn(
      { commonHeight: rollBackTo.height, dropped, height },
      "The node switched to another branch; the index followed",
    );
  }
  log.debug({ height, blocks: raw.length }, "Wrote a step");
}
