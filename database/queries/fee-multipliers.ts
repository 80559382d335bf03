import type { Db } from "../database.js";

/** Fee multipliers of the newest blocks, the newest first: at most `count`. */
export async function latestFeeMultipliers(db: Db, count: number): Promise<number[]> {
  const rows = await db.selectFrom("blocks").select("fee_multiplier").orderBy("height", "desc").limit(count).execute();
  return rows.map((row) => row.fee_multiplier);
}
