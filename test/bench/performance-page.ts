import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { type Benchmark, type Figure, isReached, median, type Target } from "./benchmark.js";

const INTRODUCTION = `# Results of the benchmarks

Written by \`npm run bench\`: each benchmark of \`test/bench/\` first verifies the answers. Ratios compare with a baseline that is measured in the same run, in turns, and hardly depend on the machine; other figures do. The median counts; the range is from the smallest to the largest measurement.
`;

const ON_NODE = ", Node ";

/** The page of results: a section for each benchmark and version of Node, under its title. */
export class PerformancePage {
  readonly #file: string;
  readonly #sections: Map<string, string>;

  /** @param file read if it exists, and written by {@link save} */
  constructor(file: string) {
    this.#file = file;
    this.#sections = readSections(file);
  }

  /** Replaces the section of a benchmark, or adds it. */
  set(benchmark: Benchmark, figures: readonly Figure[], date: Date): void {
    const title = `${benchmark.title}${ON_NODE}${process.versions.node.split(".", 1)[0]}`;
    this.#sections.set(title, renderSection({ ...benchmark, title }, figures, date));
  }

  /** Writes the page: the sections of these benchmarks, in this order; others are removed. */
  save(benchmarks: readonly Benchmark[]): void {
    const titles = [...this.#sections.keys()].sort();
    const sections = benchmarks.flatMap(({ title }) =>
      titles.filter((one) => one.startsWith(title + ON_NODE)).map((one) => this.#sections.get(one) as string),
    );
    writeFileSync(this.#file, [INTRODUCTION, ...sections].join("\n"));
  }
}

function readSections(file: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
  const [, ...parts] = text.split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), `## ${part.trimEnd()}\n`]));
}

function renderSection(benchmark: Benchmark, figures: readonly Figure[], date: Date): string {
  const { name, title, about } = benchmark;
  const day = date.toISOString().slice(0, 10);
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${day}`;
  const single = figures.filter(({ column }) => column === undefined);
  const several = figures.filter(({ column }) => column !== undefined);
  const parts = [
    `## ${title}`,
    about,
    ...(single.length > 0 ? [renderTable(single)] : []),
    ...(several.length > 0 ? [renderColumns(several)] : []),
    `\`npm run bench -- ${name}\`; ${machine}.\n`,
  ];
  return parts.join("\n\n");
}

function renderTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, samples, target } = figure;
    const show = (value: number) => formatFigure(value, figure.unit);
    const spread = samples.length > 1 ? `${show(Math.min(...samples))} to ${show(Math.max(...samples))}` : "";
    const goal = target ? `${formatTarget(target, figure.unit)}${isReached(figure) ? "" : " (missed)"}` : "";
    return `| ${what} | ${show(median(samples))} | ${spread} | ${samples.length} | ${goal} |`;
  });
  return ["| measurement | median | range | runs | goal |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** Medians: a row for each measurement, a column for each subject. */
function renderColumns(figures: readonly Figure[]): string {
  const columns = [...new Set(figures.map(({ column }) => column))];
  const rows = [...new Set(figures.map(({ what }) => what))].map((what) => {
    const cells = columns.map((column) => {
      const figure = figures.find((one) => one.what === what && one.column === column);
      if (!figure) return "";
      const { samples, unit, target } = figure;
      const goal = target && !isReached(figure) ? ` (not ${formatTarget(target, unit)})` : "";
      return `${formatFigure(median(samples), unit)}${goal}`;
    });
    return `| ${what} | ${cells.join(" | ")} |`;
  });
  return [`| measurement | ${columns.join(" | ")} |`, `|---|${columns.map(() => "---|").join("")}`, ...rows].join("\n");
}

/** `0.93`, `12.4 ms`, `31,200 per second`. */
export function formatFigure(value: number, unit: Figure["unit"]): string {
  const digits = unit === "ratio" || Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  const text = value.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: digits });
  return unit === "ratio" || unit === "" ? text : `${text} ${unit}`;
}

/** `≥ 0.9` or `≤ 512 MiB`. */
export function formatTarget(target: Target, unit: Figure["unit"]): string {
  return "atLeast" in target ? `≥ ${formatFigure(target.atLeast, unit)}` : `≤ ${formatFigure(target.atMost, unit)}`;
}
