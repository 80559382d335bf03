import { sql } from "kysely";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../database/database.js";
import { addDroppedBlocks } from "../../database/queries/block-events.js";
import type { Finalization } from "../../database/queries/head.js";
import { checkRollback } from "../finality/finality.js";
import { restartFinalization } from "../finality/finalized-head.js";
import { awaitDropped } from "../mempool/pending-in-blocks.js";
import { differsAfter } from "../state/marks.js";
import { addPending } from "../state/pending.js";
import { STATE_TABLES } from "../state/tables.js";
import { addKeysOfDroppedBlocks, type TouchOptions } from "../state/touched.js";
import type { StateHead } from "../state/write.js";
import { dropAllRows, dropRows } from "../step/dropped-rows.js";
import { positionAt } from "./head-row.js";

/**
 * Rolls the index back to `keptHeight` because the node switched to another branch: drops all rows of the blocks above
 * it and their bytes, and records their transactions as awaited. Entries of the state are restored by the step that
 * follows, which has their values before the dropped blocks. The head row stays locked and is moved by the caller.
 * @returns the columns of the head row about the state
 * @throws FinalizedBlockDroppedError
 */
export async function rollBack(
  trx: Db,
  { finalization, state }: { readonly finalization: Finalization; readonly state: StateHead },
  keptHeight: number,
): Promise<StateHead> {
  checkRollback(finalization, keptHeight);
  await awaitDropped(trx, keptHeight);
  await addDroppedBlocks(trx, keptHeight);
  await dropRows(trx, keptHeight);
  await trx.deleteFrom("raw_blocks").where("height", ">", keptHeight).execute();
  await dropUndoData(trx, keptHeight);
  // Entries of dropped blocks are pending or restored by the step, so nothing is newer than the last kept block.
  return { ...state, ...lowered(state, keptHeight) };
}

/** Number of blocks whose rows are dropped at a time: their counted entries have to be read. */
const BLOCKS_AT_A_TIME = 2_000;

/** How far the index is rolled back to be rebuilt. */
export interface Rebuild {
  readonly keptHeight: number;
  /** It is filled again up to here. */
  readonly filledHeight: number;
  /** Whether the state is deleted too, because blocks are executed from the first one on: then `keptHeight` is 0. */
  readonly dropsState: boolean;
}

/**
 * Rolls the index back to `keptHeight` but keeps the bytes of the blocks above it, from which it is filled again; so
 * finalized blocks may be among them. For those above `filledHeight`, which are not filled again, the keys of state are
 * queued to be read, unless the state is deleted too.
 * @returns the new position of the head row
 */
export async function rollBackToRebuild(
  { db, ...touch }: TouchOptions,
  { keptHeight, filledHeight, dropsState }: Rebuild,
) {
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
    await dropUndoData(trx, keptHeight);
    const end = await positionAt(trx, keptHeight);
    const { height, hash, score } = end;
    const { stateHeight, touchedHeight } = lowered(
      { stateHeight: head.state_height, touchedHeight: head.touched_height },
      keptHeight,
    );
    await trx
      .updateTable("head")
      .set({
        ...{ height, hash, score },
        state_height: stateHeight,
        touched_height: touchedHeight,
        // Executed again from its first block on: what votes had proven stays proven.
        ledger_height: dropsState && head.ledger_height === head.height ? height : null,
        ...(dropsState && { state_height: null, state_sequence: 0 }),
      })
      .execute();
    await restartFinalization(trx, keptHeight);
    return end;
  });
}

function lowered({ stateHeight, touchedHeight }: Pick<StateHead, "stateHeight" | "touchedHeight">, keptHeight: number) {
  return {
    stateHeight: stateHeight === null ? null : Math.min(stateHeight, keptHeight),
    touchedHeight: Math.min(touchedHeight, keptHeight),
  };
}

/** Deletes what would undo the dropped blocks, and the voters that they determined. */
async function dropUndoData(trx: Db, keptHeight: number): Promise<void> {
  await trx.deleteFrom("replaced_states").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("voting_sets").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("overruled_checks").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("differing_blocks").where("first_height", ">", keptHeight).execute();
  // The state may have been right again above.
  await sql`update differing_blocks set last_height = least(last_height, ${keptHeight}),
    roots = case when ${differsAfter(keptHeight)} then ''::bytea end
    where last_height >= ${keptHeight}`.execute(trx);
  await sql`update unproven_states set changed_height = null where changed_height > ${keptHeight}`.execute(trx);
}

/** Deletes every entry of the state, with all rows derived from them. */
async function dropState(trx: Db): Promise<void> {
  const tables = STATE_KINDS.map((kind) => sql.table(STATE_TABLES[kind].table));
  await sql`truncate ${sql.join(tables)}, account_balances, balance_levels, counters, spans, pending_states, replaced_states,
    kept_states, voting_sets, overruled_checks, differing_blocks, unproven_states`.execute(trx);
}
