import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { startProcess } from "../support/process.js";

const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-reporter-"));

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [{}, "7 passed, 0 failed"],
  [{ numFailedTests: 2 }, "7 passed, 2 failed"],
  [{ numRuntimeErrorTestSuites: 1 }, "7 passed, 1 failed"],
  [{ numPendingTests: 2, numTodoTests: 1 }, "7 passed, 0 failed, 3 skipped"],
])("a run with %j ends with the line %j", async (differs, line) => {
  const results = {
    numPassedTests: 7,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    ...differs,
  };
  const script = path.join(folder, "run.mjs");
  const module = new URL("../support/summary-reporter.js", import.meta.url).href;
  writeFileSync(
    script,
    `import Reporter from ${JSON.stringify(module)};
     new Reporter().onRunComplete(new Set(), ${JSON.stringify(results)});
     process.stderr.write("what jest writes afterwards\\n");`,
  );
  const run = startProcess([], { script });
  expect((await run.exited).code).toBe(0);
  expect(run.output).toBe(`what jest writes afterwards\n${line}\n`);
});
