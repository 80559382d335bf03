import path from "node:path";
import { LONG_FILES } from "../runner/slow-files.js";
import { readSkippedName } from "./skipped-name.js";

const SLOWEST_FILES = 10;
const LEFT_OUT = Object.keys(LONG_FILES).length;

/** The part of jest's results that is used here. */
interface RunResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  /** Of the compiled file. */
  readonly testFilePath: string;
  /** Times in ms. */
  readonly perfStats: { readonly start: number; readonly end: number };
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[];
}

interface JestConfig {
  readonly rootDir: string;
  /** Set if only tests of some names run: jest reports all others as pending. */
  readonly testNamePattern?: string | undefined;
}

/**
 * Jest reporter that ends a run with the skipped tests, by reason, the slowest files, and the last line
 * `N passed, N failed`, with `, N skipped` if some were. A test file that could not be run at all counts as one failure.
 */
export default class SummaryReporter {
  readonly #config: JestConfig;

  constructor(config: JestConfig) {
    this.#config = config;
  }

  /** Called by jest at the end of a run, before its own summary; so the lines wait for the end of the process. */
  onRunComplete(_contexts: unknown, results: RunResults): void {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const lines = [
      ...(this.#config.testNamePattern ? [] : this.#skippedByReason(results.testResults)),
      ...this.#slowest(results.testResults),
      ...(process.env.TEST_FILES === "short" ? [`Left out: ${LEFT_OUT} long files, which npm test -- --all runs`] : []),
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
    ];
    process.once("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }

  #skippedByReason(files: readonly FileResult[]): string[] {
    const byReason = new Map<string, string[]>();
    for (const file of files) {
      for (const { fullName, status } of file.testResults) {
        if (status !== "pending" && status !== "todo") continue;
        const { name, reason = "no reason given" } = readSkippedName(fullName);
        byReason.set(reason, [...(byReason.get(reason) ?? []), `  ${this.#sourceOf(file)}: ${name}`]);
      }
    }
    return [...byReason].flatMap(([reason, tests]) => [`Skipped (${reason}):`, ...tests.sort()]);
  }

  #slowest(files: readonly FileResult[]): string[] {
    if (files.length < 2) return [];
    const runtimeMs = ({ perfStats }: FileResult) => perfStats.end - perfStats.start;
    const slowest = files.toSorted((left, right) => runtimeMs(right) - runtimeMs(left)).slice(0, SLOWEST_FILES);
    const lines = slowest.map(
      (file) => `  ${(runtimeMs(file) / 1_000).toFixed(1).padStart(6)} s  ${this.#sourceOf(file)}`,
    );
    return ["Slowest files:", ...lines];
  }

  /** Path of the source of a compiled file, from the project's root. */
  #sourceOf({ testFilePath }: FileResult): string {
    return path.relative(this.#config.rootDir, testFilePath).split(path.sep).join("/").replace(/\.js$/, ".ts");
  }
}
