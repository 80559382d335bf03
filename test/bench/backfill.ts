import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../../database/connection.js";
import type { StageTimes } from "../../indexer/backfill/stage-times.js";
import { COPIED_TABLES } from "../../indexer/step/copy-tables.js";
import { createDeferredIndexes, deferIndexes } from "../../indexer/step/deferred-indexes.js";
import { silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase } from "../support/database.js";
import { startProcess } from "../support/process.js";
import { type BackfillRun, runBackfill } from "./backfill-program.js";
import { type Benchmark, type Figure, median } from "./benchmark.js";
import { timeOf } from "./compare.js";
import { createRawDatabase } from "./filled-database.js";
import { createPreviousDatabase, programIn } from "./previous-version.js";
import { sumTables, TableCopies, withClient } from "./table-copies.js";

const BLOCKS = Number(process.env.BENCH_BACKFILL_BLOCKS ?? 100_000);
const NODE_BLOCKS = BLOCKS / 5;
const ROUNDS = 3;
const MEMORY_MIB = 700;
const GOAL = { atLeast: 4_000 };
/** Goal of the comparison with the version before. */
const FASTER = { atLeast: 1.8 };
/** The folder of a compiled earlier version, with which this one is compared too. */
const { BENCH_BEFORE } = process.env;

/** What each stage does, in pipeline order. */
const STAGES: Readonly<Record<keyof StageTimes, string>> = {
  fetch: "fetch: waiting for blocks",
  execute: "execute: executing blocks",
  decode: "decode: parsing and hashing",
  verify: "verify: comparing blocks with their headers, reading statements",
  render: "write: creating rows and lists",
  encode: "write: encoding rows for COPY",
  copy: "write: COPY",
  state: "write: state from execution",
  notes: "write: counters, milestones, keys of state",
  commit: "write: commit",
  index: "index: vacuum, deferred indexes",
};

/** A backfill compared with COPY. */
export const backfillBenchmark: Benchmark = {
  name: "backfill",
  title: "Backfill: rows per second, compared with COPY",
  about:
    `\`symbol-gateway backfill --source raw\` builds all tables from the bytes of ${BLOCKS.toLocaleString("en-US")} blocks ` +
    "(2.5 transactions each on average), timed from process start to exit: it decodes, checks all hashes, " +
    "counts lists, writes, and creates the indexes that it deferred. The baseline is one connection " +
    "that copies the same rows, from files in COPY's binary format, into the same tables, which have all their " +
    "indexes, in one transaction; the second baseline defers the same indexes as the backfill and creates them at the " +
    "end. COPY keeps one processor busy, the backfill all of them. Counters, milestones and notes about the state are " +
    "rows too but are not counted. `symbol-gateway check` verifies the tables, and their sums are compared after each method. " +
    "With `BENCH_BEFORE=FOLDER`, the compiled version in that folder fills a database of its own from the same bytes, in " +
    "turns with this one. Processor time is that of all threads, and of all processes of PostgreSQL (Linux only).",
  run,
  conclude: nextToOptimize,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  // Signed, because the check verifies signatures.
  const ours = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  const copied = await createMigratedDatabase();
  const previous = BENCH_BEFORE === undefined ? undefined : await createPreviousDatabase(BENCH_BEFORE, ours.url);
  try {
    say(`stored the bytes of ${BLOCKS} blocks`);
    await runBackfill(ours.url, ["--source", "raw"]);
    await check(ours.url);
    const sums = await sumTables(ours.url, COPIED_TABLES);
    const rows = sums.reduce((total, one) => total + one.rows, 0);
    const copies = await TableCopies.write(ours.url, COPIED_TABLES, folder);
    say(`${rows} rows are correct`);
    const [runs, previousRuns]: [BackfillRun[], BackfillRun[]] = [[], []];
    const [filled, withIndexes, withoutIndexes]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      await settle(ours.url);
      const last = await runBackfill(ours.url, ["--source", "raw"]);
      runs.push(last);
      filled.push(rows / last.seconds);
      if (BENCH_BEFORE !== undefined && previous) {
        await settle(previous.url);
        previousRuns.push(await runBackfill(previous.url, ["--source", "raw"], {}, programIn(BENCH_BEFORE)));
      }
      await emptyTables(copied.url);
      withIndexes.push((rows * 1_000) / (await timeOf(() => copies.load(copied.url))));
      await emptyTables(copied.url);
      withoutIndexes.push((rows * 1_000) / (await timeOf(() => loadAndIndex(copies, copied.url))));
      if (round === 0) await checkSame(sums, [ours.url, copied.url]);
      say(`round ${round + 1} of ${ROUNDS}`);
    }
    return [
      {
        ...ratio("rows per second: backfill / COPY into the same tables", filled, withIndexes),
        target: { atLeast: 0.5 },
      },
      ratio("the same: backfill / COPY that creates indexes at the end", filled, withoutIndexes),
      { what: "rows from raw bytes", samples: filled, unit: "per second" },
      { what: "rows, COPY", samples: withIndexes, unit: "per second" },
      { what: "rows, COPY, indexes at the end", samples: withoutIndexes, unit: "per second" },
      { what: "blocks from raw bytes", samples: runs.map(blocksPerSecond), unit: "per second", target: GOAL },
      ...comparedWithPrevious(runs, previousRuns),
      ...processorTime(runs, "this version"),
      ...processorTime(previousRuns, "previous version"),
      ...(await fromNode(say)),
      ...memory("peak memory of the process, from raw bytes", runs),
      ...shares(runs),
    ];
  } finally {
    await previous?.drop();
    await copied.drop();
    await ours.drop();
    rmSync(folder, { recursive: true });
  }
}

const blocksPerSecond = ({ seconds }: BackfillRun) => BLOCKS / seconds;

function comparedWithPrevious(ours: readonly BackfillRun[], previous: readonly BackfillRun[]): Figure[] {
  if (previous.length === 0) return [];
  return [
    {
      ...ratio(
        "blocks per second: this version / previous version",
        ours.map(blocksPerSecond),
        previous.map(blocksPerSecond),
      ),
      target: FASTER,
    },
    { what: "blocks from raw bytes, previous version", samples: previous.map(blocksPerSecond), unit: "per second" },
    {
      what: "peak memory of the process, from raw bytes, previous version",
      samples: previous.map(({ peakMemoryMiB }) => peakMemoryMiB),
      unit: "MiB",
    },
  ];
}

function processorTime(runs: readonly BackfillRun[], column: string): Figure[] {
  if (runs.length === 0) return [];
  const perBlock = (seconds: number) => (1_000 * seconds) / BLOCKS;
  const [ours, postgres] = ["processor time per block, backfill", "processor time per block, PostgreSQL"];
  return [
    { what: ours, samples: runs.map(({ cpuSeconds }) => perBlock(cpuSeconds)), unit: "ms", column },
    { what: postgres, samples: runs.map((one) => perBlock(one.postgresCpuSeconds)), unit: "ms", column },
  ];
}

function ratio(what: string, ours: readonly number[], baseline: readonly number[]): Figure {
  return { what, samples: ours.map((rate, round) => rate / baseline[round]!), unit: "ratio" };
}

function memory(what: string, runs: readonly BackfillRun[]): Figure[] {
  const samples = runs.map(({ peakMemoryMiB }) => peakMemoryMiB);
  return [{ what, samples, unit: "MiB", target: { atMost: MEMORY_MIB } }];
}

/** The share of each stage in the summed time of all stages. */
function shares(runs: readonly BackfillRun[]): Figure[] {
  return Object.entries(STAGES).map(([stage, what]) => ({
    what,
    samples: runs.map(({ stageSeconds }) => {
      const all = Object.values(stageSeconds).reduce((sum, seconds) => sum + seconds, 0);
      return (100 * stageSeconds[stage as keyof StageTimes]) / all;
    }),
    unit: "%",
    column: "share of the time of all stages, summed",
  }));
}

/** Stages run concurrently, so with few processors the one with the largest share delays the others. */
function nextToOptimize(figures: readonly Figure[]): string {
  const stages = figures.filter(({ unit }) => unit === "%").sort((a, b) => median(b.samples) - median(a.samples));
  const [first, second] = stages;
  if (!first || !second) return "";
  const describe = ({ what, samples }: Figure) => `*${what}* (${median(samples).toFixed(0)} %)`;
  return (
    "Stages run concurrently, decoding in several threads. " +
    `The next stages to optimize are ${describe(first)} and ${describe(second)}.`
  );
}

async function fromNode(say: (line: string) => void): Promise<Figure[]> {
  const node = fork(fileURLToPath(new URL("./chain-node.js", import.meta.url)), [String(NODE_BLOCKS)], {
    execArgv: [],
  });
  const filled = await createMigratedDatabase();
  try {
    const [{ port }] = (await once(node, "message")) as [{ port: number }];
    say(`a node has ${NODE_BLOCKS} blocks`);
    const { seconds, peakMemoryMiB } = await runBackfill(filled.url, [], { CATAPULT_NODES: `127.0.0.1:${port}` });
    const sums = await sumTables(filled.url, [...COPIED_TABLES, "raw_blocks"]);
    const rows = sums.reduce((total, one) => total + one.rows, 0);
    return [
      { what: "rows from a node on the same machine", samples: [rows / seconds], unit: "per second" },
      { what: "blocks from a node on the same machine", samples: [NODE_BLOCKS / seconds], unit: "per second" },
      {
        what: "peak memory of the process, from a node",
        samples: [peakMemoryMiB],
        unit: "MiB",
        target: { atMost: MEMORY_MIB },
      },
    ];
  } finally {
    node.kill();
    await filled.drop();
  }
}

/** @throws Error when rows, lists or the head do not match the bytes */
async function check(url: string): Promise<void> {
  const program = startProcess(["check", "--offline", "--sample", "1000"], { env: { DATABASE_URL: url } });
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`The tables are wrong:\n${program.output.slice(-2_000)}`);
}

/** @throws Error when a database does not have these rows */
async function checkSame(sums: readonly object[], urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const found = await sumTables(url, COPIED_TABLES);
    if (JSON.stringify(found) !== JSON.stringify(sums)) throw new Error("The methods did not produce the same rows");
  }
}

async function loadAndIndex(copies: TableCopies, url: string): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, statementTimeoutMs: 0, onError: () => undefined });
  try {
    await deferIndexes(db, COPIED_TABLES);
    await copies.load(url);
    await createDeferredIndexes({ db, log: silentLog }, new AbortController().signal);
  } finally {
    await db.destroy();
  }
}

async function emptyTables(url: string): Promise<void> {
  await withClient(url, (client) => client.query(`truncate ${COPIED_TABLES.join(", ")}`));
  await settle(url);
}

/** No measurement includes writes that the previous one left pending. */
async function settle(url: string): Promise<void> {
  await withClient(url, (client) => client.query("checkpoint"));
}
