import { type Head, requireHead } from "../../../database/queries/head.js";
import { type Filler, finishFill } from "../fill/filler.js";
import type { RangeContext, WantedBlocks } from "../fill/range-options.js";
import { BlocksMissingError, type SourceChain } from "../source/source.js";
import { type ChainEnd, type ChainPosition, readPosition } from "../step/chain-position.js";
import { addUpDays } from "../step/daily-sums.js";
import { BackfillRangeError } from "../step/errors.js";
import { type Branch, compareBranch } from "./branch.js";
import type { Goal } from "./goal.js";
import type { ScoreWatch } from "./score-watch.js";

export interface FollowOptions extends RangeContext {
  readonly filler: Filler;
  /** Called after each round that succeeded. */
  readonly onRound?: (() => Promise<void>) | undefined;
  /** Where a backfill ends; by default the node is followed without an end. */
  readonly goal?: Goal | undefined;
  /** Compares the scores of several nodes; a backfill does not. */
  readonly watch?: ScoreWatch | undefined;
}

/** A block is new for as long as events are kept by default, in ms. */
const RECENT_MS = 24 * 3_600_000;

/**
 * Follows a source until `signal` is aborted, or to a goal.
 *
 * Invariants, before and after each round:
 * - everything that a round needs is in the database: the chain up to the head row's block, each block on the one before,
 *   with exactly the rows, state, counters and events of these blocks. So a round may fail anywhere, and begin anew;
 * - nothing that a source has said is kept for the next round: it may be on another branch then, or be another node;
 * - what a source claims decides only what is asked for. A block is written after it was verified and executed on the state
 *   of the block before it, or after votes proved it; a block is final because our own state's voters signed it;
 * - no final block is ever dropped: a source without it has another chain, and is a fault;
 * - readers see blocks only in the order of the chain: what takes the place of others is written, and told, in the
 *   transaction that drops these.
 *
 * Each round reads once what the source says (its height, its finalized block), then:
 * 0. the node is far above our head      → the blocks up to where events are emitted are filled, without them;
 * 1. the node has our head and more      → the blocks up to the node's head are written, and what is final of them;
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
  const { db, source, goal, listener, limits, metrics } = options;
  let isPrepared = false;
  const prepare = async () => {
    if (!isPrepared) await finishFill(options, signal);
    isPrepared = true;
  };
  const round: RoundOptions = { ...options, prepare };
  while (!signal.aborted) {
    const status = { head: await requireHead(db), theirs: await source.chain() };
    metrics?.polled(status.theirs.height);
    if (goal?.isReached(status.head.height, status.theirs.height, source.name)) {
      await prepare();
      return !signal.aborted;
    }
    const moved = await runRound(round, status, signal);
    if (moved && isPrepared) await addUpDays(db);
    await options.onRound?.();
    if (moved || signal.aborted) continue;
    if (goal) return endUnproven(options, status.head);
    await listener.awaitNews(limits.pollMs, signal);
  }
  return false;
}

interface RoundOptions extends FollowOptions {
  /** Called before the first blocks near the head are written: does what a fill leaves for its end. */
  readonly prepare: () => Promise<void>;
}

/** The position of the index at the start of a round, and what the source says about its own chain. */
interface ChainStatus {
  readonly head: Head;
  readonly theirs: SourceChain;
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
async function runRound(options: RoundOptions, status: ChainStatus, signal: AbortSignal): Promise<boolean> {
  const { db, source, goal, watch } = options;
  const { head, theirs } = status;
  const branch: Branch = head.height > 0 ? await compareBranch(db, source, head, theirs.height) : { kind: "same" };
  if (goal && branch.kind === "fork") {
    throw new BackfillRangeError(
      `${source.name} has left the chain of the index after height ${branch.common.height}: run the indexer, which follows it`,
    );
  }
  const hasFilled = branch.kind === "same" && (await fillIfFar(options, status, signal));
  const moved = hasFilled || (!signal.aborted && (await syncNearHead(options, status, branch, signal)));
  watch?.afterRound(head.score, theirs.score, moved);
  return moved;
}

/** Fills the index while it is far below the node's head. @returns whether anything was written */
async function fillIfFar(options: RoundOptions, status: ChainStatus, signal: AbortSignal): Promise<boolean> {
  const { filler, ledger, listener, goal, source } = options;
  const { eventBlocks } = options.limits;
  const { head, theirs } = status;
  const to = goal?.to ?? theirs.height - eventBlocks;
  if (to - head.height < eventBlocks) return false;
  // Of a chain whose state differs, a node's votes prove only the next blocks.
  if (ledger.differsSince !== undefined && !source.isStored) return false;
  listener.afterWriting({ emitsEvents: false, rollBackTo: undefined });
  const stopsBefore = (timestamp: number) => isRecent(options, timestamp);
  return filler.fill({ ...wantBlocks(status, head, to), stopsBefore }, options, signal);
}

/** One round near the head. @returns whether anything was written. */
async function syncNearHead(
  options: RoundOptions,
  status: ChainStatus,
  branch: Branch,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, filler, goal, limits } = options;
  const { head, theirs } = status;
  await options.prepare();
  const base = chooseBase(options, status, branch);
  if (!base) return false;
  const isFork = base.height < head.height;
  const to = goal?.to ?? theirs.height;
  // Nodes may claim any height: whether a range is new follows from its verified content too.
  const emitsEvents = ({ height, timestamp }: ChainEnd) =>
    theirs.height - height < limits.eventBlocks || isRecent(options, timestamp);
  const range = { ...wantBlocks(status, base, to), emitsEvents };
  const isWanted = to > base.height && (!isFork || (await isHigher(options, range, signal)));
  const hasWritten = isWanted && (await filler.fill(range, options, signal));
  if (isFork && !hasWritten) return false;
  const written = hasWritten ? { head: await requireHead(db), theirs } : status;
  return (await writeFinality(options, written)) || hasWritten;
}

function wantBlocks({ head, theirs }: ChainStatus, base: ChainPosition, to: number): WantedBlocks {
  return { head, base, to, sourceHeight: theirs.height, finalized: theirs.finalized };
}

/** The last block that is kept: the head, or the one after which the node has another branch; undefined to wait. */
function chooseBase(
  { log, watch }: RoundOptions,
  { head, theirs }: ChainStatus,
  branch: Branch,
): ChainPosition | undefined {
  if (branch.kind === "same") return head;
  if (branch.kind === "behind") {
    log.debug({ height: head.height, nodeHeight: branch.height }, "The node is behind the index");
    return undefined;
  }
  if (!watch?.isComparing || watch.mayBeHigher(theirs.score, head)) return branch.common;
  log.debug({ height: head.height }, "The node is on another branch, whose score is not higher");
  return undefined;
}

/** Whether the node's branch is a reason to leave that of the index: of several nodes, the highest score counts. */
async function isHigher(options: RoundOptions, range: WantedBlocks, signal: AbortSignal): Promise<boolean> {
  const { ledger, watch, filler } = options;
  if (!watch?.isComparing) return true;
  return ledger.rehearse(range.head, range.base, () =>
    watch.isHigher(range.head, filler.rehearse(range, options, signal)),
  );
}

/** Writes what has become final since the last range. @returns whether anything has */
async function writeFinality(options: RoundOptions, { head, theirs }: ChainStatus): Promise<boolean> {
  const { db, source, ledger, finality, writer, filler, limits } = options;
  const range = await ledger.align(head, head);
  const update = await finality.check(source, ledger, head, theirs.finalized);
  const { final } = update;
  if (!final) {
    await finality.wrote(update);
    return false;
  }
  const { timestamp } = await readPosition(db, final);
  range.addEntries(ledger.endedBy(final.height));
  range.difference = ledger.ledger?.difference();
  range.finalize(final);
  range.contradiction = update.contradiction;
  range.floor = final.height;
  range.emitsEvents = limits.eventBlocks > 0;
  const startedAt = performance.now();
  await writer.write(range);
  const ms = performance.now() - startedAt;
  ledger.finalize(final, timestamp);
  ledger.wrote(final.height);
  await filler.wrote(range, ms, options);
  return true;
}

/** Whether a block with this time (ms since the network's epoch) is new. */
function isRecent({ limits, ledger }: FollowOptions, timestamp: number): boolean {
  return limits.eventBlocks > 0 && ledger.computeAge({ timestamp }) < RECENT_MS;
}
