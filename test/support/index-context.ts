import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import type { SourceNode } from "../../indexer/chain/source/node-source.js";
import type { IndexContext } from "../../indexer/chain/step/index-context.js";
import { DEFAULT_LIMITS } from "../../indexer/limits/indexer-limits.js";
import { silentLog } from "./connection-fixtures.js";

/** An index that is written without the rules of its network. */
export function indexContext(db: Db, network: NetworkIdentity): Omit<IndexContext, "config"> {
  return { db, network, log: silentLog, limits: DEFAULT_LIMITS, tellsCosigners: true };
}

/** The only node. */
export function onlyNode(client: NodeClient): SourceNode {
  return { client, wait: (answer) => answer };
}
