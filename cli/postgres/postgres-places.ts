import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, realpath, rmdir, stat, symlink, unlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import type { Logger } from "pino";
import { isRoot, type OsUser, succeedsAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";
import { findUser } from "./postgres-user.js";

/**
 * Folders, in order of preference, for what PostgreSQL must reach when the checkout cannot be reached or written.
 * For root they are readable by everybody and writable by root only.
 */
function placesOutside(): string[] {
  if (isRoot()) return ["/var/lib/symbol-gateway", path.join(tmpdir(), "symbol-gateway"), "/tmp/symbol-gateway"];
  return [
    path.join(homedir(), ".cache", "symbol-gateway"),
    path.join(tmpdir(), `symbol-gateway-${process.getuid?.()}`),
  ];
}

/**
 * Those of the folders outside the checkout that exist or can be made, that belong to this process' user, and that
 * nobody else can write (a stranger could have made a folder of this name in /tmp).
 */
export async function* usablePlacesOutside(): AsyncGenerator<string> {
  for (const place of placesOutside()) {
    try {
      await mkdir(place, { recursive: true });
      const found = await lstat(place);
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue;
      await chmod(place, isRoot() ? 0o755 : 0o700);
    } catch {
      continue; // read-only or forbidden
    }
    yield place;
  }
}

/**
 * Makes the folder of a cluster, mode 700, owned by the user that PostgreSQL runs as. Where this user cannot reach
 * `wanted` (the checkout lies under a folder that only root may enter), the data goes to a folder outside, and
 * `wanted` becomes a symbolic link to it.
 * @param user the user PostgreSQL runs as; undefined for this process' own
 * @returns the real path
 * @throws Error naming the folder, when it belongs to somebody else or no place could be found
 */
export async function prepareDataDirectory(wanted: string, user: OsUser | undefined, log: Logger): Promise<string> {
  const existing = await existingDirectory(wanted);
  if (existing && (await readdir(existing)).length > 0) {
    await checkOwner(existing, user);
    return existing;
  }
  if (!existing) await mkdir(wanted, { recursive: true });
  const made = existing ?? (await realpath(wanted));
  if (await giveTo(made, user)) return made;
  await rmdir(made);
  for await (const place of usablePlacesOutside()) {
    // The random part makes a new cluster of a checkout whose data folder was removed: old data would not fit the rest.
    const prefix = `${createHash("sha256").update(wanted).digest("hex").slice(0, 12)}-`;
    const leftBehind = (await readdir(place)).filter((name) => name.startsWith(prefix));
    const outside = path.join(place, `${prefix}${randomBytes(4).toString("hex")}`);
    await mkdir(outside);
    if (await giveTo(outside, user)) {
      await unlink(wanted).catch(() => undefined);
      await symlink(outside, wanted);
      log.info(
        { wanted, outside, user: user?.name },
        "The database user cannot reach the data folder, so the embedded PostgreSQL keeps its data outside",
      );
      if (leftBehind.length > 0) {
        const folders = leftBehind.map((name) => path.join(place, name));
        log.warn(
          { folders },
          "Data that was kept outside before is not linked any more: remove it if it is not needed",
        );
      }
      return outside;
    }
    await rmdir(outside);
  }
  throw new UsageError(
    `The user ${user?.name} cannot reach ${wanted}, nor any other place for the embedded PostgreSQL. ` +
      "Set DATA_DIR to a folder that every user may enter, or DATABASE_URL to a server of your own.",
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
  if (uid !== (user ? user.uid : process.getuid?.())) {
    const owner = (await findUser(uid))?.name ?? `uid ${uid}`;
    throw new UsageError(
      `The database folder ${directory} belongs to ${owner}. Start as the user who made it (it may have been root), ` +
        "set DATA_DIR to another folder, or remove it if the data is not needed.",
    );
  }
  if (user && !(await canUse(directory, user))) {
    throw new UsageError(`The user ${user.name} cannot reach its own database folder ${directory}: was it moved?`);
  }
}

async function giveTo(directory: string, user: OsUser | undefined): Promise<boolean> {
  if (user) await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
  return !user || (await canUse(directory, user));
}

function canUse(directory: string, user: OsUser): Promise<boolean> {
  return succeedsAs(user, "/bin/sh", ["-c", 'test -w "$1" && test -x "$1"', "sh", directory]);
}
