import { transactionHash } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { NodeError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { PartialTransaction } from "../../catapult/wire/transaction-pool.js";

/** A node's pending transactions, by hashes as hex digits: as received, unverified. */
export interface NodePool {
  readonly unconfirmed: ReadonlyMap<string, Buffer>;
  readonly partial: ReadonlyMap<string, PartialTransaction>;
  /** For each group, whether it is complete: otherwise missing ones may still be pending. */
  readonly isWhole: { readonly unconfirmed: boolean; readonly partial: boolean };
}

type Asking = Pick<NodeClient, "unconfirmedTransactions" | "partialTransactions">;

export interface NodePoolReaderOptions {
  readonly node: Asking;
  readonly network: NetworkIdentity;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** Maximum number of responses per poll: a node truncates each at 5 MB by default, and its caches at 20 MB. */
const MAX_ANSWERS = 16;
/**
 * After two consecutive requests about partial transactions without a response, a node is not asked again for this
 * long, in ms.
 */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Reads all pending transactions of a node, in as many requests as needed. */
export class NodePoolReader {
  readonly #options: NodePoolReaderOptions;
  readonly #clock: () => number;
  #failures = 0;
  #pausedUntil = 0;

  constructor(options: NodePoolReaderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** @throws errors of the node client */
  async read(): Promise<NodePool> {
    const { node, network } = this.#options;
    const unconfirmed = new Map<string, Buffer>();
    const hasAllUnconfirmed = await readAll(async () => {
      const knownShortHashes = [...unconfirmed.keys()].map((hash) => Buffer.from(hash.slice(0, 8), "hex"));
      const more = await node.unconfirmedTransactions({ knownShortHashes });
      return more.filter((bytes) => putNew(unconfirmed, hashKey(bytes, network), bytes)).length;
    });
    const partial = new Map<string, PartialTransaction>();
    const hasAllPartial = this.#clock() >= this.#pausedUntil && (await this.#readPartial(partial));
    return { unconfirmed, partial, isWhole: { unconfirmed: hasAllUnconfirmed, partial: hasAllPartial } };
  }

  /** Not every node supports them, and one that does not may close the connection on a request. */
  async #readPartial(partial: Map<string, PartialTransaction>): Promise<boolean> {
    const { node, network } = this.#options;
    try {
      const hasAll = await readAll(async () => {
        const known = [...partial].map(([hash, { cosignatures }]) => ({
          hash: Buffer.from(hash, "hex"),
          cosignatures,
        }));
        const more = await node.partialTransactions({ known });
        return more.filter((one) => putNew(partial, hashKey(one.transaction, network), one)).length;
      });
      this.#failures = 0;
      return hasAll;
    } catch (error) {
      if (error instanceof NodeError) this.#failures += 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - 2));
      if (this.#failures >= 2) this.#pausedUntil = this.#clock() + pauseMs;
      throw error;
    }
  }
}

/** @returns whether the node had no more in the end */
async function readAll(readMore: () => Promise<number>): Promise<boolean> {
  for (let answers = 0; answers < MAX_ANSWERS; answers += 1) if ((await readMore()) === 0) return true;
  return false;
}

function putNew<T>(map: Map<string, T>, key: string, value: T): boolean {
  if (map.has(key)) return false;
  map.set(key, value);
  return true;
}

function hashKey(transaction: Buffer, network: NetworkIdentity): string {
  return transactionHash(transaction, network).toString("hex");
}
