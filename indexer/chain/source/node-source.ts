import type { Logger } from "pino";
import { NodeUnavailableError } from "../../../catapult/wire/errors.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import { type BlockLimits, scoreOf } from "../../../catapult/wire/requests.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { ProofRules } from "../../../ledger/finalization/verify-proof.js";
import { ProvenBranches, type VotedBranches } from "../finality/votes.js";
import type { IndexPlace } from "../step/index-place.js";
import { MAX_RANGE, RangeLimit } from "../step/range-limit.js";
import type { RawBlock } from "../step/raw-rows.js";
import { BlocksMissingError, type Source, type SourceChain } from "./source.js";

/** The node that is followed, of those that may be: see `FollowedNodes`. */
export interface SourceNode {
  readonly client: NodeClient;
  /** Another connection to the same node, if it can be opened: it makes the answers of several requests overlap. */
  openSecond(): NodeClient | undefined;
  /** Awaits an answer of the node, which is measured. */
  wait<T>(answer: Promise<T>): Promise<T>;
}

/** Concurrent ranges per connection: one answer of each is kept. */
const RANGES_AHEAD = 4;

/** Requested blocks, and the answer to the first request for them: a node may send a part of them. */
interface RequestedRange {
  readonly client: NodeClient;
  readonly from: number;
  readonly count: number;
  readonly answer: Promise<readonly Buffer[]>;
}

/** The followed node. How much is requested at once outlives its connections: less after an answer that came too late. */
export class NodeSource implements Source {
  readonly name = "The node";
  readonly isStored = false;
  readonly #node: SourceNode;
  readonly #log: Logger;
  readonly #range: RangeLimit;

  constructor(node: SourceNode, { log, limits }: Pick<IndexPlace, "log" | "limits">) {
    this.#node = node;
    this.#log = log;
    this.#range = new RangeLimit({ ...MAX_RANGE, maxBlocks: limits.requestBlocks });
  }

  get servedBy(): string | undefined {
    return this.#node.client.connectedNode?.node;
  }

  async chain(): Promise<SourceChain> {
    const { client } = this.#node;
    const answers = Promise.all([client.chainStatistics(), client.finalizationStatistics()]);
    const [statistics, finalized] = await this.#node.wait(answers);
    return { height: statistics.height, score: scoreOf(statistics), finalized };
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
    return this.#node.wait(this.#request(this.#node.client, from, to - from + 1));
  }

  /**
   * Requests are pipelined: while a range is being received, the next ones are already requested. The second connection
   * may be rejected by the node, which allows few per identity.
   *
   * Memory is bounded, whatever the node sends: several blocks have at most the requested bytes, or they are not
   * received. A single block has no limit, so nothing is requested ahead of it.
   */
  async *read(from: number, to: number): AsyncGenerator<readonly RawBlock[]> {
    const second = this.#node.openSecond();
    const clients = second ? [this.#node.client, second] : [this.#node.client];
    try {
      const ranges: RequestedRange[] = [];
      let next = from;
      for (let turn = 0; next <= to || ranges.length > 0; ) {
        while (next <= to && ranges.length < this.#rangesAhead(clients)) {
          const count = Math.min(this.#range.current.maxBlocks, to - next + 1);
          const client = clients[turn++ % clients.length]!;
          const answer = this.#requestFrom(client, clients, next, count);
          // It is awaited later, in its turn, if that ever comes.
          answer.catch(() => undefined);
          ranges.push({ client, from: next, count, answer });
          next += count;
        }
        const range = ranges.shift();
        if (range) yield* this.#blocksOf(range, clients);
      }
    } finally {
      await second?.close();
    }
  }

  #rangesAhead({ length }: readonly NodeClient[]): number {
    return this.#range.current.maxBlocks === 1 ? 1 : RANGES_AHEAD * length;
  }

  /** As many requests as the node needs to send all of them. */
  async *#blocksOf(
    { client, from, count, answer }: RequestedRange,
    clients: NodeClient[],
  ): AsyncGenerator<readonly RawBlock[]> {
    let blocks = await this.#node.wait(answer);
    yield blocks.map(unexecuted);
    for (let fetched = blocks.length; fetched < count; fetched += blocks.length) {
      blocks = await this.#node.wait(this.#requestFrom(client, clients, from + fetched, count - fetched));
      yield blocks.map(unexecuted);
    }
  }

  /** Requests blocks that the node should have, on one of these connections. */
  async #requestFrom(
    client: NodeClient,
    clients: NodeClient[],
    from: number,
    count: number,
  ): Promise<readonly Buffer[]> {
    const { client: node } = this.#node;
    try {
      const limits = count > 1 ? { maxAnswerSize: MAX_RANGE.maxBytes } : {};
      const blocks = await this.#request(client, from, count, limits);
      if (blocks.length === 0) throw new BlocksMissingError(this, from);
      return blocks;
    } catch (error) {
      if (client === node || !(error instanceof NodeUnavailableError)) throw error;
      if (clients.length > 1) {
        this.#log.info({ reason: error.message }, "The node accepts no further connection; continuing with fewer");
        clients.length = 1;
      }
      return this.#requestFrom(node, clients, from, count);
    }
  }

  #request(client: NodeClient, from: number, count: number, limits: Partial<BlockLimits> = {}): Promise<Buffer[]> {
    return this.#range.request(({ maxBlocks, maxBytes }) =>
      client.blocks(from, { maxBlocks: Math.min(maxBlocks, count), maxBytes, ...limits }),
    );
  }
}

const NOTHING = Buffer.alloc(0);

function unexecuted(bytes: Buffer): RawBlock {
  return { bytes, statement: NOTHING, subCacheMerkleRoots: NOTHING };
}
