// The entry point of `npm start`, `npm test`, `npm run bench` and `npm run attack`: on a fresh clone it installs the
// packages and compiles, then it runs the program (`dev`, or any other command), the tests, the benchmarks or the
// attacks. Plain JavaScript without dependencies.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  lintedPaths,
  nodeVersionProblem,
  nodeVersionWarning,
  reasonToInstall,
  staleOutputs,
  testSelection,
} from "./bootstrap-checks.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const inRoot = (...names) => path.join(root, ...names);
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

function checkNode() {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem) fail(problem);
}

async function install() {
  const installed = inRoot("node_modules", ".package-lock.json");
  const reason = reasonToInstall(
    readJson(inRoot("package-lock.json")),
    existsSync(installed) ? readJson(installed) : undefined,
    process,
  );
  if (!reason) return;
  // Before it takes minutes; the program itself warns too.
  const warning = nodeVersionWarning(process.versions.node, readJson(inRoot("package.json")).engines.node);
  if (warning) console.error(warning);
  console.log(`Installing packages: ${reason}.`);
  // Compiling needs development packages, and no package needs its install script.
  const npmArguments = ["ci", "--include=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const npm = process.env.npm_execpath;
  const code = npm?.endsWith("npm-cli.js")
    ? await run(process.execPath, [npm, ...npmArguments])
    : await run("npm", npmArguments);
  if (code !== 0) fail("The packages could not be installed: see npm's messages above.", code);
}

async function compile() {
  if (!existsSync(inRoot("dist", "cli", "main.js"))) console.log("Compiling, which takes about a minute.");
  removeStaleOutputs();
  const types = await run(process.execPath, [inRoot("cli", "build-client-types.mjs")]);
  if (types !== 0) fail("The types of the client could not be written: see the messages above.", types);
  const code = await runTool("typescript/bin/tsc", ["--build"]);
  if (code !== 0) fail("The program could not be compiled: see the compiler's messages above.", code);
  const assets = await run(process.execPath, [inRoot("cli", "build-assets.mjs")]);
  if (assets !== 0) fail("The files of the pages could not be built: see the messages above.", assets);
}

function removeStaleOutputs() {
  if (!existsSync(inRoot("dist"))) return;
  const folders = sourceFolders();
  const list = (folder) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map((file) => file.split(path.sep).join("/")) : [];
  const sources = folders.flatMap((folder) => list(inRoot(folder)).map((file) => `${folder}/${file}`));
  const outputs = folders.flatMap((folder) => list(inRoot("dist", folder)).map((file) => `${folder}/${file}`));
  const stale = staleOutputs(outputs, new Set(sources));
  for (const file of stale) rmSync(inRoot("dist", file));
}

function sourceFolders() {
  return readJson(inRoot("tsconfig.json")).include;
}

async function test(args) {
  const all = [...sourceFolders(), "package.json", "tsconfig.json", "biome.json", "jest.config.js"];
  const checked = lintedPaths(args, existsSync) ?? all;
  const lint = await runTool("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", ...checked]);
  if (lint !== 0) fail("The code breaks a rule of biome.json: `npm run format` fixes what it can.", lint);
  // With more room for what lives shortly, less time is spent on collecting it.
  const room = "--max-semi-space-size=32";
  const options = [process.env.NODE_OPTIONS, "--disable-warning=ExperimentalWarning", room];
  const selection = testSelection(args);
  const environment = { TEST_FILES: selection.files };
  if (selection.everything) {
    const { lackingTools } = await import(pathToFileURL(inRoot("dist", "test", "support", "tools.js")).href);
    for (const line of lackingTools()) console.log(`Some tests will be skipped: ${line}`);
  }
  if (selection.hostileClock) {
    environment.TEST_CLOCK_SEED = process.env.TEST_CLOCK_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
    console.log(`Hostile clocks: repeat with TEST_CLOCK_SEED=${environment.TEST_CLOCK_SEED}.`);
    options.push(`--import=${pathToFileURL(inRoot("dist", "test", "runner", "hostile-clock.js")).href}`);
  }
  environment.NODE_OPTIONS = options.filter(Boolean).join(" ");
  return runTool("jest/bin/jest.js", selection.args, environment);
}

function runTool(file, args, environment) {
  return run(process.execPath, [inRoot("node_modules", file), ...args], environment);
}

/** Resolves to the exit code. Signals are forwarded to the program; we exit after it. */
function run(command, args, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...environment } });
    // A terminal sends its interrupt to the whole process group: nothing to forward, but we must outlive the program.
    const interrupt = () => {
      interrupted = true;
    };
    const terminate = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    process.on("SIGINT", interrupt).on("SIGTERM", terminate).on("SIGHUP", terminate);
    const done = (code) => {
      process.off("SIGINT", interrupt).off("SIGTERM", terminate).off("SIGHUP", terminate);
      resolve(interrupted ? code || 130 : code);
    };
    child.once("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      done(1);
    });
    child.once("exit", (code) => done(code ?? 1));
  });
}
let interrupted = false;

/**
 * npm cannot notify us when it is killed, but our parent process id changes.
 * @returns a function that ends the watch
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return () => undefined;
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
  return () => clearInterval(watch);
}

function fail(message, code = 1) {
  if (!interrupted) console.error(`\n${message}`);
  process.exit(interrupted ? 130 : code);
}

const [command = "dev", ...args] = process.argv.slice(2);
process.chdir(root);
checkNode();
const stopWatching = endWithNpm();
await install();
await compile();
if (["test", "bench", "attack"].includes(command)) {
  const warning = nodeVersionWarning(process.versions.node, readJson(inRoot("package.json")).engines.node);
  if (warning) console.error(warning);
}
if (command === "test") {
  process.exitCode = await test(args);
} else if (command === "bench" || command === "attack") {
  process.exitCode = await run(process.execPath, [inRoot("dist", "test", command, "main.js"), ...args]);
} else {
  // In this process, which watches npm itself: one less to keep alive and to stop.
  stopWatching();
  const program = inRoot("dist", "cli", "main.js");
  process.argv = [process.argv[0], program, command, ...args];
  await import(pathToFileURL(program).href);
}
