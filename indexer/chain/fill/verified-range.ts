import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { readBlockHash } from "../finality/votes.js";
import { BranchLeftError, hasLeftBranch } from "../source/source.js";
import { type BlockRange, sizeOf } from "../step/block-range.js";
import type { ChainEnd } from "../step/chain-position.js";
import type { RawBlock } from "../step/raw-rows.js";
import { BoundedQueue } from "./bounded-queue.js";
import type { RangeExecutor } from "./range-executor.js";
import type { RangeContext, RangeOptions } from "./range-options.js";

/** Maximum bytes of blocks that are executed, and verified, together. */
const RANGE_BYTES = 1024 * 1024;
/** Maximum bytes of blocks that are queued for execution. */
const FETCHED_BYTES = 8 * 1024 * 1024;

/**
 * Fetches, executes and verifies the blocks of a range, in stages with bounded queues between them: the source, the
 * executor, the decoding threads. The executor runs ahead of what is yielded.
 *
 * @param executor at the block before the range
 * @returns parts of the range with their rows: everything about them is verified, but for the open claims
 * @throws BlockRejectedError when a block of the source's branch is invalid, BranchLeftError when the source has left the
 *   branch meanwhile, FinalizationProofError; errors of the source as they are. What comes before is yielded first.
 */
export async function* verifyRange(
  options: RangeOptions,
  executor: RangeExecutor,
  signal: AbortSignal,
): AsyncGenerator<BlockRange> {
  const fetched = new BoundedQueue<readonly RawBlock[]>(FETCHED_BYTES);
  const verifying = new BoundedQueue<Promise<BlockRange>>(options.limits.verifiedBytes);
  const ended = new AbortController();
  const signals = AbortSignal.any([signal, ended.signal]);
  const from = executor.end.height + 1;
  const stages = Promise.allSettled([
    fetchAll(options, from, fetched, signals),
    executeAll(options, executor, fetched, verifying),
  ]);
  try {
    for (;;) {
      const range = await verifying.take();
      if (!range) return;
      options.context.watch?.verified(range.end.height);
      yield range;
    }
  } finally {
    ended.abort();
    const closed = new Error("The range has ended");
    fetched.fail(closed);
    verifying.fail(closed);
    await stages;
  }
}

async function fetchAll(
  { context: { source }, wanted: { to }, clock, limits: { verified } }: RangeOptions,
  from: number,
  fetched: BoundedQueue<readonly RawBlock[]>,
  signal: AbortSignal,
): Promise<void> {
  let blocks: RawBlock[] = [];
  let bytes = 0;
  let count = 0;
  const maxBlocks = () => Math.min(verified.max, verified.first + verified.growth * count);
  const put = async (): Promise<void> => {
    const [some, size] = [blocks, bytes];
    blocks = [];
    bytes = 0;
    count += some.length;
    if (some.length > 0) await fetched.put(some, size);
  };
  try {
    let askedAt = performance.now();
    for await (const received of source.read(from, to)) {
      clock.add({ fetch: performance.now() - askedAt });
      if (signal.aborted) break;
      for (const block of received) {
        blocks.push(block);
        bytes += sizeOf(block);
        if (blocks.length >= maxBlocks() || bytes >= RANGE_BYTES) await put();
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
  options: RangeOptions,
  executor: RangeExecutor,
  fetched: BoundedQueue<readonly RawBlock[]>,
  verifying: BoundedQueue<Promise<BlockRange>>,
): Promise<void> {
  try {
    for (let blocks = await fetched.take(); blocks; blocks = await fetched.take()) {
      const explain = explainRejection(options.context, executor.end, blocks);
      try {
        for await (const range of executor.execute(blocks)) {
          const { size } = range;
          const verified = verify(options, range).catch(explain);
          // The reader awaits it in its turn.
          verified.catch(() => undefined);
          await verifying.put(verified, size);
        }
      } catch (error) {
        await explain(error);
      }
      if (executor.hasStopped) break;
    }
    verifying.close();
  } catch (error) {
    verifying.fail(error);
  }
}

/** Of an error about one of these blocks: throws what it means. */
function explainRejection({ source, ledger }: RangeContext, parent: ChainEnd, blocks: readonly RawBlock[]) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof BlockRejectedError)) throw error;
    const index = error.height - parent.height - 1;
    const rejected = blocks[index];
    if (rejected && !source.isStored) {
      const before = blocks[index - 1];
      const previous = before ? { height: error.height - 1, hash: readBlockHash(before.bytes)! } : parent;
      if (await hasLeftBranch(source, previous, rejected.bytes, error)) throw new BranchLeftError(source, error);
    }
    // The terms of a generation hash come from the state.
    if (error.field.startsWith("generationHash")) ledger.invalidateState(error);
    throw error;
  };
}

/**
 * Verifies what needs no state, and makes the rows.
 * @throws BlockRejectedError for an error in the blocks' bytes rather than in one of the proofs
 */
async function verify({ decoders, context: { source }, clock }: RangeOptions, range: BlockRange): Promise<BlockRange> {
  const claims = range.awaitsProof ? [] : range.openClaims.splice(0);
  const proving = decoders.verifyProofs(claims);
  proving.catch(() => undefined);
  const { spent, ...rows } = await decoders.verify(range);
  clock.add(spent);
  range.addRows(rows);
  await Promise.all(range.signatures);
  await proving;
  if (source.isStored) range.forgetBytes();
  return range;
}
