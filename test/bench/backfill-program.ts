import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { StageTimes } from "../../indexer/chain/step/stage-times.js";
import { startProcess } from "../support/process.js";
import { timeOfEndedChildren, timeOfServer } from "./processor-time.js";

/** The result of `symbol-gateway backfill`, run in its own process, as operators do. */
export interface BackfillRun {
  /** From process start to exit. */
  readonly seconds: number;
  readonly blocks: number;
  /** Peak memory of the process. */
  readonly peakMemoryMiB: number;
  /** Processor time of the process. */
  readonly cpuSeconds: number;
  /** That of PostgreSQL; 0 unless on Linux. */
  readonly postgresCpuSeconds: number;
  /** Load average of the machine at the end, over the last minute. */
  readonly load: number;
  readonly stageSeconds: StageTimes;
}

/** The report, also that of earlier versions. */
const REPORT = /^.*"msg":"The range is (?:filled|full)".*$/m;

/**
 * Fills the whole range. Further settings are passed on beside `DATABASE_URL`.
 * @param script the program of another version
 * @throws Error with its output, when the range is not filled
 */
export async function runBackfill(
  databaseUrl: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  script?: string,
): Promise<BackfillRun> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  try {
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: folder, ...settings };
    const before = await processorTimes(databaseUrl);
    const startedAt = performance.now();
    const program = startProcess(["backfill", ...args], {
      env,
      cwd: folder,
      ...(script !== undefined && { script, isUnsupervised: true }),
    });
    const { code } = await program.exited;
    const seconds = (performance.now() - startedAt) / 1_000;
    const [line] = REPORT.exec(program.output) ?? [];
    if (code !== 0 || !line) throw new Error(`The backfill failed:\n${program.output.slice(-2_000)}`);
    const after = await processorTimes(databaseUrl);
    const measured = (after.process - before.process) / 1_000;
    const { blocks, peakMemoryMiB, stageSeconds, cpuSeconds = measured } = JSON.parse(line) as BackfillRun;
    return {
      seconds,
      blocks,
      peakMemoryMiB,
      cpuSeconds,
      postgresCpuSeconds: (after.postgres - before.postgres) / 1_000,
      load: loadavg()[0] ?? 0,
      stageSeconds,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function processorTimes(url: string): Promise<{ readonly process: number; readonly postgres: number }> {
  if (process.platform !== "linux") return { process: 0, postgres: 0 };
  return { process: timeOfEndedChildren(), postgres: await timeOfServer(url) };
}
