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
import { sumTables, TableCopies, withClient } from "./table-copies.js";

const BLOCKS = Number(process.env.BENCH_BACKFILL_BLOCKS ?? 100_000);
const NODE_BLOCKS = BLOCKS / 5;
const ROUNDS = 3;
/** What is made of the bytes of blocks. */
const TABLES = COPIED_TABLES.filter((table) => table !== "raw_blocks");
const MEMORY_MIB = 1_024;

/** What each stage does, in the order of the way. */
const STAGES: Readonly<Record<keyof StageTimes, string>> = {
  fetch: "fetch: waiting for blocks",
  execute: "execute: executing blocks",
  decode: "decode: reading bytes, hashing them",
  verify: "verify: holding them against the headers, reading statements",
  render: "write: making rows, documents and lists",
  encode: "write: encoding rows for COPY",
  copy: "write: COPY",
  state: "write: state that came of executing",
  notes: "write: counters, milestones, keys of state",
  commit: "write: commit",
  index: "index: vacuum, indexes that were left out",
};

/** A backfill against COPY. */
export const backfillBenchmark: Benchmark = {
  name: "backfill",
  title: "Backfill: rows a second, against COPY",
  about:
    `\`symbol-gateway backfill --source raw\` makes all tables of the bytes of ${BLOCKS.toLocaleString("en-US")} blocks ` +
    "(2.5 transactions each on the average), from the start of the process to its end: it decodes, checks all hashes, " +
    "renders documents, counts lists, writes, and makes the indexes that it left out. The baseline is one connection " +
    "that copies the very same rows, from files in COPY's binary form, into the same tables, which have all their " +
    "indexes, in one transaction; the second baseline leaves out the same indexes as the backfill and makes them at the " +
    "end. COPY keeps one processor busy, the backfill all that there are. Counters, milestones and notes about the state are rows too, but do not count. Checked are the tables against " +
    "the bytes (`symbol-gateway check`), and their sums after each way.",
  run,
  conclude: nextToMakeFaster,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  // Signed, because the check looks at signatures.
  const ours = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  const copied = await createMigratedDatabase();
  try {
    say(`the bytes of ${BLOCKS} blocks are there`);
    await runBackfill(ours.url, ["--source", "raw"]);
    await check(ours.url);
    const sums = await sumTables(ours.url, TABLES);
    const rows = sums.reduce((total, one) => total + one.rows, 0);
    const copies = await TableCopies.write(ours.url, TABLES, folder);
    say(`${rows} rows are right`);
    const runs: BackfillRun[] = [];
    const [filled, withIndexes, withoutIndexes]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      await settle(ours.url);
      const last = await runBackfill(ours.url, ["--source", "raw"]);
      runs.push(last);
      filled.push(rows / last.seconds);
      await emptyTables(copied.url);
      withIndexes.push((rows * 1_000) / (await timeOf(() => copies.load(copied.url))));
      await emptyTables(copied.url);
      withoutIndexes.push((rows * 1_000) / (await timeOf(() => loadAndIndex(copies, copied.url))));
      if (round === 0) await checkSame(sums, [ours.url, copied.url]);
      say(`round ${round + 1} of ${ROUNDS}`);
    }
    return [
      { ...ratio("rows a second against COPY into the same tables", filled, withIndexes), target: { atLeast: 0.5 } },
      ratio("against COPY that makes indexes at the end", filled, withoutIndexes),
      { what: "rows from raw bytes", samples: filled, unit: "per second" },
      { what: "rows, COPY", samples: withIndexes, unit: "per second" },
      { what: "rows, COPY, indexes at the end", samples: withoutIndexes, unit: "per second" },
      { what: "blocks from raw bytes", samples: runs.map(({ seconds }) => BLOCKS / seconds), unit: "per second" },
      ...(await fromNode(say)),
      ...memory("memory of the process at most, from raw bytes", runs),
      ...shares(runs),
    ];
  } finally {
    await copied.drop();
    await ours.drop();
    rmSync(folder, { recursive: true });
  }
}

function ratio(what: string, ours: readonly number[], baseline: readonly number[]): Figure {
  return { what, samples: ours.map((rate, round) => rate / baseline[round]!), unit: "ratio" };
}

function memory(what: string, runs: readonly BackfillRun[]): Figure[] {
  const samples = runs.map(({ peakMemoryMiB }) => peakMemoryMiB);
  return [{ what, samples, unit: "MiB", target: { atMost: MEMORY_MIB } }];
}

/** What part of the time that all stages together took each of them took. */
function shares(runs: readonly BackfillRun[]): Figure[] {
  return Object.entries(STAGES).map(([stage, what]) => ({
    what,
    samples: runs.map(({ stageSeconds }) => {
      const all = Object.values(stageSeconds).reduce((sum, seconds) => sum + seconds, 0);
      return (100 * stageSeconds[stage as keyof StageTimes]) / all;
    }),
    unit: "%",
    column: "share of the time of all stages",
  }));
}

/** Stages work at the same time, so the one with most of the time holds the others, wherever there are few processors. */
function nextToMakeFaster(figures: readonly Figure[]): string {
  const stages = figures.filter(({ unit }) => unit === "%").sort((a, b) => median(b.samples) - median(a.samples));
  const [first, second] = stages;
  if (!first || !second) return "";
  const describe = ({ what, samples }: Figure) => `*${what}* (${median(samples).toFixed(0)} %)`;
  return (
    "Stages work at the same time, decoding in several threads; shares are of the time that all of them took together. " +
    `The next thing to make faster is ${describe(first)}, then ${describe(second)}.`
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
    const sums = await sumTables(filled.url, COPIED_TABLES);
    const rows = sums.reduce((total, one) => total + one.rows, 0);
    return [
      { what: "rows from a node on the same machine", samples: [rows / seconds], unit: "per second" },
      { what: "blocks from a node on the same machine", samples: [NODE_BLOCKS / seconds], unit: "per second" },
      {
        what: "memory of the process at most, from a node",
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

/** @throws Error when rows, lists or the head are not what the bytes say */
async function check(url: string): Promise<void> {
  const program = startProcess(["check", "--offline", "--sample", "1000"], { env: { DATABASE_URL: url } });
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`The tables are not right:\n${program.output.slice(-2_000)}`);
}

/** @throws Error when a database has not these rows */
async function checkSame(sums: readonly object[], urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const found = await sumTables(url, TABLES);
    if (JSON.stringify(found) !== JSON.stringify(sums)) throw new Error("The ways did not end in the same rows");
  }
}

async function loadAndIndex(copies: TableCopies, url: string): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, statementTimeoutMs: 0, onError: () => undefined });
  try {
    await deferIndexes(db, TABLES);
    await copies.load(url);
    await createDeferredIndexes({ db, log: silentLog }, new AbortController().signal);
  } finally {
    await db.destroy();
  }
}

async function emptyTables(url: string): Promise<void> {
  await withClient(url, (client) => client.query(`truncate ${TABLES.join(", ")}`));
  await settle(url);
}

/** Nobody shall pay for what the one before left to be written. */
async function settle(url: string): Promise<void> {
  await withClient(url, (client) => client.query("checkpoint"));
}
