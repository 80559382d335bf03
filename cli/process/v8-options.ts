import { setFlagsFromString } from "node:v8";

/**
 * V8 options by command: what V8 reads once, when a process starts. Other flags are set later, by `boundGarbage`.
 * `--max-semi-space-size` in MiB: the young generation takes up to three times as much memory.
 */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  gateway: ["--max-semi-space-size=4"],
  "dev-gateway": ["--max-semi-space-size=4"],
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
 * channel would not survive. Versions of Node that cannot start over run without them.
 */
export function applyV8Options(command: string): void {
  const options = nodeOptionsOf(command);
  if (options.length > process.execArgv.length && execve && !process.channel) {
    execve(process.execPath, [process.execPath, ...options, ...process.argv.slice(1)], process.env);
  }
  // It would replace the limits that worker threads are given.
  setFlagsFromString("--max-semi-space-size=0");
}

/** V8 takes `_` for `-`. */
function nameOf(option: string): string {
  return option.split("=")[0]!.replaceAll("_", "-");
}
