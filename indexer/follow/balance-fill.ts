import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { isBalanceHistoryWhole } from "../../database/queries/balance-changes.js";
import { storedBlocks } from "../state/touched.js";
import { insertAll } from "../step/insert.js";
import { balanceChangeRows } from "../step/rows.js";

const BLOCKS_AT_A_TIME = 500;

/**
 * Fills in what blocks did to balances that were written before this database had a table for it, from the bytes that are
 * stored: downwards, so that it is whole once the first block is there. Does nothing when it is whole. Ends early, to go on
 * another time, when `signal` is aborted.
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
  log.info({ from: to, to: 1 }, "Filling in what the blocks of an older database did to balances");
  while (to > 0 && !signal.aborted) {
    const from = Math.max(1, to - BLOCKS_AT_A_TIME + 1);
    for await (const blocks of storedBlocks(db, network, from, to)) {
      const rows = blocks.flatMap(balanceChangeRows);
      await db.transaction().execute((trx) => insertAll(trx, "balance_changes", rows));
    }
    log.info({ height: from }, "Filled in what blocks did to balances");
    to = from - 1;
  }
}
