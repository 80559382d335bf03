import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Benchmark, type Figure, isReached, median, quantile } from "./benchmark.js";
import { measureInTurns, ratiosOfRates, ratiosOfTimes } from "./compare.js";
import { benchmarks } from "./list.js";
import { PerformancePage } from "./performance-page.js";

const NODE = process.versions.node.split(".", 1)[0];

describe("figures", () => {
  test("the median and other quantiles do not depend on the order of the samples", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48);
    expect(() => median([])).toThrow(RangeError);
  });

  test("the median decides whether a target is reached", () => {
    const figure: Figure = { what: "x", samples: [0.5, 0.9, 2], unit: "ratio" };
    expect(isReached(figure)).toBe(true);
    expect(isReached({ ...figure, target: { atLeast: 0.9 } })).toBe(true);
    expect(isReached({ ...figure, target: { atLeast: 0.91 } })).toBe(false);
    expect(isReached({ ...figure, target: { atMost: 0.9 } })).toBe(true);
    expect(isReached({ ...figure, target: { atMost: 0.89 } })).toBe(false);
  });

  test("two implementations are measured in turns, one pair per round, without warm-up rounds", async () => {
    const order: string[] = [];
    const work = (name: string, value: number) => async () => {
      order.push(name);
      return value;
    };
    const times = await measureInTurns({ ours: work("a", 2), baseline: work("b", 4), rounds: 2, warmUp: 1 });
    expect(order).toEqual(["b", "a", "a", "b", "b", "a"]);
    expect(times).toEqual({ ours: [2, 2], baseline: [4, 4] });
    expect(ratiosOfTimes(times)).toEqual([2, 2]);
    expect(ratiosOfRates(times)).toEqual([0.5, 0.5]);
  });
});

describe("the page", () => {
  let folder: string;
  let file: string;
  const benchmark = (name: string): Benchmark => ({
    name,
    title: `Title of ${name}`,
    about: name,
    run: async () => [],
  });
  const [one, two] = [benchmark("one"), benchmark("two")];
  const figures = (value: number): Figure[] => [
    { what: "speed", samples: [value, value + 1, value + 2], unit: "ratio", target: { atLeast: 3 } },
  ];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-test-"));
    file = path.join(folder, "results.md");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function write(written: Benchmark, value: number, known = [one, two]): string {
    const page = new PerformancePage(file);
    page.set(written, figures(value), new Date("2026-01-02T03:04:05Z"));
    page.save(known);
    return readFileSync(file, "utf8");
  }

  test("has a section for each benchmark, in the order of the list; running one again replaces its section", () => {
    write(two, 1);
    const before = write(one, 2);
    expect(before.match(/^## .*/gm)).toEqual([`## Title of one, Node ${NODE}`, `## Title of two, Node ${NODE}`]);
    expect(before).toContain("| speed | 2 | 1 to 3 | 3 | ≥ 3 (missed) |");
    const after = write(two, 7);
    expect(after).toContain("| speed | 8 | 7 to 9 | 3 | ≥ 3 |");
    expect(after.split("## Title of two")[0]).toBe(before.split("## Title of two")[0]);
  });

  test("shows several subjects side by side", () => {
    const page = new PerformancePage(file);
    const measured = (what: string, column: string, value: number): Figure => ({
      ...{ what, column, samples: [value], unit: "ms", target: { atMost: 3 } },
    });
    page.set(one, [measured("a", "small", 1), measured("b", "large", 2), measured("a", "large", 4)], new Date());
    page.save([one]);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(
      "| measurement | small | large |\n|---|---|---|\n| a | 1 ms | 4 ms (not ≤ 3 ms) |\n| b |  | 2 ms |\n",
    );
  });

  test("has a section for each version of Node", () => {
    writeFileSync(
      file,
      "# Results of the benchmarks\n\n## Title of one, Node 2\n\ntext\n\n## Title of two, Node 2\n\ntext\n",
    );
    expect(write(one, 1).match(/^## .*/gm)).toEqual([
      "## Title of one, Node 2",
      `## Title of one, Node ${NODE}`,
      "## Title of two, Node 2",
    ]);
  });

  test("drops benchmarks that no longer exist", () => {
    writeFileSync(file, "# Results of the benchmarks\n\n## Gone\n\ntext\n");
    expect(write(one, 1)).not.toContain("Gone");
  });
});

test("every benchmark has a unique name and title", () => {
  for (const of of [benchmarks.map(({ name }) => name), benchmarks.map(({ title }) => title)]) {
    expect(new Set(of).size).toBe(of.length);
  }
});
