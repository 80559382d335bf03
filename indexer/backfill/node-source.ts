import type { Logger } from "pino";
import { NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { LARGEST_RANGE, RangeLimit } from "../step/range-limit.js";
import type { BlockSource, SourceBlock } from "./source.js";

/** Concurrent ranges per connection. */
const RANGES_AHEAD = 4;

/** How much a backfill requests at once. It outlives the connections, so that the next attempt requests less. */
export function backfillRange(): RangeLimit {
  return new RangeLimit(LARGEST_RANGE);
}

/** A node lacks a block that it should have: it has switched to a shorter branch, or sent false information. */
export class BlocksMissingError extends Error {
  override readonly name = "BlocksMissingError";
}

/**
 * Blocks of a node. Requests are pipelined: while a range is being received, the next ones are already requested. All
 * connections but the first may be rejected by the node, which allows few per identity.
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
    const ranges: Promise<readonly SourceBlock[]>[] = [];
    let next = from;
    for (let turn = 0; next <= to || ranges.length > 0; ) {
      while (next <= to && ranges.length < RANGES_AHEAD * this.#clients.length) {
        const count = Math.min(this.#range.current.maxBlocks, to - next + 1);
        const range = this.#fetch(this.#clients[turn++ % this.#clients.length] as NodeClient, next, count);
        // It is awaited later, in its turn, if that ever comes.
        range.catch(() => undefined);
        ranges.push(range);
        next += count;
      }
      yield (await ranges.shift()) ?? [];
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

  #fetchFrom(client: NodeClient, from: number, count: number): Promise<readonly SourceBlock[]> {
    return this.#range.request(({ maxBytes }) => fetchRange(client, { from, count, maxBytes }));
  }
}

/** As many requests as the node needs to send all of them. */
async function fetchRange(
  client: NodeClient,
  { from, count, maxBytes }: { readonly from: number; readonly count: number; readonly maxBytes: number },
): Promise<readonly SourceBlock[]> {
  const fetched: SourceBlock[] = [];
  while (fetched.length < count) {
    const first = from + fetched.length;
    const limits = { maxBlocks: count - fetched.length, maxBytes };
    const blocks = await client.blocks(first, limits);
    if (blocks.length === 0) throw new BlocksMissingError(`The node no longer has block ${first}`);
    for (const bytes of blocks.slice(0, limits.maxBlocks)) {
      fetched.push({ bytes, statement: NOTHING, subCacheMerkleRoots: NOTHING });
    }
  }
  return fetched;
}

const NOTHING = Buffer.alloc(0);
