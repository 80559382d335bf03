import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A folder, and all above it. */
const upwards = (folder: string): string[] =>
  folder === path.dirname(folder) ? [folder] : [folder, ...upwards(path.dirname(folder))];
const isForAll = (file: string) => upwards(file).every((one) => (statSync(one).mode & 0o005) === 0o005);

/**
 * A user who owns nothing on this machine, as options of `spawn`; undefined if programs cannot run as another user here:
 * only root can start them, and they must be able to read node and this program.
 */
export const anotherUser =
  process.getuid?.() === 0 && isForAll(process.execPath) && isForAll(root) ? { uid: 24_001, gid: 24_001 } : undefined;
