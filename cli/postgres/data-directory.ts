import { chmod, chown, mkdir, readdir, realpath, stat, unlink } from "node:fs/promises";
import { type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";
import { findUser } from "./postgres-user.js";

/** How a process on Linux names the folder that it runs in, without entering the folders above it. */
const ownFolder = "/proc/self/cwd";

/**
 * Makes the folder of the embedded database, mode 700, owned by the user that PostgreSQL runs as.
 * @param user the user PostgreSQL runs as; undefined for this process' own
 * @returns the real path
 * @throws UsageError naming the folder, when it belongs to another user or cannot be given to this one
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
      `The database folder ${made} cannot be given to ${user?.name ?? "this user"}, as whom PostgreSQL would run. ` +
        "Set DATA_DIR to another folder, or DATABASE_URL to a server of your own.",
      { cause },
    );
  }
  return made;
}

/**
 * The name by which PostgreSQL's programs, which are started in `folder`, can use it: its path, or on Linux the name of
 * a process' own folder, where a folder above it may be entered by root only (a checkout in /root, for example).
 * @throws UsageError naming the folder and the remedy, where neither works
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
    `PostgreSQL does not run as root, and the user ${user.name}, as whom it would run, cannot enter ${folder}. ` +
      "Let every user pass through the folders above it (chmod a+x), set DATA_DIR to a folder where that is so, " +
      "start as another user, or set DATABASE_URL to a server of your own.",
  );
}

async function existingDirectory(wanted: string): Promise<string | undefined> {
  try {
    return await realpath(wanted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await unlink(wanted).catch(() => undefined); // a link whose target is gone
    return undefined;
  }
}

async function checkOwner(directory: string, user: OsUser | undefined): Promise<void> {
  const { uid } = await stat(directory);
  if (uid === (user ? user.uid : process.getuid?.())) return;
  const owner = (await findUser(uid))?.name ?? `uid ${uid}`;
  throw new UsageError(
    `The database folder ${directory} belongs to ${owner}. Start as the user who made it (it may have been root), ` +
      "set DATA_DIR to another folder, or remove it if the data is not needed.",
  );
}
