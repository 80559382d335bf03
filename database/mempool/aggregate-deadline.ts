import { sql } from "kysely";
import type { Db } from "../database.js";

/**
 * The deadline (ms since the network's epoch adjustment) of a partial aggregate, or of one that was announced here
 * and not yet reported by the node; undefined for an unknown one.
 */
export async function findAggregateDeadline(db: Db, hash: Buffer): Promise<number | undefined> {
  const { rows } = await sql<{ deadline: number | null }>`
    select coalesce(
      (select deadline from partial_transactions where hash = ${hash}),
      (select deadline from announcements where hash = ${hash} and kind = 'partial')) as deadline`.execute(db);
  return rows[0]?.deadline ?? undefined;
}
