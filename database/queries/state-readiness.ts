import type { Db } from "../database.js";
import { originOf } from "../one-connection.js";

/** Databases that have a block, and so the state after it. */
const filled = new WeakSet<Db>();

/** Whether there is a state: before the first block, a missing entry is meaningless. Queries the database until there is. */
export async function isStateThere(db: Db): Promise<boolean> {
  if (filled.has(originOf(db))) return true;
  const head = await db.selectFrom("head").select("height").executeTakeFirst();
  if (!head || head.height === 0) return false;
  filled.add(originOf(db));
  return true;
}
