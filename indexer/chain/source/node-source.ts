import type { NodeClient } from "../../../catapult/wire/node-client.js";
import { type BlockLimits, joinScore } from "../../../catapult/wire/requests.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { ProofRules } from "../../../ledger/finalization/verify-proof.js";
import type { IndexerLimits } from "../../limits/indexer-limits.js";
import { ProvenBranches, type VotedBranches } from "../finality/votes.js";
import { MAX_RANGE, RangeLimit } from "../step/range-limit.js";
import type { RawBlock } from "../step/raw-rows.js";
import { BlocksMissingError, type Source, type SourceChain } from "./source.js";

/** The node that is followed, of those that may be: see `FollowedNodes`. */
export interface SourceNode {
  readonly client: NodeClient;
  /** Awaits an answer of the node, which is measured. */
  wait<T>(answer: Promise<T>): Promise<T>;
}

/**
 * Concurrent ranges: one answer of each is kept. A node answers the requests of a connection one after another, and faster
 * than blocks are executed: these hide the time on the way, and a second connection would not do more.
 */
const RANGES_AHEAD = 8;

/** Requested blocks, and the answer to the first request for them: a node may send a part of them. */
interface RequestedRange {
  readonly from: number;
  readonly count: number;
  readonly answer: Promise<readonly Buffer[]>;
}

/** The followed node. How much is requested at once outlives its connections: less after an answer that came too late. */
export class NodeSource implements Source {
  readonly name = "The node";
  readonly isStored = false;
  readonly #node: SourceNode;
  readonly #range: RangeLimit;

  constructor(node: SourceNode, limits: Pick<IndexerLimits, "requestBlocks">) {
    this.#node = node;
    this.#range = new RangeLimit({ ...MAX_RANGE, maxBlocks: limits.requestBlocks });
  }

  get servedBy(): string | undefined {
    return this.#node.client.connectedNode?.node;
  }

  async chain(): Promise<SourceChain> {
    const { client } = this.#node;
    const answers = Promise.all([client.chainStatistics(), client.finalizationStatistics()]);
    const [statistics, finalized] = await this.#node.wait(answers);
    return { height: statistics.height, score: joinScore(statistics), finalized };
  }

  blockHashes(from: number, count: number): Promise<readonly Buffer[]> {
    return this.#node.wait(this.#node.client.blockHashes(from, count));
  }

  finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined> {
    return this.#node.wait(this.#node.client.finalizationProofAtEpoch(epoch));
  }

  async branches(finalized: Finalization, rules: ProofRules): Promise<VotedBranches> {
    return new ProvenBranches(this, finalized, rules);
  }

  blocks(from: number, to: number): Promise<readonly Buffer[]> {
    return this.#node.wait(this.#request(from, to - from + 1));
  }

  /**
   * Requests are pipelined: while a range is being received, the next ones are already requested.
   *
   * Memory is bounded, whatever the node sends: several blocks have at most the requested bytes, or they are not
   * received. A single block has no limit, so nothing is requested ahead of it.
   */
  async *read(from: number, to: number): AsyncGenerator<readonly RawBlock[]> {
    const ranges: RequestedRange[] = [];
    for (let next = from; next <= to || ranges.length > 0; ) {
      while (next <= to && ranges.length < this.#rangesAhead) {
        const count = Math.min(this.#range.current.maxBlocks, to - next + 1);
        const answer = this.#requestExisting(next, count);
        // The answer is awaited after those before it, if the loop comes to it.
        answer.catch(() => undefined);
        ranges.push({ from: next, count, answer });
        next += count;
      }
      const range = ranges.shift();
      if (range) yield* this.#blocksOf(range);
    }
  }

  get #rangesAhead(): number {
    return this.#range.current.maxBlocks === 1 ? 1 : RANGES_AHEAD;
  }

  /** As many requests as the node needs to send all of them. */
  async *#blocksOf({ from, count, answer }: RequestedRange): AsyncGenerator<readonly RawBlock[]> {
    let blocks = await this.#node.wait(answer);
    yield blocks.map(unexecuted);
    for (let fetched = blocks.length; fetched < count; fetched += blocks.length) {
      blocks = await this.#node.wait(this.#requestExisting(from + fetched, count - fetched));
      yield blocks.map(unexecuted);
    }
  }

  /** Requests blocks that the node should have. */
  async #requestExisting(from: number, count: number): Promise<readonly Buffer[]> {
    const limits = count > 1 ? { maxAnswerSize: MAX_RANGE.maxBytes } : {};
    const blocks = await this.#request(from, count, limits);
    if (blocks.length === 0) throw new BlocksMissingError(this, from);
    return blocks;
  }

  #request(from: number, count: number, limits: Partial<BlockLimits> = {}): Promise<Buffer[]> {
    return this.#range.request(({ maxBlocks, maxBytes }) =>
      this.#node.client.blocks(from, { maxBlocks: Math.min(maxBlocks, count), maxBytes, ...limits }),
    );
  }
}

const NOTHING = Buffer.alloc(0);

function unexecuted(bytes: Buffer): RawBlock {
  return { bytes, statement: NOTHING, subCacheMerkleRoots: NOTHING };
}
