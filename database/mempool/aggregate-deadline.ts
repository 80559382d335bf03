import { sql } from "kysely";
import type { Db } from "../database.js";

/**
 * The deadline (ms since the network's epoch adjustment) of a bonded aggregate that waits for cosignatures, or that was
 * announced here and was not heard of yet; undefined for one that nobody has heard of.
 */
export async function findAggregateDeadline(db: Db, hash: Buffer): Promise<number | undefined> {
  const { rows } = await sql<{ deadline: number | null }>`
    select coalesce(
      (select deadline from partial_transactions where hash = ${hash}),
      (select deadline from announcements where hash = ${hash} and kind = 'partial')) as deadline`.execute(db);
  return rows[0]?.deadline ?? undefined;
}
