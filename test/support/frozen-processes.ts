import { existsSync, readFileSync } from "node:fs";

/** A process and all that it has started (Linux; elsewhere the process alone). */
export function processTree(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
  return [pid, ...children.flatMap(processTree)];
}

/** Sends a signal to a process and all that it has started; those that have ended are skipped. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of processTree(pid)) {
    try {
      process.kill(one, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
