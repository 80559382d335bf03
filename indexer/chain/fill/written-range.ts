import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { FinalizationProofError } from "../../../ledger/finalization/verify-proof.js";
import { rollbackFloor } from "../finality/finality.js";
import { BranchLeftError } from "../source/source.js";
import { BlockRange } from "../step/block-range.js";
import type { RangeExecutor } from "./range-executor.js";
import type { RangeLimits, RangeOptions } from "./range-options.js";
import { verifyRange } from "./verified-range.js";

/**
 * Writes blocks in order, in ranges of one transaction each: while one is written, the next one is formed. Blocks before a
 * rejected one, or before an abort, are written.
 *
 * @param executor at the block before the first
 * @param restored what dropping blocks restores, if any are dropped
 * @throws what `verifyRange` throws; errors of the database as they are
 */
export async function writeRange(
  options: RangeOptions,
  executor: RangeExecutor,
  restored: BlockRange,
  signal: AbortSignal,
): Promise<void> {
  const ranges = new WrittenRanges(options, restored, signal);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const verified of verifyRange(options, executor, signal)) {
      if (signal.aborted) break;
      await ranges.add(verified);
    }
  } catch (error) {
    failure = { error };
  }
  await ranges.finish(mayWriteUnproven(signal, failure?.error));
  if (failure) throw failure.error;
}

/**
 * Whether blocks that only later ones prove are verified by themselves and written at the end. Not if there is no
 * time for that, nor if the chain that was to prove them is invalid.
 */
function mayWriteUnproven(signal: AbortSignal, error: unknown): boolean {
  const isInvalid = [BlockRejectedError, BranchLeftError, FinalizationProofError].some((kind) => error instanceof kind);
  return !signal.aborted && !isInvalid;
}

/** Maximum factor between the numbers of blocks of two consecutive transactions. */
const MAX_CHANGE = 2;

/**
 * Joins verified ranges, and writes them one after another. Their number of blocks follows from how long the last one took.
 *
 * Blocks that are about to be proven are held back if there is room: then the entries that they replaced need not be
 * stored, and the proofs of their generation hashes need not be verified. As many bytes as `writtenBytes` are held, and
 * a range that is being written has as many.
 */
class WrittenRanges {
  readonly #options: RangeOptions;
  readonly #signal: AbortSignal;
  #proven: BlockRange | undefined;
  /** After these: blocks that only later ones prove. */
  #unproven: BlockRange | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** What the next range is appended to. */
  #next: BlockRange;
  /** Number of blocks of the next range. */
  #blocks: number;
  #finalizedHeight: number;

  constructor(options: RangeOptions, restored: BlockRange, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#next = restored;
    this.#blocks = options.limits.written.first;
    this.#finalizedHeight = options.wanted.head.finalization.height;
  }

  /** Waits, if it is time to write, for the end of what is being written. */
  async add(range: BlockRange): Promise<void> {
    this.#unproven = joined(this.#unproven, range);
    if (!range.awaitsProof) {
      this.#proven = joined(this.#proven, this.#unproven);
      this.#unproven = undefined;
    }
    const isFull = (this.#proven?.size ?? 0) + (this.#unproven?.size ?? 0) >= this.#options.limits.writtenBytes;
    if (!isFull && !(this.#proven && this.#proven.blocks >= this.#blocks)) return;
    await this.#writing;
    this.#writing = this.#write(this.#take());
    // It is awaited before the next one is written, or at the end.
    this.#writing.catch(() => undefined);
  }

  /** Writes what is left. @param mayWriteUnproven whether also blocks that nothing has proven yet */
  async finish(mayWriteUnproven: boolean): Promise<void> {
    await this.#writing;
    if (this.#proven) await this.#write(this.#take());
    if (mayWriteUnproven) await this.#write(this.#take());
  }

  /** What is proven, or if nothing is, the rest. */
  #take(): BlockRange | undefined {
    const range = this.#proven ?? this.#unproven;
    if (!this.#proven) this.#unproven = undefined;
    this.#proven = undefined;
    return range;
  }

  async #write(verified: BlockRange | undefined): Promise<void> {
    if (!verified) return;
    const { context, wanted, decoders, clock, limits, onWritten } = this.#options;
    const range = this.#next;
    range.append(verified);
    // Votes cover these blocks, but the chain has not reached the block of the votes: they have to be verified by
    // themselves.
    await decoders.verifyProofs(range.openClaims);
    const startedAt = performance.now();
    this.#finalizedHeight = range.final?.height ?? this.#finalizedHeight;
    const heights = { finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight: range.claimedHeight };
    range.floor = rollbackFloor(heights, range.end.height);
    range.emitsEvents = wanted.emitsEvents?.(range.end) === true;
    await context.listener.beforeWriting(range, wanted.sourceHeight, this.#signal);
    clock.add(await context.writer.write(range));
    const ms = performance.now() - startedAt;
    this.#blocks = blocksAfter(this.#blocks, range.blocks, ms, limits);
    this.#next = new BlockRange(range.end);
    await onWritten(range, ms);
  }
}

function joined(first: BlockRange | undefined, later: BlockRange): BlockRange {
  first?.append(later);
  return first ?? later;
}

/** The number of blocks of the next range, after `written` blocks were written in `ms` milliseconds. */
function blocksAfter(blocks: number, written: number, ms: number, { targetMs, written: { max } }: RangeLimits): number {
  const fitting = (written * targetMs) / Math.max(1, ms);
  const near = Math.min(blocks * MAX_CHANGE, Math.max(blocks / MAX_CHANGE, fitting));
  return Math.max(1, Math.min(max, Math.round(near)));
}
