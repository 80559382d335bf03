import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database.js";

/** Number of checks of the indexer that votes overruled. */
export const overruledChecksCount = sql<number>`(select count(*) from overruled_checks)`;

/** Such as `block 12: Failure_Core_Past_Deadline (transaction 98…)`, the newest one; null if there is none. */
export const newestOverruledCheck: RawBuilder<string | null> = sql<string | null>`(
  select 'block ' || height || ': ' || rule ||
    coalesce(' (transaction ' || upper(encode(transaction_hash, 'hex')) || ')', '')
  from overruled_checks order by height desc limit 1)`;

/** Height since which the computed state differs from that of the network; null while it does not. */
export const stateDiffersSince: RawBuilder<number | null> = sql<number | null>`(
  select first_height from differing_blocks where roots is not null)`;

/** Whether any block has another state than computed. */
export async function stateEverDiffered(db: Db): Promise<boolean> {
  return (await db.selectFrom("differing_blocks").select("first_height").limit(1).executeTakeFirst()) !== undefined;
}

/** Heights of the blocks between two heights that votes prove though their receipts are others than computed. */
export async function blocksWithOtherReceipts(
  db: Db,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom("overruled_checks")
    .select("height")
    .where("rule", "=", "receiptsHash")
    .where("height", ">=", from)
    .where("height", "<=", to)
    .execute();
  return new Set(rows.map(({ height }) => height));
}
