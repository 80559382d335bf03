import type { Logger } from "pino";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany, splitHashes } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateProofError } from "../../catapult/state/proof.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { countPending } from "../../database/queries/state.js";
import type { IndexerMetrics } from "../metrics/metrics.js";
import type { ChainPosition } from "../step/chain-position.js";
import { NO_STATE_CHANGE, type StateChange, type UnknownState } from "../step/state-change.js";
import { Pause } from "./pause.js";
import { readPending } from "./pending.js";
import { StateProgress } from "./progress.js";
import { readStates, type StatePoint, type StateReading } from "./read.js";
import { registrationRows } from "./registrations.js";
import { addKeysOfBlocks, addKeysOfDroppedBlocks, forgottenKeys, type TouchOptions, withRoots } from "./touched.js";

export interface StateFollowerOptions extends TouchOptions {
  readonly node: NodeClient;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  /** Maximum number of keys read per step, besides those changed by its own blocks; default 2,000. */
  readonly batchSize?: number;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** How a step moves the chain, and the node's position. */
export interface ChainMove {
  /** Current position of the head row. */
  readonly previous: ChainPosition;
  /** The last kept block, if others are dropped. */
  readonly rollBackTo: ChainPosition | undefined;
  readonly blocks: readonly VerifiedBlock[];
  /** After the step. */
  readonly finalizedHeight: number;
  /** Whether finalization moves with this step. */
  readonly isFinalizing: boolean;
  /** The height of the node's chain at the poll. */
  readonly nodeHeight: number;
}

const DEFAULT_BATCH_SIZE = 2_000;
/** If a step's own blocks changed more, the blocks do not wait for it: it is read afterwards, in batches. */
const MAX_BATCHES_WITH_BLOCKS = 10;
/** Delay before a rejected value is requested again, in ms, unless the head changes earlier. */
const REJECTED_AGAIN_MS = 60_000;
const ROOT_SIZE = 32;

/** Keys rejected at a head: not requested again until a time, or another head. */
interface RejectedKeys {
  readonly head: Buffer;
  readonly until: number;
  readonly keys: StateKeySet;
}

/**
 * Keeps the state in step with the blocks. For each step it computes which keys change, and, if the step's last block
 * is the node's head, reads their values (and those of pending keys) before the step is written, so that state and
 * blocks appear together. During catch-up nothing is read: keys are queued, and each is read once at the end.
 *
 * Any failure of reading leaves keys pending and never stops the blocks.
 */
export class StateFollower {
  readonly #options: StateFollowerOptions;
  readonly #pause: Pause;
  readonly #progress: StateProgress;
  readonly #clock: () => number;
  #rejected: RejectedKeys = { head: Buffer.alloc(0), until: 0, keys: new StateKeySet() };

  constructor(options: StateFollowerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#pause = new Pause(options.log, this.#clock);
    this.#progress = new StateProgress(options.log, this.#clock);
  }

  /**
   * The state change of a step that moves the chain in this way. Reads the database and, at the node's head, the
   * node.
   */
  async change(move: ChainMove): Promise<StateChange> {
    const { db } = this.#options;
    const { previous, rollBackTo, blocks } = move;
    const touched = new StateKeySet();
    if (rollBackTo) await addKeysOfDroppedBlocks(touched, rollBackTo.height + 1, previous.height, this.#options);
    await addKeysOfBlocks(touched, blocks, this.#options);
    if (blocks.length > 0 || move.isFinalizing) touched.addAll(await forgottenKeys(db, move.finalizedHeight));
    const unread = { ...NO_STATE_CHANGE, touched: [...touched], registrations: blocks.flatMap(registrationRows) };
    const head = blocks.at(-1) ?? previous;
    if (head.height === 0 || head.height !== move.nodeHeight || !this.#pause.isOver) return unread;
    const keys = await this.#keysToRead(touched, head);
    if (keys.length === 0) return unread;
    const read = await this.#read(keys, head, blocks.at(-1));
    return { ...unread, ...read };
  }

  /** To be called after each written step. */
  async wrote(change: StateChange): Promise<void> {
    if (change.values.length === 0) return;
    await this.#progress.read(change.values.length, () => countPending(this.#options.db));
  }

  /** Keys changed by the step itself, then the oldest pending ones. */
  async #keysToRead(touched: StateKeySet, head: ChainPosition): Promise<StateKey[]> {
    const { db, batchSize = DEFAULT_BATCH_SIZE } = this.#options;
    if (touched.size > batchSize * MAX_BATCHES_WITH_BLOCKS) return [];
    const except = new StateKeySet();
    except.addAll(touched);
    const { head: rejectedAt, until, keys } = this.#rejected;
    if (rejectedAt.equals(head.hash) && this.#clock() < until) except.addAll(keys);
    return [...touched, ...(await readPending(db, batchSize, except))];
  }

  async #read(
    keys: readonly StateKey[],
    head: ChainPosition,
    block: VerifiedBlock | undefined,
  ): Promise<Pick<StateChange, "values" | "unknown" | "settled">> {
    const { db, node, network, log } = this.#options;
    const nothing = { values: [], unknown: [], settled: [] };
    try {
      const point = await this.#pointOf(head, block);
      if (!point) return nothing;
      const rooted = await withRoots(db, keys);
      const reading = await readStates(node, network.identifier, rooted.keys, point);
      this.#pause.succeeded();
      if (reading.result === "moved") {
        log.debug({ height: head.height }, "The node's head moved while state was read; it is read again");
        return nothing;
      }
      if (reading.rejected.length > 0) this.#reject(reading.rejected, head);
      if (reading.unknown.length > 0) this.#reportUnknown(reading.unknown, head);
      return { values: reading.values, unknown: reading.unknown, settled: settledKeys(reading, rooted.children) };
    } catch (error) {
      if (!(error instanceof NodeError || error instanceof NodeUnavailableError)) throw error;
      this.#pause.failed(error);
      return nothing;
    }
  }

  /** The block that is read at; undefined, with a log line, if its state hash cannot be verified. */
  async #pointOf(head: ChainPosition, block: VerifiedBlock | undefined): Promise<StatePoint | undefined> {
    const { db, node } = this.#options;
    const [stored] = block ? [] : await readRawBlocks(db, head.height, head.height);
    const bytes = block?.bytes ?? stored?.block;
    if (!bytes) return undefined;
    const stateHash = bytes.subarray(BLOCK.stateHash, BLOCK.stateHash + ROOT_SIZE);
    const point = { height: head.height, hash: head.hash, stateHash };
    if (stateHash.equals(Buffer.alloc(ROOT_SIZE))) return { ...point, subCacheMerkleRoots: [] };
    const known = block?.subCacheMerkleRoots ?? splitHashes(stored?.sub_cache_merkle_roots ?? Buffer.alloc(0));
    const roots = known.length > 0 ? known : await node.subCacheMerkleRoots(head.height);
    if (roots.length > 0 && sha3OfMany(roots).equals(stateHash)) return { ...point, subCacheMerkleRoots: roots };
    this.#pause.failed(new Error(`the node sends no roots for the state hash of block ${head.height}`));
    return undefined;
  }

  #reportUnknown(unknown: readonly UnknownState[], { height }: ChainPosition): void {
    this.#options.metrics?.foundUnknown(unknown.length);
    for (const { kind, key, version } of unknown) {
      this.#options.log.error(
        { kind, key: hex(key), version, height },
        "A state value is of an unknown version and keeps its old row: update the program",
      );
    }
  }

  #reject(errors: readonly StateProofError[], head: ChainPosition): void {
    const keys = new StateKeySet();
    const { head: rejectedAt, keys: before } = this.#rejected;
    if (rejectedAt.equals(head.hash)) keys.addAll(before);
    keys.addAll(errors);
    this.#rejected = { head: head.hash, until: this.#clock() + REJECTED_AGAIN_MS, keys };
    for (const { kind, key, field, message } of errors) {
      this.#options.log.error(
        { kind, key: hex(key), field, height: head.height, reason: message },
        "Rejected a state value: its proof does not match the block's state hash",
      );
    }
  }
}

/** Keys that were read, and the child namespaces whose roots were. */
function settledKeys(
  reading: Extract<StateReading, { result: "read" }>,
  children: readonly { readonly child: StateKey; readonly root: StateKey }[],
): StateKey[] {
  const settled = new StateKeySet();
  settled.addAll(reading.settled);
  const withRead = children.filter(({ root }) => settled.has(root.kind, root.key));
  return [...settled, ...withRead.map(({ child }) => child)];
}
