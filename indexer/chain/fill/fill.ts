import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { FinalizationProofError } from "../../../ledger/finalization/verify-proof.js";
import type { ProofClaim } from "../../../ledger/header/generation-rules.js";
import type { WrittenStep } from "../../metrics/metrics.js";
import type { ExecutedState } from "../execution/executed-state.js";
import { type Contradiction, describeContradiction, rollbackFloor } from "../finality/finality.js";
import type { Source, SourceBlock } from "../source/source.js";
import type { BlockRows } from "../step/block-rows.js";
import type { ChainEnd } from "../step/chain-position.js";
import type { StateChange, Step } from "../step/step.js";
import type { ReportedStep } from "../step/unknown-rows.js";
import type { StepWriter } from "../write/write.js";
import { BoundedQueue } from "./bounded-queue.js";
import type { Chunk, DecodedChunk } from "./decode-chunk.js";
import type { DecoderPool } from "./decoder-pool.js";
import { BatchWidth, type GatheredBatch, Gathering } from "./gathered-batch.js";
import type { RangeExecutor } from "./range-executor.js";
import type { StageClock } from "./stage-times.js";

export interface FillOptions {
  readonly source: Pick<Source, "read" | "isStored">;
  readonly executor: RangeExecutor;
  readonly decoders: DecoderPool;
  readonly writer: StepWriter;
  /** Position of the index. */
  readonly start: ChainEnd;
  /** Of the index. */
  readonly finalizedHeight: number;
  /** Last height to fill. */
  readonly to: number;
  readonly clock: StageClock;
  /** A batch was written, in `ms` milliseconds. */
  readonly onWritten: (batch: WrittenBatch) => void;
}

/** A written batch. */
export interface WrittenBatch extends WrittenStep, ReportedStep {
  readonly rows: readonly BlockRows[];
  readonly blocks: number;
  readonly transactions: number;
  readonly contradiction: Contradiction | undefined;
  readonly ms: number;
}

/**
 * Maximum blocks per chunk for a thread, and their bytes: small enough to keep all threads busy. The first chunks are
 * smaller, so that something is written soon; the more blocks follow, the larger they are, because keys and lists of a
 * chunk are numbered and counted together.
 */
const CHUNK_BLOCKS = 1_024;
const FIRST_CHUNK_BLOCKS = 256;
const GROWTH = 1 / 16;
const CHUNK_BYTES = 1024 * 1024;
/** Maximum bytes of blocks that are queued for decoding, and that are being decoded or queued for writing. */
const FETCHED_BYTES = 8 * 1024 * 1024;
const DECODED_BYTES = 12 * 1024 * 1024;

interface WaitingChunk {
  readonly decoding: Promise<DecodedChunk>;
  readonly raw: readonly SourceBlock[];
  readonly state: ExecutedState;
}

/**
 * Fills the index from `start` to `to`, in stages with bounded queues between them: the source, the executor, the
 * decoding threads, the one writer, in order. Blocks before a rejected one, or before an abort, are written.
 * @returns the position of the index then: at `to`, unless `signal` was aborted
 * @throws BlockRejectedError; errors of source and database as they are
 */
export async function fill(options: FillOptions, signal: AbortSignal): Promise<ChainEnd> {
  const fetched = new BoundedQueue<readonly SourceBlock[]>(FETCHED_BYTES);
  const decoded = new BoundedQueue<WaitingChunk>(DECODED_BYTES);
  const ended = new AbortController();
  const signals = AbortSignal.any([signal, ended.signal]);
  const stages = Promise.allSettled([fetchAll(options, fetched, signals), decodeAll(options, fetched, decoded)]);
  try {
    return await writeAll(options, decoded, signal);
  } finally {
    ended.abort();
    const over = new Error("The backfill has ended");
    fetched.fail(over);
    decoded.fail(over);
    await stages;
  }
}

async function fetchAll(
  { source, start, to, clock }: FillOptions,
  fetched: BoundedQueue<readonly SourceBlock[]>,
  signal: AbortSignal,
): Promise<void> {
  let chunk: SourceBlock[] = [];
  let bytes = 0;
  let fetchedBlocks = 0;
  const maxBlocks = () => Math.min(CHUNK_BLOCKS, FIRST_CHUNK_BLOCKS + GROWTH * fetchedBlocks);
  const put = async (): Promise<void> => {
    const [blocks, size] = [chunk, bytes];
    chunk = [];
    bytes = 0;
    fetchedBlocks += blocks.length;
    if (blocks.length > 0) await fetched.put(blocks, size);
  };
  try {
    let askedAt = performance.now();
    for await (const blocks of source.read(start.height + 1, to)) {
      clock.add({ fetch: performance.now() - askedAt });
      if (signal.aborted) break;
      for (const block of blocks) {
        chunk.push(block);
        bytes += sizeOf(block);
        if (chunk.length >= maxBlocks() || bytes >= CHUNK_BYTES) await put();
      }
      askedAt = performance.now();
    }
    await put();
    fetched.close();
  } catch (error) {
    // What was received before a failure of the source need not be requested again. If the queue has failed, that is
    // the reason.
    await put().catch(() => undefined);
    fetched.fail(error);
  }
}

async function decodeAll(
  { source, decoders, executor, clock }: FillOptions,
  fetched: BoundedQueue<readonly SourceBlock[]>,
  decoded: BoundedQueue<WaitingChunk>,
): Promise<void> {
  try {
    for (let taken = await fetched.take(); taken; taken = await fetched.take()) {
      for await (const { parent, blocks, state, openClaims, ms } of executor.execute(taken)) {
        clock.add({ execute: ms });
        const size = sum(blocks, sizeOf);
        const decoding = decodeProven(decoders, { parent, blocks }, openClaims);
        // The writer awaits it in its turn.
        decoding.catch(() => undefined);
        await decoded.put({ decoding, raw: source.isStored ? [] : blocks, state }, size);
      }
      if (executor.hasStopped) break;
    }
    decoded.close();
  } catch (error) {
    decoded.fail(error);
  }
}

/** @throws BlockRejectedError for an error in the blocks' bytes rather than in one of the proofs */
async function decodeProven(decoders: DecoderPool, chunk: Chunk, claims: readonly ProofClaim[]): Promise<DecodedChunk> {
  const verifying = decoders.verifyProofs(claims);
  verifying.catch(() => undefined);
  const decoded = await decoders.decode(chunk);
  await verifying;
  return decoded;
}

/** While a batch is written, the next one is formed. */
async function writeAll(
  options: FillOptions,
  decoded: BoundedQueue<WaitingChunk>,
  signal: AbortSignal,
): Promise<ChainEnd> {
  const batches = new BatchSequence(options);
  const gathering = new Gathering();
  let writing: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  while (!signal.aborted) {
    try {
      const waiting = await decoded.take();
      if (!waiting) break;
      gathering.add(await waiting.decoding, waiting.raw, waiting.state);
    } catch (error) {
      failure = { error };
      break;
    }
    const batch = gathering.takeWide(batches.width);
    if (!batch) continue;
    await writing;
    writing = batches.write(batch);
    // It is awaited before the next one is written, or at the end.
    writing.catch(() => undefined);
  }
  await writing;
  await batches.write(gathering.takeProven());
  if (mayHold(signal, failure?.error)) await batches.write(gathering.takeOpen());
  if (failure) throw failure.error;
  return batches.end;
}

/**
 * Whether blocks that only later ones prove are verified by themselves and written at the end. Not if there is no
 * time for that, nor if the chain that was to prove them is invalid.
 */
function mayHold(signal: AbortSignal, error: unknown): boolean {
  return !signal.aborted && !(error instanceof BlockRejectedError || error instanceof FinalizationProofError);
}

/** Writes consecutive batches. */
class BatchSequence {
  readonly #options: FillOptions;
  readonly #width = new BatchWidth();
  #end: ChainEnd;
  #finalizedHeight: number;

  constructor(options: FillOptions) {
    this.#options = options;
    this.#end = options.start;
    this.#finalizedHeight = options.finalizedHeight;
  }

  /** Position after the last written batch. */
  get end(): ChainEnd {
    return this.#end;
  }

  /** Number of blocks for the next batch. */
  get width(): number {
    return this.#width.blocks;
  }

  async write(batch: GatheredBatch): Promise<void> {
    const { writer, decoders, clock, onWritten } = this.#options;
    const { chunks, raw, blocks, state } = batch;
    const last = chunks.at(-1);
    if (!last) return;
    // Votes cover these blocks, but the chain has not reached the block of the votes: they have to be verified by
    // themselves.
    await decoders.verifyProofs(state.openClaims);
    const startedAt = performance.now();
    this.#finalizedHeight = state.finalizations.at(-1)?.height ?? this.#finalizedHeight;
    const heights = { finalizedHeight: this.#finalizedHeight, nodeFinalizedHeight: state.claimedHeight };
    const floor = rollbackFloor(heights, last.end.height);
    const { finalizations, recomputed } = state;
    const step: Step = {
      previous: this.#end,
      rows: chunks,
      raw,
      recomputed,
      finalizations,
      unproven: state.contradiction && describeContradiction(state.contradiction),
      announce: false,
      blocks: [],
      // Serialized when it is written: it may be large.
      get state(): StateChange {
        return { ...state.change(floor), registrations: chunks.flatMap(({ registrations }) => registrations) };
      },
    };
    clock.add(await writer.write(step));
    const ms = performance.now() - startedAt;
    for (const { spent } of chunks) clock.add(spent);
    this.#width.wrote(blocks, ms);
    const previous = this.#end;
    this.#end = last.end;
    const transactions = sum(chunks, (chunk) => chunk.transactions);
    const { overruled, differing, contradiction } = state;
    onWritten({ previous, rows: chunks, blocks, transactions, overruled, differing, contradiction, ms });
  }
}

/** Bytes of a block with its statement and roots. */
function sizeOf({ bytes, statement, subCacheMerkleRoots }: SourceBlock): number {
  return bytes.length + statement.length + subCacheMerkleRoots.length;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
