import { type IndexerOptions, startIndexer } from "../../indexer/indexer.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { startMetricsServer } from "../../indexer/metrics/metrics-server.js";
import { findDatabaseUrl } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { listening, loadCredentials, loadExecution, parseNodes, reportReady } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { describeFilling, Progress } from "../process/progress.js";
import { runUntilStopped } from "../process/shutdown.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Command } from "./command.js";

/** `symbol-gateway indexer` */
export const indexerCommand: Command = {
  description:
    "Follows the first of CATAPULT_NODES that answers and writes its chain into DATABASE_URL, until it is stopped.\n" +
    "Every block is verified before it is written. Of several on one database, one writes and the others are on standby.",
  settings: ["database", "node", "indexer", "COMPATIBILITY", "log"],
  finds: ["node"],
  run: (settings) => runIndexer(settings),
};

/** @param others options that no setting has */
export async function runIndexer(settings: Settings, others: Partial<IndexerOptions> = {}): Promise<number> {
  const log = createLog("indexer", settings);
  const databaseUrl = await findDatabaseUrl(settings);
  const schema = await requireSchema(databaseUrl, log, { writes: true });
  return runUntilStopped(log, async (parts) => {
    schema.watch(parts);
    const metrics = new IndexerMetrics(programVersion());
    const { INDEXER_METRICS_PORT: address } = settings;
    if (address) {
      const starting = startMetricsServer({ metrics, ...address, log });
      const server = await listening(starting, "INDEXER_METRICS_PORT", address.port);
      parts.add("metrics", () => server.stop());
    }
    const progress = new Progress(log);
    const indexer = await startIndexer({
      databaseUrl,
      nodes: parseNodes(settings),
      zmqUrl: settings.CATAPULT_ZMQ,
      credentials: await loadCredentials(settings),
      log,
      execution: await loadExecution(settings, log),
      tellsCosigners: settings.COMPATIBILITY === "spec",
      metrics,
      onProgress: (status) => {
        progress.show(describeFilling(status), status);
        if (status.height >= status.target) progress.end();
      },
      ...others,
      limits: { eventRetentionMs: settings.EVENT_RETENTION_HOURS * 3_600_000, ...others.limits },
    });
    parts.add("indexer", () => indexer.stop(), indexer.done);
    reportReady(log, {});
  });
}
