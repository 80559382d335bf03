import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { replaceKeys } from "../../../database/binary/copy.js";
import type { Db } from "../../../database/database.js";
import { readFinalization } from "../../../database/queries/head.js";
import { confirmPending, heightsAwaited, type RemovalEvents } from "../../mempool/pending-in-blocks.js";
import { writeState } from "../state/write.js";
import type { BlockRange } from "../step/block-range.js";
import type { EncodedRows } from "../step/block-rows.js";
import { readPosition } from "../step/chain-position.js";
import { CHAIN_TABLES } from "../step/chain-tables.js";
import { COPY_COLUMNS, copyRows } from "../step/copy-tables.js";
import { countAdded, type ListedEntries } from "../step/counters.js";
import { HeadMovedError } from "../step/errors.js";
import { writeEvents } from "../step/event-log.js";
import type { IndexContext } from "../step/index-context.js";
import { KnownKeys, numberKeys } from "../step/key-numbers.js";
import { mergeLists } from "../step/packed-lists.js";
import { storedBlocks, writeRawBlocks } from "../step/raw-rows.js";
import type { StageTimes } from "../step/stage-times.js";
import { lockHead, moveFinalization } from "./head-row.js";
import { rangeEvents } from "./range-events.js";
import { rollBack } from "./rollback.js";

/**
 * Writes ranges, each in one transaction that leaves the index consistent: roll-back, rows, lists, pending transactions,
 * state, finalization, events, head. A killed process resumes after the last one.
 *
 * Invariants, each of which aborts the transaction if violated:
 * - the head row is at `range.indexed` (it is locked first, so a second writer waits and then fails);
 * - nothing finalized is dropped, and nothing is finalized that is not in the index with that hash;
 * - finalization only moves forward: one that another writer has overtaken meanwhile is ignored;
 * - the first block links to the last one kept.
 */
export class RangeWriter {
  readonly #context: Pick<IndexContext, "db" | "network" | "tellsCosigners">;
  /**
   * Kept between the ranges of a fill, which name the same keys again and again: only this writer adds keys. Dropped blocks
   * take theirs with them, and so does a failed transaction.
   */
  #keys = new KnownKeys();

  constructor(context: Pick<IndexContext, "db" | "network" | "tellsCosigners">) {
    this.#context = context;
  }

  /** @throws HeadMovedError, FinalizedBlockDroppedError; database errors as they are. Nothing is written then. */
  async write(range: BlockRange): Promise<Partial<StageTimes>> {
    if (range.rollBackTo || range.emitsEvents) this.#keys = new KnownKeys();
    const startedAt = performance.now();
    try {
      const { copiedAt, stateMs, notedAt } = await this.#context.db
        .transaction()
        .execute((trx) => this.#writeIn(trx, range));
      const notes = notedAt - copiedAt - stateMs;
      return { copy: copiedAt - startedAt, state: stateMs, notes, commit: performance.now() - notedAt };
    } catch (error) {
      this.#keys = new KnownKeys();
      throw error;
    }
  }

  async #writeIn(trx: Db, range: BlockRange) {
    const { rollBackTo, parent, end, emitsEvents } = range;
    const head = await lockHead(trx, range.indexed);
    const known = readFinalization(head);
    if (rollBackTo) await rollBack(trx, known, rollBackTo.height);
    if (rollBackTo) await readPosition(trx, rollBackTo);
    else if (!parent.hash.equals(range.indexed.hash))
      throw new HeadMovedError(`Block ${parent.height + 1} does not follow the index`);
    await this.#writeRows(trx, range);
    const copiedAt = performance.now();
    const blocks = emitsEvents ? range.verifiedBlocks() : [];
    const removalEvents = await this.#confirm(trx, range, blocks);
    const stateSince = performance.now();
    const before = { sequence: head.state_sequence, finalizedHeight: known.height };
    const state_sequence = await writeState(trx, range, before);
    const stateMs = performance.now() - stateSince;
    const finalization = await moveFinalization(trx, known, range.finalizations);
    const { tellsCosigners } = this.#context;
    const events = emitsEvents ? rangeEvents(range, blocks, finalization, removalEvents, tellsCosigners) : [];
    const event_sequence = await writeEvents(trx, events, head.event_sequence);
    const { height, hash, score } = end;
    await trx
      .updateTable("head")
      .set({ height, hash, score, event_sequence, state_sequence })
      .executeTakeFirstOrThrow();
    return { copiedAt, stateMs, notedAt: performance.now() };
  }

  async #writeRows(trx: Db, { parent, rows, bytes, recomputed }: BlockRange): Promise<void> {
    const lists = await this.#number(trx, rows);
    if (bytes.length > 0) await writeRawBlocks(trx, parent.height + 1, bytes);
    for (const table of CHAIN_TABLES) {
      const parts = rows.flatMap(({ tables }) =>
        tables.flatMap((copied) => (copied.table === table ? [copied.bytes] : [])),
      );
      if (parts.length > 0) await copyRows(trx, table, parts);
    }
    await countAdded(trx, lists);
    for (const [height, { statement, subCacheMerkleRoots }] of recomputed) {
      await trx
        .updateTable("raw_blocks")
        .set({ statement, sub_cache_merkle_roots: subCacheMerkleRoots })
        .where("height", "=", height)
        .execute();
    }
  }

  /** Replaces local numbers of keys in all rows. @returns their lists together */
  async #number(trx: Db, rows: readonly EncodedRows[]): Promise<ListedEntries[]> {
    const numbers = await numberKeys(
      trx,
      rows.map(({ keys }) => keys),
      this.#keys,
    );
    const lists = rows.map(({ tables, lists: packed }, index) => {
      const ofPart = numbers[index] as Int32Array;
      for (const { table, bytes } of tables) replaceKeys(bytes, COPY_COLUMNS[table], ofPart);
      return { packed, numbers: ofPart };
    });
    return mergeLists(lists);
  }

  /** Removes the transactions of the new blocks from the pending ones. Without events, only blocks with such are read. */
  async #confirm(trx: Db, range: BlockRange, blocks: readonly VerifiedBlock[]): Promise<RemovalEvents> {
    const { network } = this.#context;
    if (range.emitsEvents) return confirmPending(trx, blocks, network);
    const { parent, end } = range;
    for (const height of range.blocks > 0 ? await heightsAwaited(trx, parent.height + 1, end.height) : []) {
      await confirmPending(trx, await storedBlocks(trx, network, height, height), network);
    }
    return new Map();
  }
}
