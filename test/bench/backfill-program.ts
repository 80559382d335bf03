import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { StageTimes } from "../../indexer/backfill/stage-times.js";
import { startProcess } from "../support/process.js";

/** The result of `symbol-gateway backfill`, run in its own process, as operators do. */
export interface BackfillRun {
  /** From process start to exit. */
  readonly seconds: number;
  readonly blocks: number;
  /** Peak memory of the process. */
  readonly peakMemoryMiB: number;
  /** Processor time of the process, without that of PostgreSQL. */
  readonly cpuSeconds: number;
  /** Load average of the machine at the end, over the last minute. */
  readonly load: number;
  readonly stageSeconds: StageTimes;
}

/**
 * Fills the whole range. Further settings are passed on beside `DATABASE_URL`.
 * @throws Error with its output, when the range is not filled
 */
export async function runBackfill(
  databaseUrl: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<BackfillRun> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  try {
    // Most generated chains cannot be executed.
    const unlessSet = { STATE_SOURCE: "node", LOG_FORMAT: "json" };
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: folder, ...unlessSet, ...settings };
    const startedAt = performance.now();
    const program = startProcess(["backfill", ...args], { env, cwd: folder });
    const { code } = await program.exited;
    const seconds = (performance.now() - startedAt) / 1_000;
    const line = program.output.split("\n").find((one) => one.includes('"msg":"The range is filled"'));
    if (code !== 0 || !line) throw new Error(`The backfill failed:\n${program.output.slice(-2_000)}`);
    const { blocks, peakMemoryMiB, cpuSeconds, stageSeconds } = JSON.parse(line) as BackfillRun;
    return { seconds, blocks, peakMemoryMiB, cpuSeconds, load: loadavg()[0] ?? 0, stageSeconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
