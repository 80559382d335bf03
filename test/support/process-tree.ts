import { readFileSync } from "node:fs";

/** A process and all that it has started (Linux; elsewhere the process alone). */
export function processTree(pid: number): number[] {
  const children = (readOfProcess(pid, `task/${pid}/children`) ?? "").trim().split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(processTree)];
}

/** A file about a process; undefined when the process has ended, also while it is being read. */
export function readOfProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
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
