import { readFile, readlink } from "node:fs/promises";
import { runAs } from "./run-as.js";

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The command line of a process, its words with spaces between; undefined where there is no such process, or the system does not show it. */
export async function readCommand(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
    return words?.replaceAll("\0", " ").trim();
  }
  return runAs(undefined, "ps", ["-o", "command=", "-p", String(pid)]).catch(() => undefined);
}

/** The id of a process's parent; undefined where there is no such process, or the system does not show it. */
export async function parentOf(pid: number): Promise<number | undefined> {
  if (process.platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // The name of the program, in brackets, may contain anything.
    const parent = stat.slice(stat.lastIndexOf(")") + 1).split(" ")[2];
    return parent === undefined ? undefined : Number(parent);
  }
  const text = await runAs(undefined, "ps", ["-o", "ppid=", "-p", String(pid)]).catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

/** The folder that a process runs in; undefined where there is no such process, or the system does not show it. */
export async function readFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}
