import { transactionHash } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { NodeError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { KnownPartialTransaction, PartialTransaction } from "../../catapult/wire/transaction-pool.js";
import type { IndexContext } from "../chain/step/index-context.js";
import { Slices } from "../chain/step/slices.js";

/** A node's pending transactions, by hashes as hex digits: as received, unverified. */
export interface NodePool {
  readonly unconfirmed: ReadonlyMap<string, Buffer>;
  readonly partial: ReadonlyMap<string, PartialTransaction>;
  /** For each group, whether it is complete: otherwise missing ones may still be pending. */
  readonly isWhole: { readonly unconfirmed: boolean; readonly partial: boolean };
  /** Whether the rest was ignored because of the limits. */
  readonly isTooLarge: boolean;
}

type Asking = Pick<NodeClient, "unconfirmedTransactions" | "partialTransactions" | "connectedNode">;

/** Maximum number of responses per poll and group: a node truncates each at 5 MB by default. */
const MAX_ANSWERS = 16;
/** Maximum size of a pool, in bytes, and number of its transactions: nodes keep 20 MB of each group by default. */
export const MAX_POOL_SIZE = 32 * 1024 * 1024;
export const MAX_POOL_ENTRIES = 100_000;
/** After this number of consecutive requests about partial transactions without a response, a node takes none. */
const MAX_FAILURES = 2;
/** A node without an answer is not asked again for this long, in ms, and for longer each time. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

const NO_PARTIAL =
  "The node does not answer about partial transactions: without its extension.partialtransaction, it takes no bonded aggregates";

/** Reads all pending transactions of a node, in as many requests as needed. */
export class NodePoolReader {
  readonly #node: Asking;
  readonly #context: Pick<IndexContext, "network" | "log">;
  #failures = 0;
  #pausedUntil = 0;
  /** The node that has failed, as `host:port`. */
  #failing: string | undefined;

  constructor(node: Asking, context: Pick<IndexContext, "network" | "log">) {
    this.#node = node;
    this.#context = context;
  }

  /** Whether the connected node takes partial transactions, as far as it is known. */
  get takesPartial(): boolean {
    return this.#failures < MAX_FAILURES || this.#node.connectedNode?.node !== this.#failing;
  }

  /** @throws errors of the node client */
  async read(): Promise<NodePool> {
    const node = this.#node;
    const reading = new PoolReading(this.#context.network);
    const unconfirmed = new Map<string, Buffer>();
    const knownShortHashes: Buffer[] = [];
    const hasAllUnconfirmed = await reading.readAll(
      unconfirmed,
      () => node.unconfirmedTransactions({ knownShortHashes }),
      (transaction) => transaction,
      (hash) => knownShortHashes.push(hash.subarray(0, 4)),
    );
    const partial = new Map<string, PartialTransaction>();
    const isPaused = !this.takesPartial && performance.now() < this.#pausedUntil;
    const hasAllPartial = !isPaused && (await this.#readPartial(reading, partial));
    const isWhole = { unconfirmed: hasAllUnconfirmed, partial: hasAllPartial };
    return { unconfirmed, partial, isWhole, isTooLarge: reading.isTooLarge };
  }

  /** Not every node supports them, and one that does not may close the connection on a request. */
  async #readPartial(reading: PoolReading, partial: Map<string, PartialTransaction>): Promise<boolean> {
    const node = this.#node;
    const known: KnownPartialTransaction[] = [];
    const name = node.connectedNode?.node;
    if (name !== this.#failing) this.#failures = 0;
    try {
      const hasAll = await reading.readAll(
        partial,
        () => node.partialTransactions({ known }),
        ({ transaction }) => transaction,
        (hash, { cosignatures }) => known.push({ hash, cosignatures }),
      );
      this.#failures = 0;
      return hasAll;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#failing = name;
      this.#failures += 1;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - MAX_FAILURES));
      if (this.#failures >= MAX_FAILURES) this.#pausedUntil = performance.now() + pauseMs;
      if (this.#failures === MAX_FAILURES) this.#context.log.warn({ node: name, reason: error.reason }, NO_PARTIAL);
      throw error;
    }
  }
}

/** One reading of a pool: within the limits, and in slices. */
class PoolReading {
  readonly #network: NetworkIdentity;
  readonly #slices = new Slices();
  #size = 0;
  #entries = 0;

  constructor(network: NetworkIdentity) {
    this.#network = network;
  }

  get isTooLarge(): boolean {
    return this.#size > MAX_POOL_SIZE || this.#entries > MAX_POOL_ENTRIES;
  }

  /** @returns whether the node had no more in the end */
  async readAll<T>(
    found: Map<string, T>,
    readMore: () => Promise<T[]>,
    bytesOf: (one: T) => Buffer,
    onFound: (hash: Buffer, one: T) => void,
  ): Promise<boolean> {
    for (let answers = 0; answers < MAX_ANSWERS && !this.isTooLarge; answers += 1) {
      const before = found.size;
      for (const one of await readMore()) {
        if (this.#slices.isUsedUp) await this.#slices.next();
        const bytes = bytesOf(one);
        const hash = transactionHash(bytes, this.#network);
        const key = hash.toString("hex");
        if (found.has(key)) continue;
        this.#size += bytes.length;
        this.#entries += 1;
        if (this.isTooLarge) return false;
        found.set(key, one);
        onFound(hash, one);
      }
      if (found.size === before) return true;
    }
    return false;
  }
}
