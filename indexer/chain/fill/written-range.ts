import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { withOutcome } from "../../../catapult/verify/verify.js";
import { FinalizationProofError } from "../../../ledger/finalization/verify-proof.js";
import { ExecutedState } from "../execution/executed-state.js";
import { type Finding, rollbackFloor } from "../finality/finality.js";
import { BranchLeftError } from "../source/source.js";
import type { ChainEnd, ChainPosition } from "../step/chain-position.js";
import type { StateChange, Step } from "../step/step.js";
import type { StepWriter } from "../write/write.js";
import { type BatchLimits, BatchWidth, type GatheredBatch, Gathering } from "./gathered-batch.js";
import { type VerifiedRangeOptions, verifyRange } from "./verified-range.js";

export interface WrittenRangeOptions extends VerifiedRangeOptions {
  readonly writer: StepWriter;
  /** Position of the index: above `start` if blocks are dropped. */
  readonly head: ChainPosition;
  /** Of the index. */
  readonly finalizedHeight: number;
  /** The entries that dropping blocks restores. */
  readonly restored: ExecutedState;
  readonly batches: BatchLimits;
  /** Whether a step that ends with this block emits events. */
  readonly announces: (end: ChainEnd) => boolean;
  /** Called before a step is written. */
  readonly beforeStep: (step: Step) => Promise<void>;
  /** A step was written, in `ms` milliseconds. */
  readonly onWritten: (written: WrittenStep) => Promise<void>;
}

/** A written step. */
export interface WrittenStep {
  readonly step: Step;
  readonly finding: Finding;
  readonly ms: number;
}

/**
 * Writes the blocks of a range, in order, in steps: while one is written, the next one is formed. Blocks before a rejected
 * one, or before an abort, are written.
 * @throws what `verifyRange` throws; errors of the database as they are
 */
export async function writeRange(options: WrittenRangeOptions, signal: AbortSignal): Promise<void> {
  const batches = new BatchSequence(options);
  const gathering = new Gathering(options.batches.maxBytes);
  let writing: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of verifyRange(options, signal)) {
      if (signal.aborted) break;
      gathering.add(chunk);
      const batch = gathering.takeWide(batches.width);
      if (!batch) continue;
      await writing;
      writing = batches.write(batch);
      // It is awaited before the next one is written, or at the end.
      writing.catch(() => undefined);
    }
  } catch (error) {
    failure = { error };
  }
  await writing;
  await batches.write(gathering.takeProven());
  if (mayHold(signal, failure?.error)) await batches.write(gathering.takeOpen());
  if (failure) throw failure.error;
}

/**
 * Whether blocks that only later ones prove are verified by themselves and written at the end. Not if there is no
 * time for that, nor if the chain that was to prove them is invalid.
 */
function mayHold(signal: AbortSignal, error: unknown): boolean {
  const isInvalid = [BlockRejectedError, BranchLeftError, FinalizationProofError].some((kind) => error instanceof kind);
  return !signal.aborted && !isInvalid;
}

/** Writes consecutive batches. */
class BatchSequence {
  readonly #options: WrittenRangeOptions;
  readonly #width: BatchWidth;
  #finalizedHeight: number;
  #head: ChainPosition;
  #start: ChainEnd;
  #restored: ExecutedState;

  constructor(options: WrittenRangeOptions) {
    this.#options = options;
    this.#width = new BatchWidth(options.batches);
    this.#finalizedHeight = options.finalizedHeight;
    this.#head = options.head;
    this.#start = options.start;
    this.#restored = options.restored;
  }

  /** Number of blocks for the next batch. */
  get width(): number {
    return this.#width.blocks;
  }

  async write(batch: GatheredBatch): Promise<void> {
    const { writer, decoders, clock, announces, beforeStep, onWritten } = this.#options;
    const { chunks, raw, blocks } = batch;
    const end = chunks.at(-1)?.end;
    if (!end) return;
    const state = this.#restored;
    state.append(batch.state);
    // Votes cover these blocks, but the chain has not reached the block of the votes: they have to be verified by
    // themselves.
    await decoders.verifyProofs(state.openClaims);
    const startedAt = performance.now();
    this.#finalizedHeight = state.finalizations.at(-1)?.height ?? this.#finalizedHeight;
    const heights = { finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight: state.claimedHeight };
    const floor = rollbackFloor(heights, end.height);
    const announce = announces(end);
    let change: StateChange | undefined;
    const step: Step = {
      previous: this.#head,
      rollBackTo: this.#start.height < this.#head.height ? this.#start : undefined,
      rows: chunks,
      raw,
      recomputed: state.recomputed,
      finalizations: state.finalizations,
      announce,
      blocks: announce ? batch.decoded.map((block, place) => withOutcome(block, raw[place]!)) : [],
      // Serialized when it is written: it may be large.
      get state(): StateChange {
        change ??= { ...state.change(floor), registrations: chunks.flatMap(({ registrations }) => registrations) };
        return change;
      },
    };
    await beforeStep(step);
    clock.add(await writer.write(step));
    const ms = performance.now() - startedAt;
    for (const { spent } of chunks) clock.add(spent);
    this.#width.wrote(blocks, ms);
    this.#head = end;
    this.#start = end;
    this.#restored = new ExecutedState();
    await onWritten({ step, finding: { final: state.finalizations.at(-1), contradiction: state.contradiction }, ms });
  }
}
