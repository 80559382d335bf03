import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { isBalanceHistoryWhole } from "../../database/queries/balance-changes.js";
import { storedBlocks } from "../state/touched.js";
import { insertAll } from "../step/insert.js";
import { balanceChangeRows } from "../step/rows.js";

const BLOCKS_AT_A_TIME = 500;

/**
 * Computes the balance changes of blocks that were written before this database had a table for them, from the stored
 * bytes: downwards, so that the history is complete once the first block is done. Does nothing if it is complete.
 * Stops early, to continue another time, when `signal` is aborted.
 */
export async function fillBalanceChanges(
  { db, network, log }: { readonly db: Db; readonly network: NetworkIdentity; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const head = await db.selectFrom("head").select("height").executeTakeFirst();
  if (!head || head.height === 0 || (await isBalanceHistoryWhole(db))) return;
  const lowest = await db
    .selectFrom("balance_changes")
    .select((q) => q.fn.min("height").as("height"))
    .executeTakeFirst();
  let to = (lowest?.height ?? head.height + 1) - 1;
  log.info({ from: to, to: 1 }, "Computing the balance changes of blocks from an older version");
  while (to > 0 && !signal.aborted) {
    const from = Math.max(1, to - BLOCKS_AT_A_TIME + 1);
    for await (const blocks of storedBlocks(db, network, from, to)) {
      const rows = blocks.flatMap(balanceChangeRows);
      await db.transaction().execute((trx) => insertAll(trx, "balance_changes", rows));
    }
    log.info({ height: from }, "Computed the balance changes of all blocks");
    to = from - 1;
  }
}
