import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../database.js";
import { findOrigin } from "../one-connection.js";

/** The network of an index never changes. */
const known = new WeakMap<Db, NetworkIdentity>();

/** The indexed network, or undefined while nothing is indexed. Queries the database until it is known. */
export async function readNetworkIdentity(db: Db): Promise<NetworkIdentity | undefined> {
  const identity = known.get(findOrigin(db));
  if (identity) return identity;
  const head = await db.selectFrom("head").select(["network_identifier", "generation_hash_seed"]).executeTakeFirst();
  if (head?.network_identifier == null || head.generation_hash_seed === null) return undefined;
  const read = { identifier: head.network_identifier, generationHashSeed: head.generation_hash_seed };
  known.set(findOrigin(db), read);
  return read;
}

const epochs = new WeakMap<Db, number>();

/** When the network's time begins (ms since 1970), or undefined until an indexer has written it. It never changes. */
export async function readEpochAdjustment(db: Db): Promise<number | undefined> {
  const epoch = epochs.get(findOrigin(db));
  if (epoch !== undefined) return epoch;
  const head = await db.selectFrom("head").select("epoch_adjustment").executeTakeFirst();
  if (head?.epoch_adjustment == null) return undefined;
  epochs.set(findOrigin(db), head.epoch_adjustment);
  return head.epoch_adjustment;
}

/** Identifier byte of the indexed network (104 main, 152 test), or undefined while nothing is indexed. */
export async function readNetworkIdentifier(db: Db): Promise<number | undefined> {
  return (await readNetworkIdentity(db))?.identifier;
}
