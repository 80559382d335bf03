import type { Db } from "../database.js";
import { originOf } from "../one-connection.js";

/** Databases whose state is known to be complete: it stays complete. */
const whole = new WeakSet<Db>();

/**
 * Whether the state was ever complete: before that, a missing entry is meaningless. Queries the database until it
 * was.
 */
export async function isStateThere(db: Db): Promise<boolean> {
  if (whole.has(originOf(db))) return true;
  const head = await db.selectFrom("head").select("state_height").executeTakeFirst();
  if (head?.state_height == null) return false;
  whole.add(originOf(db));
  return true;
}
