import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { replaceKeys } from "../../database/binary/copy.js";
import type { Db } from "../../database/database.js";
import { writeUnprovenFinalization } from "../../database/queries/indexer-failures.js";
import { describeContradiction, rollbackFloor } from "../finality/finality.js";
import { moveFinalization } from "../finality/finalized-head.js";
import { lockHead, moveHead } from "../follow/head-row.js";
import { confirmPending, heightsAwaited } from "../mempool/pending-in-blocks.js";
import { writeState } from "../state/write.js";
import { COPIED_TABLES, COPY_COLUMNS, copyRows } from "../step/copy-tables.js";
import { countAdded, type ListedEntries } from "../step/counters.js";
import { KnownKeys, numberKeys } from "../step/key-numbers.js";
import { type RawBlock, writeRawBlocks } from "../step/raw-rows.js";
import { storedBlocks } from "../step/stored-blocks.js";
import type { ChainEnd } from "./chain-end.js";
import type { DecodedChunk } from "./decode-chunk.js";
import type { ExecutedState } from "./executed-state.js";
import { mergeLists } from "./packed-lists.js";

/** The content of one database transaction. */
export interface Batch {
  /** Position of the head row. */
  readonly previous: ChainEnd;
  /** At least one; consecutive, the first after `previous`. */
  readonly chunks: readonly DecodedChunk[];
  /** The bytes of their blocks; empty if they are stored already. */
  readonly raw: readonly RawBlock[];
  readonly state: ExecutedState;
}

/** Durations of the parts of a batch, in ms. */
export interface WritingTimes {
  readonly copy: number;
  /** State rows from execution. */
  readonly state: number;
  /** Counters, milestones, the head row. */
  readonly notes: number;
  readonly commit: number;
}

export interface BatchWriterOptions {
  readonly db: Db;
  readonly network: NetworkIdentity;
}

/**
 * Writes batches, each in one transaction that leaves the index consistent: rows, lists, state, finalization, head. A killed process resumes after the last one. No events are emitted.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  /** This process alone adds keys; after a failure nothing more is written by it. */
  readonly #keys = new KnownKeys();

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /** @throws HeadMovedError when another process wrote; database errors as they are. Nothing is written then. */
  async write(batch: Batch): Promise<WritingTimes> {
    const { previous, chunks, raw, state } = batch;
    const { end } = chunks.at(-1) as DecodedChunk;
    const startedAt = performance.now();
    const { copiedAt, stateMs, notedAt } = await this.#options.db.transaction().execute(async (trx) => {
      const head = await lockHead(trx, previous);
      const lists = await this.#number(trx, chunks);
      if (raw.length > 0) await writeRawBlocks(trx, previous.height + 1, raw);
      for (const table of COPIED_TABLES) {
        const parts = chunks.flatMap(({ tables }) => tables.filter((copied) => copied.table === table));
        if (parts.length === 0) continue;
        const rows = parts.map(({ bytes }) => bytes);
        await copyRows(trx, table, rows);
      }
      const copiedAt = performance.now();
      await countAdded(trx, lists);
      await this.#confirm(trx, previous, end);
      const finalizedHeight = state.finalizations.at(-1)?.height ?? head.finalization.height;
      const stateSince = performance.now();
      const { claimedHeight: nodeFinalizedHeight, contradiction } = state;
      const registrations = chunks.flatMap((chunk) => chunk.registrations);
      const change = state.change(rollbackFloor({ finalizedHeight, nodeFinalizedHeight }, end.height));
      const newHead = { sequence: head.stateSequence, height: end.height, finalizedHeight };
      const columns = await writeState(trx, { ...change, registrations }, newHead);
      await this.#writeRecomputed(trx, state);
      const stateMs = performance.now() - stateSince;
      await moveFinalization(trx, head.finalization, state.finalizations);
      if (contradiction) await writeUnprovenFinalization(trx, describeContradiction(contradiction));
      await moveHead(trx, end, { ...columns, event_sequence: head.eventSequence });
      return { copiedAt, stateMs, notedAt: performance.now() };
    });
    const notes = notedAt - copiedAt - stateMs;
    return { copy: copiedAt - startedAt, state: stateMs, notes, commit: performance.now() - notedAt };
  }

  /** Stores statements and roots with the blocks' bytes if there were none, or different ones. */
  async #writeRecomputed(trx: Db, { recomputed }: ExecutedState): Promise<void> {
    for (const { height, statement, subCacheMerkleRoots } of recomputed) {
      await trx
        .updateTable("raw_blocks")
        .set({ statement, sub_cache_merkle_roots: subCacheMerkleRoots })
        .where("height", "=", height)
        .execute();
    }
  }

  /** Replaces local numbers of keys in the rows of all chunks. @returns their lists together */
  async #number(trx: Db, chunks: readonly DecodedChunk[]): Promise<ListedEntries[]> {
    const numbers = await numberKeys(
      trx,
      chunks.map(({ keys }) => keys),
      this.#keys,
    );
    const lists = chunks.map(({ tables, lists: packed }, place) => {
      const ofChunk = numbers[place] as Int32Array;
      for (const { table, bytes } of tables) replaceKeys(bytes, COPY_COLUMNS[table], ofChunk);
      return { packed, numbers: ofChunk };
    });
    return mergeLists(lists);
  }

  /** Removes pending transactions that an indexer had seen before. */
  async #confirm(trx: Db, previous: ChainEnd, end: ChainEnd): Promise<void> {
    const { network } = this.#options;
    for (const height of await heightsAwaited(trx, previous.height + 1, end.height)) {
      await confirmPending(trx, await storedBlocks(trx, network, height, height), network);
    }
  }
}
