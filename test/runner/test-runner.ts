import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { type TestGlobals, useGlobals } from "./jest-globals.js";
import { resolve } from "./resolve-globals.js";

/** The part of jest's runtime of a test file that is replaced. */
interface Runtime {
  requireInternalModule(file: string): unknown;
  setGlobalsForRuntime(globals: TestGlobals): void;
  unstable_shouldLoadAsEsm(file: string): boolean;
  unstable_importModule(file: string): Promise<unknown>;
}

type TestFramework = (
  globalConfig: unknown,
  config: unknown,
  environment: unknown,
  runtime: Runtime,
  testFile: string,
  sendMessage?: unknown,
) => Promise<unknown>;

const require = nodeModule.createRequire(import.meta.url);
const { default: circus }: { default: TestFramework } = require("jest-circus/runner");

// Absent before Node.js 22.15; after that, `register` is deprecated.
const { registerHooks } = nodeModule as typeof nodeModule & {
  registerHooks?: (hooks: { resolve: typeof resolve }) => void;
};
if (registerHooks) registerHooks({ resolve });
else nodeModule.register("./resolve-globals.js", import.meta.url);

/**
 * Runs a test file as jest does, but its modules are loaded by Node.js itself, once in a process: the files that a worker
 * runs share the modules of the product and of packages, compiled and optimized. In jest's way each file loads all of
 * them into a context of its own, which took half of the processor time of all tests.
 */
const runTestFile: TestFramework = (globalConfig, config, environment, runtime, ...rest) => {
  runtime.requireInternalModule = (file) => {
    // The lists of tests are in this module: each test file has one of its own.
    delete require.cache[file];
    return require(file);
  };
  runtime.setGlobalsForRuntime = useGlobals;
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = (file) => import(pathToFileURL(file).href);
  return circus(globalConfig, config, environment, runtime, ...rest);
};

export default runTestFile;
