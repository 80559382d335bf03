import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeResources } from "../../devnet/network/resources.js";
import type { StageTimes } from "../../indexer/backfill/stage-times.js";
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

/** What each stage does, in the order of the way. */
const STAGES: Readonly<Record<keyof StageTimes, string>> = {
  fetch: "fetch: waiting for blocks",
  execute: "execute: executing blocks, verifying headers and hashes",
  decode: "decode: reading bytes, hashing them",
  verify: "verify: comparing blocks with their headers, reading statements",
  render: "write: making rows, documents and lists",
  encode: "write: encoding rows for COPY",
  copy: "write: COPY",
  state: "write: state",
  notes: "write: counters, milestones",
  commit: "write: commit",
  index: "index: vacuum, indexes that were left out",
};

/** A backfill that executes, and the loading of a large state. */
export const execute: Benchmark = {
  name: "execute",
  title: "Executing the chain: blocks a second, and loading a large state",
  about:
    `\`symbol-gateway backfill --source raw\` with STATE_SOURCE=execute makes all tables and the whole state of the bytes of ` +
    `${BLOCKS.toLocaleString("en-US")} blocks (2.5 transactions each on the average, 1,000 accounts that all have an ` +
    "importance), from the start of the process to its end: every header, receipts hash and state hash is verified; the " +
    "chain is final, so generation hash proofs are not verified again. A load of 2 is what the backfill makes by itself. " +
    `Then the state of ${ACCOUNTS.toLocaleString("en-US")} accounts is loaded from PostgreSQL by a process of its own, as an ` +
    "indexer does at its start, up to the roots of the nine trees. Checked are the tables against the bytes " +
    "(`symbol-gateway check`), and the number of accounts that were loaded.",
  run,
  conclude: nextToMakeFaster,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  try {
    const { database, network } = await createExecutableRawDatabase({ blocks: BLOCKS, seed: SEED });
    const runs: BackfillRun[] = [];
    try {
      await writeResources(folder, network, { port: 7900, host: "", friendlyName: "" });
      say(`the bytes of ${BLOCKS} blocks are there`);
      const settings = { CATAPULT_RESOURCES: folder, STATE_SOURCE: "execute" };
      for (let round = 0; round < ROUNDS; round++) {
        runs.push(await runBackfill(database.url, ["--source", "raw"], settings));
        if (round === 0) await check(database.url);
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
        what: "processor time for a block, without PostgreSQL's",
        samples: runs.map(({ cpuSeconds }) => (1_000 * cpuSeconds) / BLOCKS),
        unit: "ms",
      },
      { what: "load of the machine meanwhile", samples: runs.map(({ load }) => load), unit: "" },
      { what: "memory of the backfill at most", samples: runs.map((one) => one.peakMemoryMiB), unit: "MiB" },
      {
        what: `loading a state of ${ACCOUNTS.toLocaleString("en-US")} accounts`,
        samples: [loading.ms],
        unit: "ms",
        target: { atMost: LOADING_MS },
      },
      { what: "processor time of the process that loaded it", samples: [loading.cpuMs], unit: "ms" },
      { what: "load of the machine meanwhile, loading", samples: [loading.load], unit: "" },
      {
        what: "memory of the process that loaded it at most",
        samples: [loading.peakMemoryMiB],
        unit: "MiB",
        target: { atMost: MEMORY_MIB },
      },
      ...Object.entries(STAGES).map(([stage, what]) => ({
        what,
        samples: runs.map(({ stageSeconds }) => shareOf(stage as keyof StageTimes, stageSeconds)),
        unit: "%" as const,
        column: "share of the time of all stages",
      })),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function shareOf(stage: keyof StageTimes, times: StageTimes): number {
  const all = Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
  return (100 * times[stage]) / all;
}

/** @throws Error when rows, lists or the head are not what the bytes say */
async function check(url: string): Promise<void> {
  const program = startProcess(["check", "--offline", "--sample", "1000"], { env: { DATABASE_URL: url } });
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`The tables are not right:\n${program.output.slice(-2_000)}`);
}

function nextToMakeFaster(figures: readonly Figure[]): string {
  const stages = figures.filter(({ unit }) => unit === "%").sort((a, b) => median(b.samples) - median(a.samples));
  const [first] = stages;
  if (!first) return "";
  return (
    "Blocks are executed in order, by one thread, while others decode: where there are processors enough, that thread sets " +
    `the pace. Most of the time went to *${first.what}* (${median(first.samples).toFixed(0)} %).`
  );
}
