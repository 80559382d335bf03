import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { replaceKeys } from "../../database/binary/copy.js";
import type { Db } from "../../database/database.js";
import type { Finalization } from "../../database/queries/head.js";
import { writeUnprovenFinalization } from "../../database/queries/indexer-failures.js";
import { describeContradiction, rollbackFloor } from "../finality/finality.js";
import { moveFinalization } from "../finality/finalized-head.js";
import { lockHead, moveHead } from "../follow/head-row.js";
import { confirmPending, heightsAwaited } from "../mempool/pending-in-blocks.js";
import { addKeysOutsideBlocks, storedBlocks, type TouchOptions } from "../state/touched.js";
import { writeState } from "../state/write.js";
import { COPIED_TABLES, COPY_COLUMNS, copyRows } from "../step/copy-tables.js";
import { countAdded, type ListedEntries } from "../step/counters.js";
import { KnownKeys, numberKeys } from "../step/key-numbers.js";
import { type RawBlock, writeRawBlocks } from "../step/raw-rows.js";
import { NO_STATE_CHANGE, type StateChange } from "../step/state-change.js";
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
  /** The state changes of executed blocks; without execution, keys that may have changed are queued to be read. */
  readonly state: ExecutedState | undefined;
}

/** Durations of the parts of a batch, in ms. */
export interface WritingTimes {
  readonly copy: number;
  /** State rows from execution. */
  readonly state: number;
  /** Counters, milestones, keys of state, the head row. */
  readonly notes: number;
  readonly commit: number;
}

export interface BatchWriterOptions {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly touch: Pick<TouchOptions, "harvestingRules">;
  /** The newest finalized block at or below a height. */
  readonly finalizationAt: (trx: Db, height: number) => Promise<Finalization | undefined>;
}

/** Maximum number of remembered keys that are known to be pending. */
const MAX_NOTED_KEYS = 500_000;

/**
 * Writes batches, each in one transaction that leaves the index consistent: rows, lists, pending keys of state,
 * finalization, head. A killed process resumes after the last one. No events are emitted.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #noted = new StateKeySet();
  /** This process alone adds keys; after a failure nothing more is written by it. */
  readonly #keys = new KnownKeys();

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /** @throws HeadMovedError when another process wrote; database errors as they are. Nothing is written then. */
  async write(batch: Batch): Promise<WritingTimes> {
    const { previous, chunks, raw } = batch;
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
      const finalizations = await this.#finalizations(trx, batch, end.height);
      const newest = finalizations.at(-1);
      const finalizedHeight = newest?.height ?? head.finalization.height;
      const stateSince = performance.now();
      const change = batch.state
        ? this.#executed(batch.state, end.height, finalizedHeight)
        : { touched: await this.#newKeys(trx, chunks) };
      const state = await writeState(
        trx,
        { ...NO_STATE_CHANGE, ...change, registrations: chunks.flatMap(({ registrations }) => registrations) },
        { ...head.state, base: previous.height, height: end.height, finalizedHeight },
      );
      if (batch.state) await this.#writeRecomputed(trx, batch.state);
      const stateMs = batch.state ? performance.now() - stateSince : 0;
      await moveFinalization(trx, head.finalization, finalizations);
      const contradiction = batch.state?.contradiction;
      if (contradiction) await writeUnprovenFinalization(trx, describeContradiction(contradiction));
      await moveHead(trx, end, { ...state, event_sequence: head.eventSequence });
      return { copiedAt, stateMs, notedAt: performance.now() };
    });
    const notes = notedAt - copiedAt - stateMs;
    return { copy: copiedAt - startedAt, state: stateMs, notes, commit: performance.now() - notedAt };
  }

  async #finalizations(trx: Db, { state }: Batch, height: number): Promise<readonly Finalization[]> {
    if (state) return state.finalizations;
    const newest = await this.#options.finalizationAt(trx, height);
    return newest ? [newest] : [];
  }

  #executed(state: ExecutedState, height: number, finalizedHeight: number): Pick<StateChange, "values" | "execution"> {
    const { claimedHeight: nodeFinalizedHeight } = state;
    const floor = rollbackFloor({ finalizedHeight, nodeFinalizedHeight }, height);
    const { votingSets, overruled, differing, marks } = state;
    return {
      values: state.values(),
      execution: { replaced: state.replacedAbove(floor), votingSets, overruled, differing, marks, floor },
    };
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
      for await (const blocks of storedBlocks(trx, network, height, height)) {
        await confirmPending(trx, { previous, blocks, announce: false }, network);
      }
    }
  }

  /**
   * Keys that are not known to be pending. Remembered ones stay pending: no process reads state while this one holds
   * the writer lock.
   */
  async #newKeys(trx: Db, chunks: readonly DecodedChunk[]) {
    const { network, touch } = this.#options;
    const keys = new StateKeySet();
    for (const { stateKeys } of chunks) keys.addAll(stateKeys);
    const traits = {
      beneficiaryAddresses: chunks.flatMap(({ beneficiaryAddresses }) => beneficiaryAddresses),
      hasImportanceBlock: chunks.some(({ hasImportanceBlock }) => hasImportanceBlock),
    };
    await addKeysOutsideBlocks(keys, traits, { ...touch, db: trx, network });
    const fresh = [...keys].filter(({ kind, key }) => !this.#noted.has(kind, key));
    if (this.#noted.size + fresh.length > MAX_NOTED_KEYS) this.#noted = new StateKeySet();
    this.#noted.addAll(fresh.map(({ kind, key }) => ({ kind, key: Buffer.from(key) })));
    return fresh;
  }
}
