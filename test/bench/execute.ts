import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeResources } from "../../devnet/network/resources.js";
import type { StageTimes } from "../../indexer/chain/fill/stage-times.js";
import { startProcess } from "../support/process.js";
import { type BackfillRun, runBackfill } from "./backfill-program.js";
import { type Benchmark, type Figure, median } from "./benchmark.js";
import { createExecutableRawDatabase } from "./filled-database.js";
import { measureLoading } from "./loading.js";

const BLOCKS = Number(process.env.BENCH_EXECUTE_BLOCKS ?? 20_000);
const ACCOUNTS = Number(process.env.BENCH_EXECUTE_ACCOUNTS ?? 1_000_000);
const SEED = 1;
const ROUNDS = 3;
const MEMORY_MIB = 2_560;
const LOADING_MS = 60_000;

/** What each stage does, in pipeline order. */
const STAGES: Readonly<Record<keyof StageTimes, string>> = {
  fetch: "fetch: waiting for blocks",
  execute: "execute: executing blocks, verifying headers and hashes",
  decode: "decode: parsing and hashing",
  verify: "verify: comparing blocks with their headers, reading statements",
  render: "write: creating rows and lists",
  encode: "write: encoding rows for COPY",
  copy: "write: COPY",
  state: "write: state",
  notes: "write: counters, milestones",
  commit: "write: commit",
  index: "index: vacuum, deferred indexes",
};

/** A backfill that executes blocks, and loading a large state. */
export const execute: Benchmark = {
  name: "execute",
  title: "Executing the chain: blocks per second, and loading a large state",
  about:
    `\`symbol-gateway backfill --source raw\` builds all tables and the whole state from the bytes of ` +
    `${BLOCKS.toLocaleString("en-US")} blocks (2.5 transactions each on average, 1,000 accounts that all have an ` +
    "importance), timed from process start to exit: every header, receipts hash and state hash is verified; the " +
    "chain is final, so generation hash proofs are not verified again. The backfill alone causes a load of 2. " +
    `Then a separate process loads the state of ${ACCOUNTS.toLocaleString("en-US")} accounts from PostgreSQL, as an ` +
    "indexer does at startup, up to the roots of the nine trees. `symbol-gateway check` verifies the tables, and the " +
    "number of loaded accounts is checked.",
  run,
  conclude: slowestStage,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  try {
    const { database, network } = await createExecutableRawDatabase({ blocks: BLOCKS, seed: SEED });
    const runs: BackfillRun[] = [];
    try {
      await writeResources(folder, network, { port: 7900, host: "", friendlyName: "" });
      say(`stored the bytes of ${BLOCKS} blocks`);
      const settings = { CATAPULT_RESOURCES: folder };
      for (let round = 0; round < ROUNDS; round++) {
        runs.push(await runBackfill(database.url, ["--source", "raw"], settings));
        if (round === 0) await check(database.url, folder);
        say(`round ${round + 1} of ${ROUNDS}`);
      }
    } finally {
      await database.drop();
    }
    const loading = await measureLoading(ACCOUNTS, say);
    return [
      {
        what: "blocks executed from raw bytes",
        samples: runs.map(({ seconds }) => BLOCKS / seconds),
        unit: "per second",
        target: { atLeast: 1_500 },
      },
      {
        what: "processor time per block, without PostgreSQL",
        samples: runs.map(({ cpuSeconds }) => (1_000 * cpuSeconds) / BLOCKS),
        unit: "ms",
      },
      { what: "load average during the backfill", samples: runs.map(({ load }) => load), unit: "" },
      { what: "peak memory of the backfill", samples: runs.map((one) => one.peakMemoryMiB), unit: "MiB" },
      {
        what: `loading a state of ${ACCOUNTS.toLocaleString("en-US")} accounts`,
        samples: [loading.ms],
        unit: "ms",
        target: { atMost: LOADING_MS },
      },
      { what: "processor time of the loading process", samples: [loading.cpuMs], unit: "ms" },
      { what: "load average during loading", samples: [loading.load], unit: "" },
      {
        what: "peak memory of the loading process",
        samples: [loading.peakMemoryMiB],
        unit: "MiB",
        target: { atMost: MEMORY_MIB },
      },
      ...Object.entries(STAGES).map(([stage, what]) => ({
        what,
        samples: runs.map(({ stageSeconds }) => connectionShare(stage as keyof StageTimes, stageSeconds)),
        unit: "%" as const,
        column: "share of the time of all stages, summed",
      })),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function connectionShare(stage: keyof StageTimes, times: StageTimes): number {
  const all = Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
  return (100 * times[stage]) / all;
}

/** @throws Error when rows, lists or the head do not match the bytes */
async function check(url: string, resources: string): Promise<void> {
  const env = { DATABASE_URL: url, CATAPULT_RESOURCES: resources };
  const program = startProcess(["check", "--offline", "--sample", "1000"], { env });
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`The tables are wrong:\n${program.output.slice(-2_000)}`);
}

function slowestStage(figures: readonly Figure[]): string {
  const stages = figures.filter(({ unit }) => unit === "%").sort((a, b) => median(b.samples) - median(a.samples));
  const [first] = stages;
  if (!first) return "";
  return (
    "Blocks are executed in order, by one thread, while others decode: given enough processors, that thread sets " +
    `the pace. Most of the time went to *${first.what}* (${median(first.samples).toFixed(0)} %).`
  );
}
