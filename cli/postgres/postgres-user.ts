import { stat } from "node:fs/promises";
import path from "node:path";
import { isRoot, type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";

/**
 * The user that PostgreSQL runs as, which rejects root. For root: the owner of the data, or else of the nearest
 * folder above it that does not belong to root (the owner of a folder controls what is below it anyway), or else
 * `nobody`.
 * @param dataDirectory an absolute path, of a folder that need not exist
 * @returns undefined for this process' own user
 * @throws UsageError when this process is root and none of these users exists
 */
export async function databaseUser(dataDirectory: string): Promise<OsUser | undefined> {
  if (!isRoot()) return undefined;
  for (const folder of [path.join(dataDirectory, "cluster"), ...foldersUpFrom(dataDirectory)]) {
    const found = await stat(folder).catch(() => undefined);
    const owner = found && found.uid !== 0 ? await findUser(found.uid) : undefined;
    if (owner) return owner;
  }
  const nobody = await findUser("nobody");
  if (nobody && nobody.uid !== 0) return nobody;
  throw new UsageError(
    "PostgreSQL does not run as root, and this system has no user named nobody. " +
      "Start as another user, or set DATABASE_URL to a server of your own.",
  );
}

function foldersUpFrom(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** The user with this name or uid, or undefined if there is none. */
export async function findUser(nameOrUid: string | number): Promise<OsUser | undefined> {
  try {
    const [name, uid, gid] = await Promise.all(
      ["-un", "-u", "-g"].map(async (flag) => (await runAs(undefined, "id", [flag, String(nameOrUid)])).trim()),
    );
    return { name: name!, uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}
