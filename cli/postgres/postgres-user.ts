import type { Logger } from "pino";
import { type OsUser, runAs, succeedsAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";

const userName = "postgres";

/**
 * Finds the user under which root starts PostgreSQL: `postgres` where it exists, else a new system user of this name,
 * else `nobody`. The log says which.
 * @throws Error when there is no such user and none can be made
 */
export async function unprivilegedUser(log: Logger): Promise<OsUser> {
  const existing = await findUser(userName);
  if (existing) {
    log.debug({ user: existing.name }, "Embedded PostgreSQL runs as an existing user");
    return existing;
  }
  if (await createUser()) {
    const created = await findUser(userName);
    if (created) {
      log.info({ user: created.name }, "Made a system user for the embedded PostgreSQL, which refuses to run as root");
      return created;
    }
  }
  const nobody = await findUser("nobody");
  if (nobody && nobody.uid !== 0) {
    log.warn({ user: nobody.name }, "No user could be made for the embedded PostgreSQL, it shares an existing one");
    return nobody;
  }
  throw new UsageError(
    "PostgreSQL refuses to run as root, and no other user could be found or made for it. " +
      "Start as another user, make a user named postgres, or set DATABASE_URL to a server of your own.",
  );
}

/** The user with this name or uid, or undefined where the system knows none. */
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

async function createUser(): Promise<boolean> {
  await succeedsAs(undefined, "groupadd", ["--system", userName]);
  const flags = ["--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"];
  return (
    (await succeedsAs(undefined, "useradd", [...flags, "--gid", userName, userName])) ||
    // BusyBox
    (await succeedsAs(undefined, "adduser", ["-S", "-D", "-H", "-s", "/sbin/nologin", userName]))
  );
}
