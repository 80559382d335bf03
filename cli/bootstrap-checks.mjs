// The decisions of bootstrap.mjs, without side effects. Plain JavaScript without dependencies: it runs before any
// package is installed and before anything is compiled.

/** Below these versions of Node the program does not start; `engines` in package.json has the supported ones. */
const LOWEST_NODE_20 = "20.19.0";
const LOWEST_NODE = "22.2.0";

/**
 * Describes what is wrong with the version of Node; undefined if the program may run on it.
 * @param {string} found such as "20.19.0"
 * @returns {string | undefined}
 */
export function nodeVersionProblem(found) {
  const lowest = found.startsWith("20.") ? LOWEST_NODE_20 : LOWEST_NODE;
  const [have, need] = [found, lowest].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (have[i] || 0) - (need[i] || 0);
    if (difference > 0) return undefined;
    if (difference < 0) return `Node ${lowest} or later is required, this is ${found}. See https://nodejs.org/`;
  }
  return undefined;
}

/**
 * Describes a version of Node that may run the program without being supported; undefined for a supported one.
 * @param {string} found such as "20.19.0"
 * @param {string} supported `engines.node` of package.json
 * @returns {string | undefined}
 */
export function nodeVersionWarning(found, supported) {
  const majors = [...supported.matchAll(/(?:^|\|\| *)\^?(\d+)/g)].map(([, major]) => major);
  if (majors.includes(found.split(".")[0])) return undefined;
  return `Node ${found} is not supported, ${majors.join(", ")} are: this may work, or not.`;
}

/**
 * Returns why the packages must be installed; undefined if everything in package-lock.json is installed. Compares
 * contents, not file times, which a copy of the checkout or a change of branch would reset.
 * @param {{packages: Record<string, object>}} wanted package-lock.json
 * @param {{packages: Record<string, object>} | undefined} installed node_modules/.package-lock.json, if it exists
 * @param {{platform: string, arch: string}} machine as in `process`
 * @returns {string | undefined}
 */
export function reasonToInstall(wanted, installed, machine) {
  if (!installed) return "the packages are not installed yet";
  for (const [name, entry] of Object.entries(wanted.packages)) {
    // Packages of this repository are links; nothing imports them by name.
    if (!name.startsWith("node_modules/") || entry.link) continue;
    const found = installed.packages[name];
    if (!found) {
      if (entry.optional && !isForMachine(entry, machine)) continue;
      return `${name} is not installed`;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${name} has another version`;
  }
  for (const name of Object.keys(installed.packages)) {
    if (!(name in wanted.packages)) return `${name} is no longer used`;
  }
  return undefined;
}

/** npm may skip an optional package without os and cpu for its own reasons, and so it may skip one for another libc. */
function isForMachine(entry, machine) {
  return Boolean(!entry.libc && entry.os?.includes(machine.platform) && entry.cpu?.includes(machine.arch));
}

/**
 * Compiler outputs whose source was deleted: a deleted test would still run.
 * @param {string[]} outputs paths below dist/, with "/" between folders
 * @param {Set<string>} sources paths of the .ts files below the project's root
 * @returns {string[]}
 */
export function staleOutputs(outputs, sources) {
  return outputs.filter((file) => {
    const source = file.replace(/\.js(\.map)?$/, ".ts");
    return source !== file && !sources.has(source);
  });
}

/** With this option, tests and the programs that they start have clocks and timers that show what depends on chance. */
const HOSTILE_CLOCK = "--hostile-clock";
/** All files; what is missing for some of their tests is said first. */
const EVERYTHING = "--everything";

/**
 * The arguments of `npm test --` for jest, with paths of compiled files; which files may run: `--all`, `--short` or
 * `--long`; if none is given, all of the given paths, or else the short ones; whether what is missing is said first; and
 * whether their clocks are hostile.
 * @param {string[]} args
 * @returns {{ files: string, everything: boolean, hostileClock: boolean, args: string[] }}
 */
export function testSelection(args) {
  const options = ["--all", "--short", "--long", EVERYTHING];
  const given = args.find((arg) => options.includes(arg)) ?? (args.some(isPath) ? "--all" : "--short");
  const files = given === EVERYTHING ? "--all" : given;
  const others = args.filter((arg) => !options.includes(arg) && arg !== HOSTILE_CLOCK);
  return {
    files: files.slice(2),
    everything: given === EVERYTHING,
    hostileClock: args.includes(HOSTILE_CLOCK),
    args: others.map((arg) => (isPath(arg) ? arg.replace(/\.ts$/, ".js") : arg)),
  };
}

/**
 * What `npm test -- <paths>` lints: the given paths that exist, or undefined for everything.
 * @param {string[]} args
 * @param {(path: string) => boolean} exists
 * @returns {string[] | undefined}
 */
export function lintedPaths(args, exists) {
  const paths = args.filter((arg) => isPath(arg) && exists(arg));
  return paths.length > 0 ? paths : undefined;
}

/** @param {string} arg */
function isPath(arg) {
  return !arg.startsWith("-");
}
