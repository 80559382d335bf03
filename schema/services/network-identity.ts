import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { readNetworkIdentity } from "../../database/queries/network.js";

/**
 * The indexed network; while nothing is indexed, that of the node.
 * @throws errors of an unreachable database or node
 */
export async function networkOf({ db, node }: { db: Db; node: NodeClient }): Promise<NetworkIdentity> {
  const identity = await readNetworkIdentity(db);
  if (identity) return identity;
  const { networkIdentifier, networkGenerationHashSeed } = await node.nodeInfo();
  return { identifier: networkIdentifier, generationHashSeed: networkGenerationHashSeed };
}
