import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { startProcess } from "../support/process.js";

const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-reporter-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** The last lines of a run with these results and this configuration. */
async function summaryOf(results: object, config: object = {}): Promise<string> {
  const all = {
    numPassedTests: 7,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [],
    ...results,
  };
  const script = path.join(folder, "run.mjs");
  const module = new URL("../support/summary-reporter.js", import.meta.url).href;
  writeFileSync(
    script,
    `import Reporter from ${JSON.stringify(module)};
     const config = ${JSON.stringify({ rootDir: "/project/dist", ...config })};
     new Reporter(config).onRunComplete(new Set(), ${JSON.stringify(all)});
     process.stderr.write("what jest writes afterwards\\n");`,
  );
  const run = startProcess([], { script });
  expect((await run.exited).code).toBe(0);
  return run.output;
}

test.each([
  [{}, "7 passed, 0 failed"],
  [{ numFailedTests: 2 }, "7 passed, 2 failed"],
  [{ numRuntimeErrorTestSuites: 1 }, "7 passed, 1 failed"],
  [{ numPendingTests: 2, numTodoTests: 1 }, "7 passed, 0 failed, 3 skipped"],
])("a run with %j ends with the line %j", async (differs, line) => {
  expect(await summaryOf(differs)).toBe(`what jest writes afterwards\n${line}\n`);
});

const file = (name: string, end: number, ...skipped: string[]) => ({
  testFilePath: `/project/dist/test/${name}.test.js`,
  perfStats: { start: 1_000, end },
  testResults: [
    { fullName: "what ran", status: "passed" },
    ...skipped.map((fullName) => ({ fullName, status: "pending" })),
  ],
});
const twelve = Array.from({ length: 12 }, (_, i) => file(`gateway/number-${i}`, 2_000 + 100 * i));
const skipping = [
  file("catapult/one", 9_000, "the other — skipped: there is no browser", "a second — skipped: a folder is absent"),
  file("catapult/two", 1_500, "a third — skipped: a folder is absent", "a fourth"),
];
const SLOWEST = "Slowest files:\n     8.0 s  test/catapult/one.test.ts\n     0.5 s  test/catapult/two.test.ts\n";

test("names the ten slowest files, the slowest first", async () => {
  const lines = (await summaryOf({ testResults: twelve })).split("\n").slice(1, -2);
  expect(lines).toEqual([
    "Slowest files:",
    ...[2.1, 2.0, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2].map(
      (seconds, i) => `     ${seconds.toFixed(1)} s  test/gateway/number-${11 - i}.test.ts`,
    ),
  ]);
});

test("names what was skipped, by reason", async () => {
  expect(await summaryOf({ testResults: skipping, numPendingTests: 4 })).toBe(
    "what jest writes afterwards\n" +
      "Skipped (there is no browser):\n  test/catapult/one.test.ts: the other\n" +
      "Skipped (a folder is absent):\n" +
      "  test/catapult/one.test.ts: a second\n  test/catapult/two.test.ts: a third\n" +
      "Skipped (no reason given):\n  test/catapult/two.test.ts: a fourth\n" +
      `${SLOWEST}7 passed, 0 failed, 4 skipped\n`,
  );
});

test("does not name tests that were deselected by name", async () => {
  const results = { testResults: skipping, numPendingTests: 4 };
  expect(await summaryOf(results, { testNamePattern: "what ran" })).toBe(
    `what jest writes afterwards\n${SLOWEST}7 passed, 0 failed, 4 skipped\n`,
  );
});
