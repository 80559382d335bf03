import type { NetworkIdentity } from "../catapult/model.js";
import type { NodeClient } from "../catapult/node-client.js";
import type { Db } from "./db/database.js";
import { readNetworkIdentity } from "./db/network.js";

/**
 * The network that is indexed; while nothing is, that of the node.
 * @throws what is thrown when the database, or then the node, cannot be reached
 */
export async function networkOf({ db, node }: { db: Db; node: NodeClient }): Promise<NetworkIdentity> {
  const identity = await readNetworkIdentity(db);
  if (identity) return identity;
  const { networkIdentifier, networkGenerationHashSeed } = await node.nodeInfo();
  return { identifier: networkIdentifier, generationHashSeed: networkGenerationHashSeed };
}
