import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { BlockRejectedError } from "../../catapult/verify/verify.js";
import { type BackfillOptions, type BackfillReport, backfill } from "../../indexer/backfill.js";
import { BackfillRangeError, StoredStateError } from "../../indexer/chain/step/errors.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { startMetricsServer } from "../../indexer/metrics/metrics-server.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { openDatabase } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { listening, loadCredentials, loadExecution, parseNodes } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { describeFilling, Progress } from "../process/progress.js";
import { type Parts, runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Command, GivenOptions } from "./command.js";

const MAX_JOBS = 256;
/** More threads decode faster than one connection can write, and each needs memory. */
const MAX_USEFUL_JOBS = 3;

/** `symbol-gateway backfill` */
export const backfillCommand: Command = {
  description:
    "Fills a range of the index as fast as PostgreSQL can write, then exits: from the first of CATAPULT_NODES that answers,\n" +
    "or, without a node, by rebuilding all tables from the block bytes in DATABASE_URL. It can be stopped or killed at any\n" +
    "time and resumes where it was. It executes the blocks, so the state is complete at the end. An indexer on the same\n" +
    "database is on standby meanwhile. No events are emitted for backfilled blocks.\n" +
    "Exit code 0 if the range is filled, 1 if it was stopped before.",
  options: {
    from: {
      kind: "number",
      description: "first height (default: the one after the index's head; 1 with --source raw)",
    },
    to: { kind: "number", description: "last height (default: the node's head, or the last block in the database)" },
    source: {
      kind: "text",
      description: "source of blocks: node (default), or raw for the bytes in the database",
      form: { pattern: /^(node|raw)$/, description: "node or raw" },
    },
    jobs: {
      kind: "number",
      description: "number of decoding threads (default: processors minus one, from 2 to 3)",
    },
    verify: {
      kind: "text",
      description: "hashes (default) verifies hashes, which cover every byte; full also verifies all signatures",
      form: { pattern: /^(hashes|full)$/, description: "hashes or full" },
    },
  },
  settings: ["database", "node", "indexer", "log"],
  finds: ["node"],
  run: runBackfill,
};

async function runBackfill(settings: Settings, options: GivenOptions): Promise<number> {
  const log = createLog("backfill", settings);
  const jobs = jobsOf(options);
  const { from, to } = options as { from?: number; to?: number };
  // Before waiting for an indexer that writes, which may take long.
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError(`--from ${from} must not be above --to ${to}.`);
  }
  let report: BackfillReport | undefined;
  const code = await runUntilStopped(log, async (parts) => {
    const databaseUrl = await openDatabase(settings, log, parts);
    (await requireSchema(databaseUrl, log, { writes: true })).watch(parts);
    const metrics = await serveMetrics(settings, log, parts);
    const progress = new Progress(log);
    const abort = new AbortController();
    const filled: BackfillOptions = {
      source: options.source === "raw" ? "raw" : "node",
      databaseUrl,
      nodes: parseNodes(settings),
      credentials: await loadCredentials(settings),
      log,
      from,
      to,
      jobs,
      verify: options.verify === "full" ? "full" : "hashes",
      execution: await loadExecution(settings, log),
      metrics,
      onProgress: (status) => progress.show(describeFilling(status), status),
    };
    const filling = backfill(filled, abort.signal).finally(() => progress.end());
    parts.add("backfill", async () => {
      abort.abort();
      await filling.catch(() => undefined);
    });
    report = await filling.catch(explainBackfill);
    return 0;
  });
  if (report) logReport(report, log);
  return report && report.height >= report.target ? code : 1;
}

/** The number of decoding threads. @throws UsageError when the number is out of range */
export function jobsOf({ jobs }: GivenOptions): number {
  if (jobs === undefined) return Math.min(MAX_USEFUL_JOBS, Math.max(2, availableParallelism() - 1));
  if (jobs === 0 || Number(jobs) > MAX_JOBS) throw new UsageError(`--jobs must be from 1 to ${MAX_JOBS}, not ${jobs}.`);
  return Number(jobs);
}

async function serveMetrics(settings: Settings, log: Logger, parts: Parts): Promise<IndexerMetrics> {
  const metrics = new IndexerMetrics(programVersion());
  const { INDEXER_METRICS_PORT: address } = settings;
  if (address) {
    const starting = startMetricsServer({ metrics, ...address, log });
    try {
      const server = await listening(starting, "INDEXER_METRICS_PORT", address.port);
      parts.add("metrics", () => server.stop());
    } catch (error) {
      // A standby indexer on the same machine may use the port: not a reason to stop.
      if (!(error instanceof UsageError)) throw error;
      log.warn({ reason: error.message }, "No metrics are served for this run");
    }
  }
  return metrics;
}

/** Errors that the operator can fix are reported without a stack trace. */
function explainBackfill(error: unknown): never {
  if (FOR_USER.some((kind) => error instanceof kind))
    throw new UsageError(`${(error as Error).message}.`, { cause: error });
  throw error;
}

const FOR_USER = [BackfillRangeError, BlockRejectedError, FinalizationProofError, StoredStateError];

/** Logs the result of a backfill. */
export function logReport({ height, target, blocks, transactions, ms, stages }: BackfillReport, log: Logger): void {
  const perSecond = (count: number) => Math.round((count * 1_000) / Math.max(1, ms));
  log.info(
    {
      height,
      target,
      blocks,
      transactions,
      seconds: Math.round(ms / 1_000),
      blocksPerSecond: perSecond(blocks),
      transactionsPerSecond: perSecond(transactions),
      peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
      cpuSeconds: cpuSeconds(),
      stageSeconds: Object.fromEntries(
        Object.entries(stages).map(([stage, spent]) => [stage, Math.round(spent / 100) / 10]),
      ),
    },
    height >= target ? "The range is filled" : "Stopped before the range was filled",
  );
}

/** Processor time of this process so far, all threads together. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) / 1_000;
}
