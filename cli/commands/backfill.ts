import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { BlockRefusedError } from "../../catapult/verify/verify.js";
import { type BackfillReport, backfill } from "../../indexer/backfill/backfill.js";
import { BackfillRangeError } from "../../indexer/backfill/errors.js";
import { NotExecutedError, StoredStateError, UnknownNetworkError } from "../../indexer/execution/errors.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { startMetricsServer } from "../../indexer/metrics/metrics-server.js";
import { WrongNetworkError } from "../../indexer/step/errors.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { openDatabase } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { credentialsOf, executionOf, listening, nodesOf, stateRulesOf } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { FillProgress } from "../process/progress-bar.js";
import { type Parts, runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Command, GivenOptions } from "./command.js";

const MAX_JOBS = 256;
/** More decode faster than one connection can write, and each takes its memory. */
const MOST_USEFUL_JOBS = 3;

/** `symbol-gateway backfill` */
export const backfillCommand: Command = {
  description:
    "Fills a range of the index as fast as PostgreSQL takes it, and ends: from the first of CATAPULT_NODES that answers,\n" +
    "or, without a node, from the bytes of blocks in DATABASE_URL, of which it makes all other tables again. It can be\n" +
    "stopped and killed at any time; the next one goes on where it was. With STATE_SOURCE=execute it executes the blocks,\n" +
    "and the state is complete when it ends. An indexer on the same database waits meanwhile, and with STATE_SOURCE=node\n" +
    "afterwards reads each changed state entry once. Nobody is told of the blocks: there are no events of them.\n" +
    "Exit code 0 when the range is full, 1 when it was stopped before.",
  options: {
    from: { kind: "number", meaning: "first height; the one behind the index unless given, 1 with --source raw" },
    to: { kind: "number", meaning: "last height; that of the node, or of the bytes in the database, unless given" },
    source: {
      kind: "text",
      meaning: "where blocks come from: node, unless given, or raw for the bytes in the database",
      form: { pattern: /^(node|raw)$/, description: "node or raw" },
    },
    jobs: {
      kind: "number",
      meaning: "threads that decode and check; one for each processor but one, 2 or 3, unless given",
    },
    verify: {
      kind: "text",
      meaning: "full to check all signatures too; hashes, unless given, for hashes only, which cover every byte",
      form: { pattern: /^(hashes|full)$/, description: "hashes or full" },
    },
  },
  settings: ["database", "node", "indexer", "log"],
  finds: ["node"],
  async run(settings, options) {
    const log = createLog("backfill", settings);
    const jobs = jobsOf(options);
    const { from, to } = options as { from?: number; to?: number };
    // Before the wait for an indexer that writes, which may be long.
    if (from !== undefined && to !== undefined && from > to) {
      throw new UsageError(`--from ${from} must not be above --to ${to}.`);
    }
    let report: BackfillReport | undefined;
    const code = await runUntilStopped(log, async (parts) => {
      const databaseUrl = await openDatabase(settings, log, parts);
      await requireSchema(databaseUrl, log, { writes: true });
      const metrics = await serveMetrics(settings, log, parts);
      const progress = new FillProgress(log);
      const abort = new AbortController();
      const filling = backfill(
        {
          databaseUrl,
          source: options.source === "raw" ? "raw" : "node",
          nodes: nodesOf(settings),
          credentials: await credentialsOf(settings),
          log,
          from,
          to,
          jobs,
          verify: options.verify === "full" ? "full" : "hashes",
          state: await stateRulesOf(settings),
          execution: await executionOf(settings),
          metrics,
          onProgress: (figures) => progress.show(figures),
        },
        abort.signal,
      ).finally(() => progress.end());
      parts.add("backfill", async () => {
        abort.abort();
        await filling.catch(() => undefined);
      });
      report = await filling.catch(explain);
      return 0;
    });
    if (report) tell(report, log);
    return report && report.height >= report.target ? code : 1;
  },
};

/** @throws UsageError when there is no use in more than so many threads */
function jobsOf({ jobs }: GivenOptions): number {
  if (jobs === undefined) return Math.min(MOST_USEFUL_JOBS, Math.max(2, availableParallelism() - 1));
  if (jobs === 0 || Number(jobs) > MAX_JOBS) throw new UsageError(`--jobs must be from 1 to ${MAX_JOBS}, not ${jobs}.`);
  return Number(jobs);
}

async function serveMetrics(settings: Settings, log: Logger, parts: Parts): Promise<IndexerMetrics> {
  const metrics = new IndexerMetrics(programVersion());
  const { INDEXER_METRICS_HOST: host, INDEXER_METRICS_PORT: port } = settings;
  if (port !== undefined) {
    const starting = startMetricsServer({ metrics, host, port, log });
    try {
      const server = await listening(starting, "INDEXER_METRICS_PORT", port);
      parts.add("metrics", () => server.stop());
    } catch (error) {
      // An indexer that waits on the same machine has the port: that is no reason not to fill the index.
      if (!(error instanceof UsageError)) throw error;
      log.warn({ reason: error.message }, "There are no metrics of this run");
    }
  }
  return metrics;
}

/** What the user can change comes without a trace of where it was found. */
function explain(error: unknown): never {
  if (FOR_USER.some((kind) => error instanceof kind))
    throw new UsageError(`${(error as Error).message}.`, { cause: error });
  throw error;
}

const FOR_USER = [
  BackfillRangeError,
  BlockRefusedError,
  FinalizationProofError,
  NotExecutedError,
  StoredStateError,
  UnknownNetworkError,
  WrongNetworkError,
];

function tell({ height, target, blocks, transactions, ms, stages }: BackfillReport, log: Logger): void {
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
    height >= target ? "The range is full" : "Stopped before the range was full",
  );
}

/** Processor time of this process so far, all threads together. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) / 1_000;
}
