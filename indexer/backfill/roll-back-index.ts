import { sql } from "kysely";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../database/database.js";
import { FIRST_STATE_COLLECTION } from "../../database/lists/collections.js";
import { dropRows, readPosition } from "../follow/write.js";
import { addPending } from "../state/pending.js";
import { STATE_TABLES } from "../state/tables.js";
import { addKeysOfDroppedBlocks, type TouchOptions } from "../state/touched.js";
import { BEFORE_NEMESIS } from "../step/step.js";
import { storedFinalization } from "./batch-writer.js";
import type { ChainEnd } from "./chain-end.js";

/** Number of blocks whose rows are dropped at a time: their counted entries have to be read. */
const BLOCKS_AT_A_TIME = 2_000;

/** How far the index is rolled back. */
export interface IndexRollBack {
  readonly keptHeight: number;
  /** It is filled again up to here. */
  readonly filledHeight: number;
  /** Whether the state is deleted too, because blocks are executed from the first one on: then `keptHeight` is 0. */
  readonly dropsState: boolean;
}

/**
 * Rolls the index back to `keptHeight` but keeps the bytes of the blocks above it, from which it is filled again. For
 * those above `filledHeight`, which are not filled again, the keys of state are queued to be read, unless the state
 * is deleted too.
 * @returns the new position of the head row
 */
export async function rollBackIndex(
  { db, ...touch }: TouchOptions,
  { keptHeight, filledHeight, dropsState }: IndexRollBack,
): Promise<ChainEnd> {
  return db.transaction().execute(async (trx) => {
    const head = await trx.selectFrom("head").selectAll().forUpdate().executeTakeFirstOrThrow();
    if (dropsState) await dropState(trx);
    else if (filledHeight < head.height) {
      const keys = new StateKeySet();
      await addKeysOfDroppedBlocks(keys, filledHeight + 1, head.height, { ...touch, db: trx });
      await addPending(trx, [...keys], keptHeight);
    }
    if (keptHeight === 0) await dropAllRows(trx);
    for (let height = head.height; keptHeight > 0 && height > keptHeight; ) {
      height = Math.max(keptHeight, height - BLOCKS_AT_A_TIME);
      await dropRows(trx, height);
    }
    const end = await endAt(trx, keptHeight);
    await trx
      .updateTable("head")
      .set({
        height: end.height,
        hash: end.hash,
        score: end.score,
        finalized_epoch: 0,
        finalized_point: 0,
        finalized_height: 0,
        finalized_hash: BEFORE_NEMESIS.hash,
        state_height: head.state_height === null ? null : Math.min(head.state_height, keptHeight),
        touched_height: Math.min(head.touched_height, keptHeight),
        // From here on the tables have the rows of all blocks up to the head.
        ...(keptHeight === 0 && { must_be_filled: false }),
        // Executed again from its first block on: what votes had proven stays proven.
        ledger_height: dropsState && head.ledger_height === head.height ? end.height : null,
        ...(dropsState && { state_height: null, state_sequence: 0 }),
      })
      .execute();
    const finalization = await storedFinalization(trx, keptHeight);
    if (finalization) {
      await trx
        .updateTable("head")
        .set({
          finalized_epoch: finalization.epoch,
          finalized_point: finalization.point,
          finalized_height: finalization.height,
          finalized_hash: finalization.hash,
        })
        .execute();
    }
    return end;
  });
}

/** The end of the chain at a height of the index. */
export async function endAt(db: Db, height: number): Promise<ChainEnd> {
  if (height === 0) return readPosition(db, BEFORE_NEMESIS);
  const { hash } = await db.selectFrom("blocks").select("hash").where("height", "=", height).executeTakeFirstOrThrow();
  return readPosition(db, { height, hash });
}

async function dropAllRows(trx: Db): Promise<void> {
  await sql`truncate blocks, transactions, transaction_addresses, transaction_mosaics, transaction_statements, receipts,
    address_resolution_statements, mosaic_resolution_statements, namespace_registrations, balance_changes,
    unknown_entities`.execute(trx);
  await trx.deleteFrom("counters").where("collection", "<", FIRST_STATE_COLLECTION).execute();
  await trx.deleteFrom("milestones").where("collection", "<", FIRST_STATE_COLLECTION).execute();
}

/** Deletes every entry of the state, with all rows derived from them. */
async function dropState(trx: Db): Promise<void> {
  const tables = STATE_KINDS.map((kind) => sql.table(STATE_TABLES[kind].table));
  await sql`truncate ${sql.join(tables)}, account_balances, balance_levels, spans, pending_states, replaced_states,
    voting_sets`.execute(trx);
  await trx.deleteFrom("counters").where("collection", ">=", FIRST_STATE_COLLECTION).execute();
  await trx.deleteFrom("milestones").where("collection", ">=", FIRST_STATE_COLLECTION).execute();
}
