import type { Db } from "../database.js";
import type { Finalization } from "./head.js";

/** The newest finalized block of an epoch, or undefined. */
export async function findFinalizedBlock(db: Db, epoch: number): Promise<Finalization | undefined> {
  return db
    .selectFrom("finalized_blocks")
    .selectAll()
    .where("epoch", "=", epoch)
    .orderBy("point", "desc")
    .limit(1)
    .executeTakeFirst();
}
