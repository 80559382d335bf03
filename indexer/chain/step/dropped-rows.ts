import { sql } from "kysely";
import type { Db } from "../../../database/database.js";
import { CHAIN_TABLES, computeFirstValue, POSITION_COLUMNS } from "./chain-tables.js";
import { addCollectionEntries, readCountedRows } from "./collection-entries.js";
import { countRemoved, ListGatherer } from "./counters.js";
import { reopenDays } from "./daily-sums.js";

/**
 * Drops all rows of every block above `keptHeight`, and keeps the blocks' bytes. Counted entries are read from the rows
 * themselves, so counters stay exact.
 */
export async function dropRows(trx: Db, keptHeight: number): Promise<void> {
  const first = keptHeight + 1;
  const lists = new ListGatherer();
  addCollectionEntries(await readCountedRows(trx, first), lists.add);
  await countRemoved(trx, lists.lists(), first);
  // Days are found by the times of blocks.
  await reopenDays(trx, keptHeight);
  for (const table of CHAIN_TABLES) {
    const column = sql.ref(POSITION_COLUMNS[table]);
    await sql`delete from ${sql.table(table)} where ${column} >= ${computeFirstValue(table, first)}`.execute(trx);
  }
  await trx.deleteFrom("keys").where("height", ">", keptHeight).execute();
}
