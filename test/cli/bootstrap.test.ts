import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { nodeVersionWarning } from "../../cli/process/node-version.js";
import { LONG_FILES, OTHER_FILES, SAMPLED_FILES } from "../runner/slow-files.js";

interface Entry {
  version?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  link?: boolean;
}
interface Lock {
  packages: Record<string, Entry>;
}
interface Checks {
  nodeVersionProblem(found: string): string | undefined;
  nodeVersionWarning(found: string, supported: string): string | undefined;
  lintedPaths(args: readonly string[], exists: (path: string) => boolean): string[] | undefined;
  reasonToInstall(
    wanted: Lock,
    installed: Lock | undefined,
    machine: { platform: string; arch: string },
  ): string | undefined;
  staleOutputs(outputs: string[], sources: Set<string>): string[];
  testSelection(args: string[]): { files: string; everything: boolean; hostileClock: boolean; args: string[] };
}

// Plain JavaScript that is not compiled: it runs before there is a compiler.
const checks = (await import(new URL("../../../cli/bootstrap-checks.mjs", import.meta.url).href)) as Checks;

describe("the version of Node", () => {
  test.each(["20.19.0", "20.19.1", "20.20.0", "22.2.0", "24.1.0-nightly"])("%s will do", (found) => {
    expect(checks.nodeVersionProblem(found)).toBeUndefined();
  });

  test.each([
    ["20.18.3", "20.19.0"],
    ["22.1.0", "22.2.0"],
    ["21.7.3", "22.2.0"],
    ["18.20.0", "22.2.0"],
    ["9.99.99", "22.2.0"],
  ])("%s is rejected by name", (found, lowest) => {
    expect(checks.nodeVersionProblem(found)).toBe(
      `Node ${lowest} or later is required, this is ${found}. See https://nodejs.org/`,
    );
  });
});

test("a version of Node that is not supported is named before the installation", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  for (const found of ["22.2.0", "24.11.1", "26.0.0"])
    expect(checks.nodeVersionWarning(found, engines.node)).toBeUndefined();
  for (const found of ["20.19.0", "23.1.0"])
    expect(checks.nodeVersionWarning(found, engines.node)).toBe(nodeVersionWarning(found));
});

test("with paths, npm test lints those alone", () => {
  const exists = (path: string) => path === "test/house";
  expect(checks.lintedPaths(["test/house", "-t", "name", "no/such"], exists)).toEqual(["test/house"]);
  expect(checks.lintedPaths(["--long"], exists)).toBeUndefined();
});

describe("packages are installed", () => {
  const machine = { platform: "linux", arch: "x64" };
  const a = { version: "1.0.0", integrity: "sha512-a" };
  const wanted = (more: Record<string, Entry> = {}): Lock => ({
    packages: { "": { version: "0.1.0" }, "node_modules/a": a, ...more },
  });
  const reason = (lock: Lock, installed?: Lock) => checks.reasonToInstall(lock, installed, machine);

  test("when there are none", () => {
    expect(reason(wanted())).toBe("the packages are not installed yet");
  });

  test("not if all are installed", () => {
    expect(reason(wanted(), { packages: { "node_modules/a": a } })).toBeUndefined();
    // Packages of this repository are used from their sources.
    const own = { client: { version: "0.1.0" }, "node_modules/symbol-gateway-client": { link: true } };
    expect(reason(wanted(own), { packages: { "node_modules/a": a } })).toBeUndefined();
  });

  test("when one is missing, has changed, or is no longer used", () => {
    expect(reason(wanted(), { packages: {} })).toBe("node_modules/a is not installed");
    expect(reason(wanted(), { packages: { "node_modules/a": { ...a, version: "1.0.1" } } })).toBe(
      "node_modules/a has another version",
    );
    expect(reason(wanted(), { packages: { "node_modules/a": a, "node_modules/b": a } })).toBe(
      "node_modules/b is no longer used",
    );
  });

  test("if the binaries are those of another machine", () => {
    const linux = { ...a, optional: true, os: ["linux"], cpu: ["x64"] };
    const mac = { ...a, optional: true, os: ["darwin"], cpu: ["arm64"] };
    const musl = { ...a, optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] };
    const lock = wanted({ "node_modules/linux": linux, "node_modules/mac": mac, "node_modules/musl": musl });
    expect(reason(lock, { packages: { "node_modules/a": a, "node_modules/linux": linux } })).toBeUndefined();
    expect(reason(lock, { packages: { "node_modules/a": a, "node_modules/mac": mac } })).toBe(
      "node_modules/linux is not installed",
    );
  });
});

test("package-lock.json lists the packages of every platform, which npm ci requires", () => {
  interface Package {
    optionalDependencies?: Record<string, string>;
  }
  const file = new URL("../../../package-lock.json", import.meta.url);
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Package> };
  const missing = Object.entries(packages).flatMap(([location, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${location}/node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

test("compiled files without a source are found", () => {
  const outputs = ["cli/main.js", "cli/main.js.map", "cli/old.js", "cli/old.js.map", "cli/commands", "cli/data.json"];
  expect(checks.staleOutputs(outputs, new Set(["cli/main.ts"]))).toEqual(["cli/old.js", "cli/old.js.map"]);
});

test("test files may be given by their names in the checkout", () => {
  expect(checks.testSelection(["test/cli/a.test.ts", "test/catapult", "-t", "--coverage=x.ts"]).args).toEqual([
    "test/cli/a.test.js",
    "test/catapult",
    "-t",
    "--coverage=x.ts",
  ]);
});

test.each([
  [[], "short", []],
  [["--maxWorkers=1"], "short", ["--maxWorkers=1"]],
  [["test/cli"], "all", ["test/cli"]],
  [["--all"], "all", []],
  [["--everything"], "all", []],
  [["--long", "--maxWorkers=1"], "long", ["--maxWorkers=1"]],
  [["--short", "test/cli"], "short", ["test/cli"]],
])("the arguments %j select %s files", (given, files, args) => {
  const everything = given.includes("--everything");
  expect(checks.testSelection(given)).toEqual({ files, everything, hostileClock: false, args });
  expect(checks.testSelection([...given, "--hostile-clock"])).toEqual({ files, everything, hostileClock: true, args });
});

test.each(Object.keys({ ...LONG_FILES, ...OTHER_FILES, ...SAMPLED_FILES }))("the slow test file %s exists", (name) => {
  expect(existsSync(path.join(import.meta.dirname, "..", `${name}.test.js`))).toBe(true);
});
