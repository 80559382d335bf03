import { availableParallelism } from "node:os";
import { LONG_FILES, SAMPLED_FILES } from "./dist/test/runner/slow-files.js";

const filesOf = (files) => Object.keys(files).map((name) => `**/test/${name}.test.js`);
const long = filesOf(LONG_FILES);
const all = "**/test/**/*.test.js";
/** The files of each TEST_FILES. */
const selections = {
  all: [all],
  short: [all, ...long.map((file) => `!${file}`)],
  long: [...long, ...filesOf(SAMPLED_FILES)],
};

/** Tests are TypeScript, compiled with everything else; jest runs what the compiler wrote, as ES modules. */
export default {
  rootDir: "dist",
  testMatch: selections[process.env.TEST_FILES ?? "all"],
  testRunner: "<rootDir>/test/runner/test-runner.js",
  testSequencer: "<rootDir>/test/runner/longest-first.js",
  testEnvironment: "<rootDir>/test/runner/environment.js",
  transform: {},
  globalSetup: "<rootDir>/test/support/global-setup.js",
  globalTeardown: "<rootDir>/test/support/global-teardown.js",
  // A test that waits for what does not come fails by its own limit, which says what is missing.
  testTimeout: 600_000,
  // A worker that nothing keeps alive needs a few milliseconds to end, but on a busy machine more than jest's 500.
  workerGracefulExitTimeout: 60_000,
  // Two more than there are processors: many tests wait for a process or a database.
  maxWorkers: availableParallelism() + 2,
  // What a test file has loaded is not given back: a worker that has grown so far is replaced by a fresh one.
  workerIdleMemoryLimit: "1GB",
  reporters: ["default", "<rootDir>/test/support/summary-reporter.js"],
};
