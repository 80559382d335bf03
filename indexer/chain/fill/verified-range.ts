import type { Block } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { ExecutedState } from "../execution/executed-state.js";
import type { Executor } from "../execution/executor.js";
import { hashOf } from "../finality/votes.js";
import { BranchLeftError, hasLeftBranch, type Source, type SourceBlock } from "../source/source.js";
import type { ChainEnd } from "../step/chain-position.js";
import { BoundedQueue } from "./bounded-queue.js";
import type { DecodedChunk } from "./decode-chunk.js";
import type { DecoderPool } from "./decoder-pool.js";
import type { ExecutedBlocks, RangeExecutor } from "./range-executor.js";
import type { StageClock } from "./stage-times.js";

export interface VerifiedRangeOptions {
  readonly source: Source;
  /** At `start`. */
  readonly executor: Pick<Executor, "distrust">;
  readonly rangeExecutor: RangeExecutor;
  readonly decoders: DecoderPool;
  /** The block before the range. */
  readonly start: ChainEnd;
  /** Last height. */
  readonly to: number;
  readonly clock: StageClock;
  readonly limits: RangeLimits;
  readonly watch?: RangeWatch | undefined;
}

/** Gets the progress of a range. */
export interface RangeWatch {
  /** The blocks of a range up to this height are verified. */
  verified(height: number): void;
  /** Something was written. */
  wrote(): void;
}

/** How much of a range is in memory. */
export interface RangeLimits {
  /**
   * Maximum blocks per chunk for a thread: small enough to keep all threads busy. The first chunks are smaller, so that
   * something is written soon; the more blocks follow, the larger they are, because keys and lists of a chunk are numbered
   * and counted together.
   */
  readonly chunkBlocks: { readonly first: number; readonly growth: number; readonly most: number };
  /** Maximum bytes of blocks that are being decoded or queued for writing. */
  readonly decodedBytes: number;
}

/** Consecutive blocks that may be written: everything about them is verified, but for the open claims of their state. */
export interface VerifiedChunk {
  readonly decoded: DecodedChunk;
  /** The same blocks with the results of their execution; none if they are stored already. */
  readonly raw: readonly SourceBlock[];
  /** The same blocks, decoded; none far below the head. */
  readonly blocks: readonly Block[];
  readonly state: ExecutedState;
}

const CHUNK_BYTES = 1024 * 1024;
/** Maximum bytes of blocks that are queued for execution. */
const FETCHED_BYTES = 8 * 1024 * 1024;

type WaitingChunk = Omit<VerifiedChunk, "decoded"> & { readonly decoding: Promise<DecodedChunk> };

/**
 * Fetches, executes and verifies the blocks of a range, in stages with bounded queues between them: the source, the
 * executor, the decoding threads. The executor runs ahead of what is yielded.
 *
 * @throws BlockRejectedError when a block of the source's branch is invalid, BranchLeftError when the source has left the
 *   branch meanwhile, FinalizationProofError; errors of the source as they are. What comes before is yielded first.
 */
export async function* verifyRange(options: VerifiedRangeOptions, signal: AbortSignal): AsyncGenerator<VerifiedChunk> {
  const fetched = new BoundedQueue<readonly SourceBlock[]>(FETCHED_BYTES);
  const verifying = new BoundedQueue<WaitingChunk>(options.limits.decodedBytes);
  const ended = new AbortController();
  const signals = AbortSignal.any([signal, ended.signal]);
  const stages = Promise.allSettled([fetchAll(options, fetched, signals), executeAll(options, fetched, verifying)]);
  try {
    for (;;) {
      const waiting = await verifying.take();
      if (!waiting) return;
      const { decoding, ...chunk } = waiting;
      const decoded = await decoding;
      options.watch?.verified(decoded.end.height);
      yield { ...chunk, decoded };
    }
  } finally {
    ended.abort();
    const over = new Error("The range has ended");
    fetched.fail(over);
    verifying.fail(over);
    await stages;
  }
}

async function fetchAll(
  { source, start, to, clock, limits: { chunkBlocks } }: VerifiedRangeOptions,
  fetched: BoundedQueue<readonly SourceBlock[]>,
  signal: AbortSignal,
): Promise<void> {
  let chunk: SourceBlock[] = [];
  let bytes = 0;
  let fetchedBlocks = 0;
  const maxBlocks = () => Math.min(chunkBlocks.most, chunkBlocks.first + chunkBlocks.growth * fetchedBlocks);
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

async function executeAll(
  options: VerifiedRangeOptions,
  fetched: BoundedQueue<readonly SourceBlock[]>,
  verifying: BoundedQueue<WaitingChunk>,
): Promise<void> {
  const { source, rangeExecutor, clock } = options;
  let parent = options.start;
  try {
    for (let taken = await fetched.take(); taken; taken = await fetched.take()) {
      const judge = judgeOf(options, parent, taken);
      try {
        for await (const piece of rangeExecutor.execute(taken)) {
          clock.add({ execute: piece.ms });
          const decoding = decodeProven(options.decoders, piece).catch(judge);
          // The reader awaits it in its turn.
          decoding.catch(() => undefined);
          const raw = source.isStored ? [] : piece.blocks;
          await verifying.put({ decoding, raw, blocks: piece.decoded, state: piece.state }, sum(piece.blocks, sizeOf));
        }
      } catch (error) {
        await judge(error);
      }
      if (rangeExecutor.hasStopped) break;
      parent = rangeExecutor.end;
    }
    verifying.close();
  } catch (error) {
    verifying.fail(error);
  }
}

/** Of an error about one of these blocks: throws what it means. */
function judgeOf({ source, executor }: VerifiedRangeOptions, parent: ChainEnd, blocks: readonly SourceBlock[]) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof BlockRejectedError)) throw error;
    const place = error.height - parent.height - 1;
    const rejected = blocks[place];
    if (rejected && !source.isStored) {
      const before = blocks[place - 1];
      const previous = before ? { height: error.height - 1, hash: hashOf(before.bytes)! } : parent;
      if (await hasLeftBranch(source, previous, rejected.bytes, error)) throw new BranchLeftError(source, error);
    }
    // The terms of a generation hash come from the state.
    if (error.field.startsWith("generationHash")) executor.distrust(error);
    throw error;
  };
}

/** @throws BlockRejectedError for an error in the blocks' bytes rather than in one of the proofs */
async function decodeProven(decoders: DecoderPool, executed: ExecutedBlocks): Promise<DecodedChunk> {
  const proving = decoders.verifyProofs(executed.openClaims);
  proving.catch(() => undefined);
  const decoded = await decoders.decode(executed);
  await Promise.all(executed.signatures);
  await proving;
  return decoded;
}

/** Bytes of a block with its statement and roots. */
function sizeOf({ bytes, statement, subCacheMerkleRoots }: SourceBlock): number {
  return bytes.length + statement.length + subCacheMerkleRoots.length;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
