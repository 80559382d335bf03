import type { Db } from "./database.js";
import type { Finalization } from "./head.js";

/** Every finalized block that was seen, by finalization round. */
export interface FinalizedBlockTable {
  epoch: number;
  point: number;
  height: number;
  hash: Buffer;
}

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
