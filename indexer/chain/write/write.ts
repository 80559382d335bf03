import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { replaceKeys } from "../../../database/binary/copy.js";
import type { Db } from "../../../database/database.js";
import { confirmPending, heightsAwaited, type RemovalEvents } from "../../mempool/pending-in-blocks.js";
import { writeState } from "../state/write.js";
import type { BlockRows } from "../step/block-rows.js";
import type { ChainEnd } from "../step/chain-position.js";
import { COPIED_TABLES, COPY_COLUMNS, copyRows } from "../step/copy-tables.js";
import { countAdded, type ListedEntries } from "../step/counters.js";
import { HeadMovedError } from "../step/errors.js";
import { writeEvents } from "../step/event-log.js";
import { KnownKeys, numberKeys } from "../step/key-numbers.js";
import { mergeLists } from "../step/packed-lists.js";
import { storedBlocks, writeRawBlocks } from "../step/raw-rows.js";
import type { Step } from "../step/step.js";
import { lockHead, moveFinalization, moveHead, readPosition } from "./head-row.js";
import { rollBack } from "./rollback.js";
import { stepEvents } from "./step-events.js";

/** Durations of the parts of a step, in ms. */
export interface WritingTimes {
  readonly copy: number;
  /** State rows from execution. */
  readonly state: number;
  /** Counters, milestones, events, the head row. */
  readonly notes: number;
  readonly commit: number;
}

export interface StepWriterOptions {
  readonly db: Db;
  readonly network: NetworkIdentity;
  /** Whether who has only cosigned a transaction gets the messages of its outcome; default true. */
  readonly tellsCosigners?: boolean | undefined;
}

/**
 * Writes steps, each in one transaction that leaves the index consistent: roll-back, rows, lists, pending transactions,
 * state, finalization, events, head. A killed process resumes after the last one.
 *
 * Invariants, each of which aborts the transaction if violated:
 * - the head row is at `step.previous` (it is locked first, so a second writer waits and then fails);
 * - nothing finalized is dropped, and nothing is finalized that is not in the index with that hash;
 * - finalization only moves forward: one that another writer has overtaken meanwhile is ignored;
 * - each block links to the one before it, the first to the last one kept.
 */
export class StepWriter {
  readonly #db: Db;
  readonly #network: NetworkIdentity;
  readonly #tellsCosigners: boolean;
  /**
   * Kept between the steps of a fill, which name the same keys again and again: only this writer adds keys. Dropped blocks
   * take theirs with them, and so does a failed transaction.
   */
  #keys = new KnownKeys();

  constructor({ db, network, tellsCosigners = true }: StepWriterOptions) {
    this.#db = db;
    this.#network = network;
    this.#tellsCosigners = tellsCosigners;
  }

  /** @throws HeadMovedError, FinalizedBlockDroppedError; database errors as they are. Nothing is written then. */
  async write(step: Step): Promise<WritingTimes> {
    if (step.rollBackTo || step.announce) this.#keys = new KnownKeys();
    const startedAt = performance.now();
    try {
      const { copiedAt, stateMs, notedAt } = await this.#db.transaction().execute((trx) => this.#writeIn(trx, step));
      const notes = notedAt - copiedAt - stateMs;
      return { copy: copiedAt - startedAt, state: stateMs, notes, commit: performance.now() - notedAt };
    } catch (error) {
      this.#keys = new KnownKeys();
      throw error;
    }
  }

  async #writeIn(trx: Db, step: Step) {
    const head = await lockHead(trx, step.previous);
    const base = step.rollBackTo ?? step.previous;
    if (step.rollBackTo) await rollBack(trx, head.finalization, base.height);
    const end = step.rows.at(-1)?.end ?? (await readPosition(trx, base));
    await this.#writeRows(trx, step);
    const copiedAt = performance.now();
    const removalEvents = await confirm(trx, step, end, this.#network);
    const stateSince = performance.now();
    const finalizedHeight = step.finalizations.at(-1)?.height ?? head.finalization.height;
    const newHead = { sequence: head.stateSequence, height: end.height, finalizedHeight };
    const stateColumns = await writeState(trx, step.state, newHead);
    const stateMs = performance.now() - stateSince;
    const finalization = await moveFinalization(trx, head.finalization, step.finalizations);
    const events = step.announce ? stepEvents(step, finalization, removalEvents, this.#tellsCosigners) : [];
    const eventSequence = await writeEvents(trx, events, head.eventSequence);
    await moveHead(trx, end, { event_sequence: eventSequence, ...stateColumns });
    return { copiedAt, stateMs, notedAt: performance.now() };
  }

  async #writeRows(trx: Db, { previous, rollBackTo, rows, raw, recomputed = [] }: Step): Promise<void> {
    let last = rollBackTo ?? previous;
    for (const { parent, end } of rows) {
      if (!parent.hash.equals(last.hash))
        throw new HeadMovedError(`Block ${parent.height + 1} does not follow the index`);
      last = end;
    }
    if (rollBackTo) await readPosition(trx, rollBackTo);
    const lists = await this.#number(trx, rows);
    if (raw.length > 0) await writeRawBlocks(trx, last.height - raw.length + 1, raw);
    for (const table of COPIED_TABLES) {
      const parts = rows.flatMap(({ tables }) => tables.filter((copied) => copied.table === table));
      if (parts.length === 0) continue;
      await copyRows(
        trx,
        table,
        parts.map(({ bytes }) => bytes),
      );
    }
    await countAdded(trx, lists);
    for (const { height, statement, subCacheMerkleRoots } of recomputed) {
      await trx
        .updateTable("raw_blocks")
        .set({ statement, sub_cache_merkle_roots: subCacheMerkleRoots })
        .where("height", "=", height)
        .execute();
    }
  }

  /** Replaces local numbers of keys in all rows. @returns their lists together */
  async #number(trx: Db, rows: readonly BlockRows[]): Promise<ListedEntries[]> {
    const numbers = await numberKeys(
      trx,
      rows.map(({ keys }) => keys),
      this.#keys,
    );
    const lists = rows.map(({ tables, lists: packed }, place) => {
      const ofPart = numbers[place] as Int32Array;
      for (const { table, bytes } of tables) replaceKeys(bytes, COPY_COLUMNS[table], ofPart);
      return { packed, numbers: ofPart };
    });
    return mergeLists(lists);
  }
}

/** Removes the transactions of the new blocks from the pending ones. Without events, only blocks with such are read. */
async function confirm(trx: Db, step: Step, end: ChainEnd, network: NetworkIdentity): Promise<RemovalEvents> {
  if (step.announce) return confirmPending(trx, step.blocks, network);
  const first = (step.rollBackTo ?? step.previous).height + 1;
  for (const height of first <= end.height ? await heightsAwaited(trx, first, end.height) : []) {
    await confirmPending(trx, await storedBlocks(trx, network, height, height), network);
  }
  return new Map();
}
