/** The part of jest's results that is counted here. */
interface RunResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * Jest reporter that makes `N passed, N failed` the last line of a run, with `, N skipped` when some were. A test file
 * that could not be run at all counts as one failure.
 */
export default class SummaryReporter {
  /** Called by jest at the end of a run, before its own summary; so the line waits for the end of the process. */
  onRunComplete(_contexts: unknown, results: RunResults): void {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
