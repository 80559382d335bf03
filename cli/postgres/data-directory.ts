import { chmod, chown, mkdir, readdir, realpath, stat, unlink } from "node:fs/promises";
import { type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";
import { findUser } from "./postgres-user.js";

/** How a process on Linux refers to its working folder, without access to the folders above it. */
const ownFolder = "/proc/self/cwd";

/**
 * Creates the folder of the embedded database, mode 700, owned by the user that PostgreSQL runs as.
 * @param user the user PostgreSQL runs as; undefined for this process' own
 * @returns the real path
 * @throws UsageError naming the folder, when it belongs to another user or its owner cannot be changed
 */
export async function prepareDataDirectory(wanted: string, user: OsUser | undefined): Promise<string> {
  const existing = await existingDirectory(wanted);
  if (existing && (await readdir(existing)).length > 0) {
    await checkOwner(existing, user);
    return existing;
  }
  if (!existing) await mkdir(wanted, { recursive: true });
  const made = existing ?? (await realpath(wanted));
  try {
    if (user) await chown(made, user.uid, user.gid);
    await chmod(made, 0o700);
  } catch (cause) {
    throw new UsageError(
      `The database folder ${made} cannot be given to ${user?.name ?? "this user"}, the user that PostgreSQL would run as. ` +
        "Set DATA_DIR to another folder, or DATABASE_URL to a server of your own.",
      { cause },
    );
  }
  return made;
}

/**
 * The name by which PostgreSQL's programs, started in `folder`, can use it: its path, or on Linux the name of a
 * process' working folder, if only root can access a folder above it (a checkout in /root, for example).
 * @throws UsageError naming the folder and the remedy, if neither works
 */
export async function nameOfReachable(folder: string, user: OsUser | undefined): Promise<string> {
  if (!user) return folder;
  for (const name of [folder, ownFolder]) {
    const usable = runAs(user, "/bin/sh", ["-c", 'test -w "$1" && test -x "$1"', "sh", name], folder);
    if (
      await usable.then(
        () => true,
        () => false,
      )
    ) {
      return name;
    }
  }
  throw new UsageError(
    `PostgreSQL does not run as root, and user ${user.name}, which it would run as, cannot access ${folder}. ` +
      "Let every user access the folders above it (chmod a+x), set DATA_DIR to a folder where that is so, " +
      "start as another user, or set DATABASE_URL to a server of your own.",
  );
}

async function existingDirectory(wanted: string): Promise<string | undefined> {
  try {
    return await realpath(wanted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await unlink(wanted).catch(() => undefined); // a link to a deleted target
    return undefined;
  }
}

async function checkOwner(directory: string, user: OsUser | undefined): Promise<void> {
  const { uid } = await stat(directory);
  if (uid === (user ? user.uid : process.getuid?.())) return;
  const owner = (await findUser(uid))?.name ?? `uid ${uid}`;
  throw new UsageError(
    `The database folder ${directory} belongs to ${owner}. Start as the user who created it (it may have been root), ` +
      "set DATA_DIR to another folder, or delete it if the data is not needed.",
  );
}
