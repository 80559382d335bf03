import { startIndexer } from "../../indexer/indexer.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";

/** An indexer that executes blocks, in its own process, to be killed. It starts with the first message. */

/** Its nodes and its database. */
export interface IndexerProcessStart {
  readonly databaseUrl: string;
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly config: NetworkConfig;
}

process.once("message", ({ databaseUrl, nodes, config }: IndexerProcessStart) => {
  const execution = { configOf: () => config };
  const shared = { databaseUrl, nodes, credentials: clientCredentials, log: silentLog };
  void startIndexer({ ...shared, execution, limits: { pollMs: 20, maxRetryMs: 100 } });
  process.send?.("started");
});
process.once("disconnect", () => process.exit());
