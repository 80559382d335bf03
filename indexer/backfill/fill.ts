import { BatchWidth } from "./batch-width.js";
import type { BatchWriter } from "./batch-writer.js";
import { BoundedQueue } from "./bounded-queue.js";
import { type ChainEnd, endBehind } from "./chain-end.js";
import type { DecodedChunk } from "./decode-chunk.js";
import type { DecoderPool } from "./decoder-pool.js";
import type { BlockSource, SourceBlock } from "./source.js";
import type { StageClock } from "./stage-times.js";

export interface FillOptions {
  readonly source: BlockSource;
  readonly decoders: DecoderPool;
  readonly writer: BatchWriter;
  /** Where the index stands. */
  readonly start: ChainEnd;
  /** The last height to be filled. */
  readonly to: number;
  readonly clock: StageClock;
  /** A batch was written, which took `ms` milliseconds. */
  readonly onWritten: (batch: { readonly blocks: number; readonly transactions: number; readonly ms: number }) => void;
}

/** Blocks that a thread is given at a time, and their bytes: small enough to keep all threads busy. */
const CHUNK_BLOCKS = 64;
const CHUNK_BYTES = 1024 * 1024;
/** Bytes of blocks that wait to be decoded, and that are decoded or wait to be written. */
const FETCHED_BYTES = 16 * 1024 * 1024;
const DECODED_BYTES = 24 * 1024 * 1024;
/** Bytes that one batch holds at most, as they go to the database. */
const BATCH_BYTES = 64 * 1024 * 1024;

interface WaitingChunk {
  readonly decoding: Promise<DecodedChunk>;
}

/**
 * Fills the index from `start` to `to`, in stages with bounded queues between them: the source, the threads that decode
 * and check, the one writer, in order. What came before a block that is refused, or before an abort, is written.
 * @returns where the index stands then: at `to`, unless `signal` was aborted
 * @throws BlockRefusedError; errors of source and database as they come
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
    const over = new Error("Filling has ended");
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
  try {
    let askedAt = performance.now();
    for await (const blocks of source.read(start.height + 1, to)) {
      clock.add({ fetch: performance.now() - askedAt });
      if (signal.aborted) break;
      for (const chunk of chunksOf(blocks)) await fetched.put(chunk, bytesOf(chunk));
      askedAt = performance.now();
    }
    fetched.close();
  } catch (error) {
    fetched.fail(error);
  }
}

async function decodeAll(
  { decoders, start }: FillOptions,
  fetched: BoundedQueue<readonly SourceBlock[]>,
  decoded: BoundedQueue<WaitingChunk>,
): Promise<void> {
  let parent = start;
  try {
    for (let blocks = await fetched.take(); blocks; blocks = await fetched.take()) {
      const end = endBehind(parent, blocks);
      const size = bytesOf(blocks);
      const decoding = decoders.decode({ parent, blocks });
      // It is awaited by the writer, when it is its turn.
      decoding.catch(() => undefined);
      await decoded.put({ decoding }, size);
      parent = end;
    }
    decoded.close();
  } catch (error) {
    decoded.fail(error);
  }
}

async function writeAll(
  options: FillOptions,
  decoded: BoundedQueue<WaitingChunk>,
  signal: AbortSignal,
): Promise<ChainEnd> {
  const batches = new Batches(options);
  let failure: { readonly error: unknown } | undefined;
  while (!signal.aborted) {
    try {
      const waiting = await decoded.take();
      if (!waiting) break;
      batches.add(await waiting.decoding);
    } catch (error) {
      failure = { error };
      break;
    }
    if (batches.isFull) await batches.write();
  }
  // Whatever is wrong with what comes next, what is here is good.
  await batches.write();
  if (failure) throw failure.error;
  return batches.end;
}

/** Gathers chunks, and writes them when there are enough. */
class Batches {
  readonly #options: FillOptions;
  readonly #width = new BatchWidth();
  #chunks: DecodedChunk[] = [];
  #end: ChainEnd;

  constructor(options: FillOptions) {
    this.#options = options;
    this.#end = options.start;
  }

  /** Behind the last batch that was written. */
  get end(): ChainEnd {
    return this.#end;
  }

  get isFull(): boolean {
    const blocks = sum(this.#chunks, (chunk) => chunk.blocks);
    return blocks >= this.#width.blocks || sum(this.#chunks, copiedBytes) >= BATCH_BYTES;
  }

  add(chunk: DecodedChunk): void {
    this.#options.clock.add(chunk.spent);
    this.#chunks.push(chunk);
  }

  async write(): Promise<void> {
    const { writer, clock, onWritten } = this.#options;
    const chunks = this.#chunks;
    const last = chunks.at(-1);
    if (!last) return;
    const startedAt = performance.now();
    clock.add(await writer.write({ previous: this.#end, chunks }));
    const ms = performance.now() - startedAt;
    const blocks = sum(chunks, (chunk) => chunk.blocks);
    this.#width.wrote(blocks, ms);
    this.#end = last.end;
    this.#chunks = [];
    onWritten({ blocks, transactions: sum(chunks, (chunk) => chunk.transactions), ms });
  }
}

function* chunksOf(blocks: readonly SourceBlock[]): Generator<readonly SourceBlock[]> {
  let chunk: SourceBlock[] = [];
  for (const block of blocks) {
    chunk.push(block);
    if (chunk.length < CHUNK_BLOCKS && bytesOf(chunk) < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function bytesOf(blocks: readonly SourceBlock[]): number {
  return sum(blocks, ({ bytes, statement, subCacheMerkleRoots }) => {
    return bytes.length + statement.length + subCacheMerkleRoots.length;
  });
}

function copiedBytes({ tables, lists }: DecodedChunk): number {
  return lists.length + sum(tables, ({ bytes }) => bytes.length);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
