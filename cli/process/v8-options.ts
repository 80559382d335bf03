import { setFlagsFromString } from "node:v8";

/**
 * A gateway keeps little between requests. Set after the start, the limit of growth would apply only from the second full
 * collection on, to which V8 lets the heap grow fourfold.
 */
const GATEWAY = ["--max-semi-space-size=4", "--heap-growing-percent=25"];

/**
 * V8 options by command, for what V8 reads when a process starts.
 * `--max-semi-space-size` in MiB: the young generation takes up to three times as much memory.
 * `--heap-growing-percent`: growth of the heap between two full collections, in percent of the live data; V8's default is
 * to double or more.
 */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  gateway: GATEWAY,
  "dev-gateway": GATEWAY,
  // The live data is small, so this costs little, and keeps memory small with blocks of tens of thousands of transactions.
  indexer: ["--heap-growing-percent=20"],
};

/** Since Node 22.15; absent from the type definitions, which are those of Node 20. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;
const { execve } = process as { execve?: Execve };

/**
 * Options of node for a process that runs `command`: `ours`, which it inherits, and its V8 options, except those that the
 * operator has set to another value.
 */
export function nodeOptionsOf(
  command: string,
  ours: readonly string[] = process.execArgv,
  { NODE_OPTIONS = "" }: NodeJS.ProcessEnv = process.env,
): string[] {
  const given = [...ours, ...NODE_OPTIONS.split(/\s+/)].map(nameOf);
  return [...ours, ...(OPTIONS[command] ?? []).filter((option) => !given.includes(nameOf(option)))];
}

/**
 * Ensures that this process runs `command` with its V8 options: if it was started without them, the same process starts
 * over with them; its id, streams and signals stay the same. A parent that has a channel to us has passed them, and the
 * channel would not survive. With versions of Node that cannot start over, options take effect as far as they do now.
 */
export function applyV8Options(command: string): void {
  const options = nodeOptionsOf(command);
  const missing = options.slice(process.execArgv.length);
  if (missing.length > 0 && execve && !process.channel) {
    execve(process.execPath, [process.execPath, ...options, ...process.argv.slice(1)], process.env);
  }
  for (const option of missing) setFlagsFromString(option);
  // It would replace the limits that worker threads are given.
  setFlagsFromString("--max-semi-space-size=0");
}

/** V8 takes `_` for `-`. */
function nameOf(option: string): string {
  return option.split("=")[0]!.replaceAll("_", "-");
}
