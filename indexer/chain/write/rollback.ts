import { sql } from "kysely";
import { STATE_KINDS } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { addDroppedBlocks } from "../../../database/queries/block-events.js";
import type { Finalization } from "../../../database/queries/head.js";
import { STATE_TABLES } from "../../../database/queries/state-lists.js";
import { awaitDropped } from "../../mempool/pending-in-blocks.js";
import { checkRollback } from "../finality/finality.js";
import { BEFORE_NEMESIS, finalizationColumns, NOTHING_FINAL } from "../step/chain-position.js";
import { CHAIN_TABLES } from "../step/chain-tables.js";
import { dropRows } from "../step/dropped-rows.js";

/**
 * Rolls the index back to `keptHeight` because the node switched to another branch: drops all rows of the blocks above
 * it and their bytes, and records their transactions as awaited. Entries of the state are restored by the range that
 * follows, which has their values before the dropped blocks. The head row stays locked and is moved by the caller.
 * @throws FinalizedBlockDroppedError
 */
export async function rollBack(trx: Db, finalization: Finalization, keptHeight: number): Promise<void> {
  checkRollback(finalization, keptHeight);
  await awaitDropped(trx, keptHeight);
  await addDroppedBlocks(trx, keptHeight);
  await dropRows(trx, keptHeight);
  await trx.deleteFrom("raw_blocks").where("height", ">", keptHeight).execute();
  await dropUndoData(trx, keptHeight);
}

/** Tables of what blocks lead to, but for their own rows. */
const DERIVED_TABLES = [
  ...STATE_KINDS.map((kind) => STATE_TABLES[kind].table),
  ...["account_balances", "balance_histogram", "counters", "list_buckets", "hidden_states", "replaced_states"],
  ...["voting_sets", "missing_rule", "differing_blocks", "keys", "list_counters", "skip_pointers", "daily_sums"],
];

/**
 * Empties the index but keeps the bytes of its blocks, from which it is filled again: so finalized blocks may be among
 * them.
 */
export async function emptyToRebuild(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom("head").selectAll().forUpdate().executeTakeFirstOrThrow();
    const tables = [...CHAIN_TABLES, ...DERIVED_TABLES].map((table) => sql.table(table));
    await sql`truncate ${sql.join(tables)}`.execute(trx);
    const state = { state_sequence: 0, summed_height: 0 };
    await trx
      .updateTable("head")
      .set({ ...BEFORE_NEMESIS, score: 0n, ...state, ...finalizationColumns(NOTHING_FINAL) })
      .execute();
  });
}

/** Deletes what would undo the dropped blocks, and the voters that they determined. */
async function dropUndoData(trx: Db, keptHeight: number): Promise<void> {
  await trx.deleteFrom("replaced_states").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("voting_sets").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("missing_rule").where("height", ">", keptHeight).execute();
  await trx.deleteFrom("differing_blocks").where("first_height", ">", keptHeight).execute();
  // The state differs after the kept block, though it may have been right again above: its roots are not stored.
  await trx
    .updateTable("differing_blocks")
    .set({ last_height: keptHeight, roots: Buffer.alloc(0) })
    .where("last_height", ">=", keptHeight)
    .execute();
}
