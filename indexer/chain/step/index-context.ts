import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import type { Db } from "../../../database/database.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import type { IndexerLimits } from "../../limits/indexer-limits.js";
import type { IndexerMetrics } from "../../metrics/metrics.js";

/** An index, and what everything that writes it needs. */
export interface IndexContext {
  readonly db: Db;
  readonly network: NetworkIdentity;
  readonly config: NetworkConfig;
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly limits: IndexerLimits;
  /** Whether who has only cosigned a transaction gets the messages of its outcome. */
  readonly tellsCosigners: boolean;
}
