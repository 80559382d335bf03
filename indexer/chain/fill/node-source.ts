import type { Logger } from "pino";
import { NodeUnavailableError } from "../../../catapult/wire/errors.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import { LARGEST_RANGE, RangeLimit } from "../step/range-limit.js";
import type { BlockSource, SourceBlock } from "./source.js";

/** Concurrent ranges per connection: one answer of each is kept. */
const RANGES_AHEAD = 4;

/** Requested blocks, and the answer to the first request for them: a node may send a part of them. */
interface RequestedRange {
  readonly client: NodeClient;
  readonly from: number;
  readonly count: number;
  readonly answer: Promise<readonly SourceBlock[]>;
}

/** How much a fill requests at once. It outlives the connections, so that the next attempt requests less. */
export function largestRanges(): RangeLimit {
  return new RangeLimit(LARGEST_RANGE);
}

/** A node lacks a block that it should have: it has switched to a shorter branch, or sent false information. */
export class BlocksMissingError extends Error {
  override readonly name = "BlocksMissingError";
}

/**
 * Blocks of a node. Requests are pipelined: while a range is being received, the next ones are already requested. All
 * connections but the first may be rejected by the node, which allows few per identity.
 *
 * Memory is bounded, whatever the node sends: several blocks have at most the requested bytes, or they are not received.
 * A single block has no limit, so nothing is requested ahead of it.
 */
export class NodeSource implements BlockSource {
  readonly #log: Logger;
  readonly #first: NodeClient;
  readonly #range: RangeLimit;
  #clients: readonly NodeClient[];

  /** @param clients at least one, each with its own connection */
  constructor(clients: readonly [NodeClient, ...NodeClient[]], log: Logger, range: RangeLimit) {
    this.#clients = clients;
    this.#first = clients[0];
    this.#log = log;
    this.#range = range;
  }

  async *read(from: number, to: number): AsyncGenerator<readonly SourceBlock[]> {
    const ranges: RequestedRange[] = [];
    let next = from;
    for (let turn = 0; next <= to || ranges.length > 0; ) {
      while (next <= to && ranges.length < this.#rangesAhead) {
        const count = Math.min(this.#range.current.maxBlocks, to - next + 1);
        const client = this.#clients[turn++ % this.#clients.length] as NodeClient;
        const answer = this.#fetch(client, next, count);
        // It is awaited later, in its turn, if that ever comes.
        answer.catch(() => undefined);
        ranges.push({ client, from: next, count, answer });
        next += count;
      }
      const range = ranges.shift();
      if (range) yield* this.#blocksOf(range);
    }
  }

  get #rangesAhead(): number {
    return this.#range.current.maxBlocks === 1 ? 1 : RANGES_AHEAD * this.#clients.length;
  }

  /** As many requests as the node needs to send all of them. */
  async *#blocksOf({ client, from, count, answer }: RequestedRange): AsyncGenerator<readonly SourceBlock[]> {
    let blocks = await answer;
    yield blocks;
    for (let fetched = blocks.length; fetched < count; fetched += blocks.length) {
      blocks = await this.#fetch(client, from + fetched, count - fetched);
      yield blocks;
    }
  }

  async #fetch(client: NodeClient, from: number, count: number): Promise<readonly SourceBlock[]> {
    try {
      return await this.#fetchFrom(client, from, count);
    } catch (error) {
      if (client === this.#first || !(error instanceof NodeUnavailableError)) throw error;
      if (this.#clients.includes(client)) {
        this.#log.info({ reason: error.message }, "The node accepts no further connection; continuing with fewer");
        this.#clients = this.#clients.filter((one) => one !== client);
      }
      return this.#fetchFrom(this.#first, from, count);
    }
  }

  async #fetchFrom(client: NodeClient, from: number, count: number): Promise<readonly SourceBlock[]> {
    const blocks = await this.#range.request(({ maxBytes }) =>
      client.blocks(from, { maxBlocks: count, maxBytes, ...(count > 1 && { maxAnswerSize: LARGEST_RANGE.maxBytes }) }),
    );
    if (blocks.length === 0) throw new BlocksMissingError(`The node no longer has block ${from}`);
    return blocks.map((bytes) => ({ bytes, statement: NOTHING, subCacheMerkleRoots: NOTHING }));
  }
}

const NOTHING = Buffer.alloc(0);
