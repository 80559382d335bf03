import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { StageTimes } from "../../indexer/chain/step/stage-times.js";
import { startProcess } from "../support/process.js";

/** The result of `symbol-gateway backfill`, run in its own process, as operators do. */
export interface BackfillRun {
  /** From process start to exit. */
  readonly seconds: number;
  /** Peak memory of the process. */
  readonly peakMemoryMiB: number;
  /** Processor time of the process. */
  readonly cpuSeconds: number;
  /** Load average of the machine at the end, over the last minute. */
  readonly load: number;
  readonly stageSeconds: StageTimes;
}

const REPORT = /^.*"msg":"The range is filled".*$/m;

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
    return { ...(JSON.parse(line) as BackfillRun), seconds, load: loadavg()[0] ?? 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
