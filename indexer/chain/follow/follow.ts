import type { Logger } from "pino";
import type { NetworkIdentity, VerifiedBlock } from "../../../catapult/entity/model.js";
import type { Db } from "../../../database/database.js";
import { type Head, requireHead } from "../../../database/queries/head.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";
import type { Executor } from "../execution/executor.js";
import { ProvenBlocks } from "../execution/overrule.js";
import { type Filler, finishFill } from "../fill/filler.js";
import { Finality, type Finding } from "../finality/finality.js";
import { BlocksMissingError, type Source, type SourceChain } from "../source/source.js";
import { rowsOf } from "../step/block-rows.js";
import type { ChainEnd, ChainPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { BackfillRangeError } from "../step/errors.js";
import { rawBlockOf } from "../step/raw-rows.js";
import { OWN_PACE, type Pace, type Step } from "../step/step.js";
import { reportStep } from "../step/unknown-rows.js";
import { readPosition } from "../write/head-row.js";
import { StepWriter } from "../write/write.js";
import { type Branch, compareBranch } from "./branch.js";
import { fetchBlocks } from "./fetch.js";
import type { Goal } from "./goal.js";
import type { ScoreWatch } from "./score-watch.js";

export interface FollowOptions {
  readonly tellsCosigners?: boolean | undefined;
  readonly db: Db;
  /** Of blocks and proofs; what arrives at once makes one step near the head. */
  readonly source: Source;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  /** Polling interval when there is nothing new, in ms. */
  readonly pollMs: number;
  /** Blocks at least this far below the node's head are written without events; 0 for none at all. */
  readonly announceWithin: number;
  /** Executes the blocks. */
  readonly ledger: Executor;
  /** Where a backfill ends; by default the node is followed without an end. */
  readonly goal?: Goal | undefined;
  /** Fills the index while it is far below the node's head; by default nothing does. */
  readonly filler?: Filler | undefined;
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
 * Follows a source until `signal` is aborted, or to a goal.
 *
 * Each round reads once what the source says (its height, its finalized block), then:
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
 *
 * @returns whether the goal is reached, or as near as the node comes to it
 */
export async function follow(options: FollowOptions, signal: AbortSignal): Promise<boolean> {
  const { db, goal, pace = OWN_PACE, finality = new Finality(options) } = options;
  const writer = new StepWriter(options);
  const proven = new ProvenBlocks(options);
  let isPrepared = false;
  const prepare = async () => {
    if (!isPrepared) await finishFill(options, signal);
    isPrepared = true;
  };
  const round: RoundOptions = { ...options, proven, finality, writer, prepare };
  while (!signal.aborted) {
    if (isPrepared) await addUpDays(db);
    const look = await lookAt(options);
    if (goal?.isReached(look.head.height, look.theirs.height, options.source.name)) {
      await prepare();
      return !signal.aborted;
    }
    const moved = await moveOn(round, look, signal);
    await options.onRound?.();
    if (moved || signal.aborted) continue;
    if (goal) return endUnproven(options, look.head);
    await pace.nextLook(options.pollMs, signal);
  }
  return false;
}

interface RoundOptions extends FollowOptions {
  readonly proven: ProvenBlocks;
  readonly finality: Finality;
  readonly writer: StepWriter;
  /** Called before the first step near the head: does what a fill leaves for its end. */
  readonly prepare: () => Promise<void>;
}

/** The position of the index at the start of a round, and what the source says about its own chain. */
interface Look {
  readonly head: Head;
  readonly theirs: SourceChain;
}

async function lookAt({ db, source, metrics }: FollowOptions): Promise<Look> {
  const head = await requireHead(db);
  const theirs = await source.chain();
  metrics?.polled(theirs.height);
  return { head, theirs };
}

/** While the state differs, only votes prove blocks: the goal is where they end. @throws BlocksMissingError otherwise */
function endUnproven({ ledger: { differsSince: since }, log, source }: FollowOptions, { height }: Head): boolean {
  if (since === undefined) throw new BlocksMissingError(source, height + 1);
  log.warn(
    { height, since },
    "The state differs from that of the network, and votes prove no further block: the indexer continues from here",
  );
  return true;
}

/** One round. @returns whether anything was written. */
async function moveOn(options: RoundOptions, look: Look, signal: AbortSignal): Promise<boolean> {
  const { db, source, goal, watch } = options;
  const { head, theirs } = look;
  const branch: Branch = head.height > 0 ? await compareBranch(db, source, head, theirs.height) : { kind: "same" };
  if (goal && branch.kind === "fork") {
    throw new BackfillRangeError(
      `${source.name} has left the chain of the index after height ${branch.common.height}: run the indexer, which follows it`,
    );
  }
  const hasFilled = branch.kind === "same" && (await fillIfFar(options, look, signal));
  const moved = hasFilled || (!signal.aborted && (await moveTowards(options, look, branch, signal)));
  watch?.afterRound(head.score, theirs.score, moved);
  return moved;
}

/** What others need to know of the steps of a fill. */
const FILLING = { announce: false } as const;

/** Fills the index while it is far below the node's head. @returns whether anything was written */
async function fillIfFar(options: RoundOptions, { head, theirs }: Look, signal: AbortSignal): Promise<boolean> {
  const { filler, ledger, announceWithin, pace, goal, finality, source } = options;
  const to = goal?.to ?? theirs.height - announceWithin;
  if (!filler || to - head.height < announceWithin) return false;
  // Of a chain whose state differs, a node's votes prove only the next blocks.
  if (ledger.differsSince !== undefined && !source.isStored) return false;
  pace?.afterStep(FILLING);
  const stopsBefore = (timestamp: number) => isRecent(options, { timestamp });
  const range = { source, head, to, finalized: theirs.finalized, stopsBefore };
  const ignoresInvalidProofs = finality.ignoresInvalid;
  return filler.fill({ ...range, ignoresInvalidProofs }, { ...options, executor: ledger }, signal);
}

/** One round near the head. @returns whether anything was written. */
async function moveTowards(options: RoundOptions, look: Look, branch: Branch, signal: AbortSignal): Promise<boolean> {
  const { db, source, ledger, finality } = options;
  const { head, theirs } = look;
  await options.prepare();
  const base = baseOf(options, look, branch);
  if (!base) return false;
  await ledger.align(head, base);
  const start = await readPosition(db, base);
  const blocks = await nextBlocks(options, look, start);
  if (!blocks) return false;
  const height = blocks.at(-1)?.height ?? head.height;
  const finding = await finality.look(source, ledger, { head, base, blocks, height, claimed: theirs.finalized });
  if (blocks.length > 0 || finding.final) {
    await writeNext(options, look, { start, blocks, finding }, signal);
    return true;
  }
  await finality.wrote(finding);
  return false;
}

/** The last block that is kept: the head, or the one after which the node has another branch; undefined to wait. */
function baseOf({ log, watch }: RoundOptions, { head, theirs }: Look, branch: Branch): ChainPosition | undefined {
  if (branch.kind === "same") return head;
  if (branch.kind === "behind") {
    log.debug({ height: head.height, nodeHeight: branch.height }, "The node is behind the index");
    return undefined;
  }
  if (!watch?.isComparing || watch.mayBeHigher(theirs.score, head)) return branch.common;
  log.debug({ height: head.height }, "The node is on another branch, whose score is not higher");
  return undefined;
}

/** The next verified blocks, if there are any; undefined if they are no reason to leave the branch of the index. */
async function nextBlocks(
  options: RoundOptions,
  { head, theirs }: Look,
  start: ChainEnd,
): Promise<VerifiedBlock[] | undefined> {
  const { ledger, proven, watch, goal } = options;
  const isFork = start.height < head.height;
  // While the state differs, blocks are written only as far as votes prove them.
  const isUnproven = ledger.differsSince !== undefined && !isFork;
  const limit = isUnproven ? await proven.provenTo(head, theirs.finalized) : goal?.to;
  if ((limit ?? theirs.height) <= start.height) return isFork ? undefined : [];
  const blocks = await fetchBlocks(start, { ...options, to: limit });
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
  { head, theirs }: Look,
  { start, blocks, finding }: NextStep,
  signal: AbortSignal,
): Promise<void> {
  const { db, ledger, writer, metrics, pace = OWN_PACE, announceWithin } = options;
  const { final, contradiction } = finding;
  const newHead = blocks.at(-1) ?? head;
  const finalizedHeight = (final ?? head.finalization).height;
  const move = { blocks, finalizedHeight, nodeFinalizedHeight: contradiction ? 0 : theirs.finalized.height };
  const announce = theirs.height - newHead.height < announceWithin || isRecent(options, blocks.at(-1));
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
  await pace.beforeStep(step, theirs.height, signal);
  const writingSince = performance.now();
  await writer.write(step);
  await options.finality.wrote(finding);
  metrics?.wrote(step, performance.now() - writingSince);
  report(step, newHead, options);
  pace.afterStep(step);
  ledger.wrote(move, final && (await readPosition(db, final)));
}

/** Whether a step is new by its verified content alone: nodes may claim any height. */
function isRecent(
  { announceWithin, ledger }: FollowOptions,
  newest: Pick<VerifiedBlock, "timestamp"> | undefined,
): boolean {
  return announceWithin > 0 && (!newest || ledger.ageOf(newest) < RECENT_MS);
}

function report({ previous, rollBackTo, rows, raw, state }: Step, { height }: ChainPosition, options: FollowOptions) {
  const { log } = options;
  reportStep({ ...state, rows }, options);
  if (rollBackTo) {
    const dropped = previous.height - rollBackTo.height;
    log.warn(
      { commonHeight: rollBackTo.height, dropped, height },
      "The node switched to another branch; the index followed",
    );
  }
  log.debug({ height, blocks: raw.length }, "Wrote a step");
}
