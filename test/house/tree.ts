import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const ROOT = new URL("../../../", import.meta.url);

/** The text of a file by its path from there. */
export function read(file: string): string {
  return readFileSync(new URL(file, ROOT), "utf8");
}

export function exists(path: string): boolean {
  return existsSync(new URL(path, ROOT));
}

/** Paths of the files in git of these names or below these folders, and of new ones. */
export function trackedFiles(...patterns: readonly string[]): string[] {
  const args = ["ls-files", "-co", "--exclude-standard", "--", ...patterns];
  return execFileSync("git", args, { cwd: fileURLToPath(ROOT), encoding: "utf8" })
    .split("\n")
    .filter((name) => name !== "" && exists(name));
}
