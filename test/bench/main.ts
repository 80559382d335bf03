import { fork } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { startPostgres } from "../../cli/postgres/embedded-postgres.js";
import { throwawaySettings } from "../support/throwaway-settings.js";
import { type Benchmark, type Figure, isReached, median } from "./benchmark.js";
import { benchmarks } from "./list.js";
import { formatFigure, formatTarget, PerformancePage } from "./performance-page.js";

/**
 * `npm run bench [-- NAME...]`: runs the benchmarks whose names begin with one of the words, or all, one after
 * another, and writes their results into docs/evidence/results.md. `--list` only names them. Exits with 1 when a goal was
 * missed.
 */

const page = fileURLToPath(new URL("../../../docs/evidence/results.md", import.meta.url));

async function main(words: readonly string[]): Promise<number> {
  const chosen = benchmarks.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
  if (words.includes("--list") || chosen.length === 0) {
    for (const { name, title } of benchmarks) process.stdout.write(`${name.padEnd(28)} ${title}\n`);
    return words.includes("--list") ? 0 : 2;
  }
  let failures = 0;
  const postgres = await startPostgres({
    dataDirectory: await mkdtemp(path.join(tmpdir(), "symbol-gateway-bench-")),
    log: pino({ level: "warn" }, pino.destination(2)),
    settings: throwawaySettings,
    temporary: true,
  });
  try {
    for (const benchmark of chosen) {
      process.stdout.write(`\n${benchmark.title} (${benchmark.name})\n`);
      const figures = await runInProcess(benchmark, postgres.connectionString);
      if (!figures) {
        failures += 1;
        continue;
      }
      // It was skipped: its last results remain.
      if (figures.length === 0) continue;
      for (const figure of figures) {
        process.stdout.write(`  ${describe(figure)}\n`);
        if (!isReached(figure)) failures += 1;
      }
      const performancePage = new PerformancePage(page);
      performancePage.set(benchmark, figures, new Date());
      performancePage.save(benchmarks);
    }
  } finally {
    await postgres.stop();
  }
  process.stdout.write(`\n${chosen.length} benchmarks, ${failures} goals missed\n`);
  return failures === 0 ? 0 : 1;
}

/** Runs a benchmark in a new process; undefined when it failed, after it printed the reason. */
function runInProcess({ name }: Benchmark, postgresUrl: string): Promise<readonly Figure[] | undefined> {
  const program = fileURLToPath(new URL("./run.js", import.meta.url));
  const child = fork(program, [name], {
    env: { ...process.env, TEST_POSTGRES_URL: postgresUrl },
    execArgv: ["--expose-gc"],
  });
  return new Promise((resolve, reject) => {
    let figures: readonly Figure[] | undefined;
    child.once("message", (message) => {
      figures = message as readonly Figure[];
    });
    child.once("error", reject);
    child.once("exit", () => resolve(figures));
  });
}

function describe(figure: Figure): string {
  const { samples, unit, target, column } = figure;
  const what = column === undefined ? figure.what : `${figure.what}, ${column}`;
  const goal = target ? `, goal ${formatTarget(target, unit)}${isReached(figure) ? "" : ": MISSED"}` : "";
  const [min, greatest] = [Math.min(...samples), Math.max(...samples)].map((value) => formatFigure(value, unit));
  const spread = samples.length > 1 ? ` (${min} to ${greatest}, ${samples.length} times)` : "";
  return `${what}: ${formatFigure(median(samples), unit)}${spread}${goal}`;
}

process.exitCode = await main(process.argv.slice(2));
