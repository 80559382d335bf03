import { availableParallelism } from "node:os";
import type { StageTimes } from "../../indexer/chain/step/stage-times.js";
import { startProcess } from "../support/process.js";
import { type BackfillRun, runBackfill } from "./backfill-program.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { costlyBlocks } from "./costly-blocks.js";
import { createRawDatabase, withResources } from "./filled-database.js";
import { createPreviousDatabase, PREVIOUS } from "./previous-version.js";

const BLOCKS = Number(process.env.BENCH_FILLING_BLOCKS ?? 20_000);
const ROUNDS = 3;

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
  notes: "write: counters, skip pointers",
  commit: "write: commit",
  index: "index: vacuum, deferred indexes",
};

/** A backfill that executes blocks, and the blocks that cost most. */
export const filling: Benchmark = {
  name: "filling",
  title: "Filling: blocks per second, and the costliest blocks",
  about:
    `\`symbol-gateway backfill --source raw\` builds all tables and the whole state from the bytes of ` +
    `${BLOCKS.toLocaleString("en-US")} blocks (2.5 transactions each on average, 1,000 accounts that all have an ` +
    "importance), timed from process start to exit: every header, receipts hash and state hash is verified; the " +
    "chain is final, so generation hash proofs are not verified again. `symbol-gateway check` verifies the tables. With " +
    "`BENCH_BEFORE=FOLDER`, the compiled version in that folder fills a database of its own from the same bytes, in turns.\n\n" +
    "Then the ledger executes blocks with the largest transactions of a type, alone and in full aggregates, also on " +
    "entries of the state that are as large as the main network allows: with the state hash, the bytes of the changed " +
    "entries before and after, and the roll-back. Processor time is compared, for each byte, with a block of transfers of " +
    "the currency. `BENCH_COSTLY_BLOCK=WORD` measures those alone whose names have the word.",
  run: async (say) => [
    ...(process.env.BENCH_COSTLY_BLOCK === undefined ? await fillings(say) : []),
    ...costlyBlocks(say),
  ],
};

async function fillings(say: (line: string) => void): Promise<readonly Figure[]> {
  const { database, network } = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  try {
    say(`stored the bytes of ${BLOCKS} blocks`);
    return await withResources(network, async (settings) => {
      const previous = PREVIOUS && (await createPreviousDatabase(PREVIOUS, database.url));
      const [runs, before]: [BackfillRun[], BackfillRun[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        runs.push(await runBackfill(database.url, ["--source", "raw"], settings));
        if (round === 0) await check(database.url, settings);
        if (previous) before.push(await runBackfill(previous.url, ["--source", "raw"], settings, PREVIOUS));
        say(`round ${round + 1} of ${ROUNDS}`);
      }
      await (previous || undefined)?.drop();
      return [...figuresOf(runs), ...comparedWith(runs, before)];
    });
  } finally {
    await database.drop();
  }
}

function figuresOf(runs: readonly BackfillRun[]): Figure[] {
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
    { what: `load average, of ${availableParallelism()} processors`, samples: runs.map(({ load }) => load), unit: "" },
    { what: "peak memory of the backfill", samples: runs.map((one) => one.peakMemoryMiB), unit: "MiB" },
    ...Object.entries(STAGES).map(([stage, what]) => ({
      what,
      samples: runs.map(({ stageSeconds }) => shareOf(stage as keyof StageTimes, stageSeconds)),
      unit: "%" as const,
      column: "share of the time of all stages, summed",
    })),
  ];
}

function comparedWith(runs: readonly BackfillRun[], before: readonly BackfillRun[]): Figure[] {
  if (before.length === 0) return [];
  const samples = runs.map(({ seconds }, round) => before[round]!.seconds / seconds);
  return [{ what: "speed, now / before", samples, unit: "ratio", target: { atLeast: 0.9 } }];
}

function shareOf(stage: keyof StageTimes, times: StageTimes): number {
  const all = Object.values(times).reduce((sum, seconds) => sum + seconds, 0);
  return (100 * times[stage]) / all;
}

/** @throws Error when rows, lists or the head do not match the bytes */
async function check(url: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const env = { DATABASE_URL: url, ...settings };
  const program = startProcess(["check", "--offline", "--sample", "1000"], { env });
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`The tables are wrong:\n${program.output.slice(-2_000)}`);
}
