import { type BackfillOptions, backfill } from "../../indexer/backfill.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";
import type { IndexedDatabase } from "./indexer-fixture.js";

/** Fills an index by executing blocks with these rules, from the nodes of the options if they name no other source. */
export function fillExecuted(
  index: IndexedDatabase,
  config: NetworkConfig,
  options: Partial<BackfillOptions>,
  signal = new AbortController().signal,
) {
  const fixed = {
    nodes: [],
    credentials: clientCredentials,
    log: silentLog,
    jobs: 1,
    limits: { maxRetryMs: 50 },
  } as const;
  const execution = { configOf: () => config };
  const shared = { ...fixed, databaseUrl: index.url, execution, source: "node", verify: "full" } as const;
  return backfill({ ...shared, ...options }, signal);
}
