import type { Db } from "./database.js";

/** An index belongs to one network as long as it exists. */
const known = new WeakMap<Db, number>();

/**
 * Identifier byte of the network that is indexed (104 main, 152 test), or undefined while nothing was indexed yet.
 * Asks the database until it knows.
 */
export async function readNetworkIdentifier(db: Db): Promise<number | undefined> {
  const identifier = known.get(db);
  if (identifier !== undefined) return identifier;
  const head = await db.selectFrom("head").select("network_identifier").executeTakeFirst();
  if (head?.network_identifier == null) return undefined;
  known.set(db, head.network_identifier);
  return head.network_identifier;
}
