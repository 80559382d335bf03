import { type Stats, statSync } from "node:fs";
import path from "node:path";

const DENIED = new Set(["EACCES", "EPERM"]);

/**
 * Why a file or a folder cannot be used, from an error of `node:fs`: its code, and for a missing one the first part of the
 * path that does not exist, for one that is denied its owner and mode, and the user of this process. Names paths and
 * users, so it is for operators, not for clients. The error's message for all other errors.
 */
export function describeFileError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = "", path: file } = error as NodeJS.ErrnoException;
  if (file === undefined) return error.message;
  const found = nearest(path.resolve(file));
  if (code === "ENOENT") return `${code}: ${found.missing ?? file} does not exist`;
  if (!DENIED.has(code)) return error.message;
  const { uid, gid, mode } = found.stats;
  const bits = (mode & 0o7777).toString(8).padStart(4, "0");
  const { getuid, getgid } = process;
  const user = getuid && getgid ? `; this program is user ${getuid()}, group ${getgid()}` : "";
  return `${code}: ${found.name} belongs to user ${uid}, group ${gid}, with mode ${bits}${user}`;
}

/** A file, or the nearest folder above it whose owner and mode can be read: what denies the rest. */
function nearest(name: string, missing?: string): { name: string; stats: Stats; missing: string | undefined } {
  try {
    return { name, stats: statSync(name), missing };
  } catch {
    return nearest(path.dirname(name), name);
  }
}
