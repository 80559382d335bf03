import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isAlive, readCommand } from "../process/process-identity.js";
import { isSettingName, type SettingName } from "./settings.js";

/** Values of settings as they are written in the environment. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/** What a command can find of a running `dev` on its DATA_DIR. */
export type RunningPart = "gateway" | "node" | "keys";

interface PartSettings {
  /** If one of these is given, the running values are ignored. */
  readonly decidedBy: readonly SettingName[];
  readonly names: readonly SettingName[];
}

const PARTS: Readonly<Record<RunningPart, PartSettings>> = {
  gateway: { decidedBy: ["PORT"], names: ["PORT", "HOST", "TLS_CERTIFICATE_FILE"] },
  node: { decidedBy: ["CATAPULT_NODES"], names: ["CATAPULT_NODES", "CATAPULT_ZMQ", "CATAPULT_RESOURCES"] },
  keys: { decidedBy: ["DEVNET_SEED"], names: ["DEVNET_SEED"] },
};

interface RunningFile {
  readonly pid: number;
  /** Command line of the process: after a kill its id may belong to another program. */
  readonly command: string | undefined;
  readonly settings: SettingTexts;
}

/** Writes the settings under which this process runs into DATA_DIR, for the commands that {@link readRunningSettings}. */
export async function writeRunningSettings(dataDirectory: string, settings: SettingTexts): Promise<void> {
  const file = runningFileOf(dataDirectory);
  await mkdir(path.dirname(file), { recursive: true });
  const { pid } = process;
  const content: RunningFile = { pid, command: await readCommand(pid), settings };
  const unfinished = `${file}.${pid}`;
  await writeFile(unfinished, `${JSON.stringify(content, undefined, 2)}\n`);
  await rename(unfinished, file);
}

/** Removes what this process wrote, or what a killed one left. */
export async function removeRunningSettings(dataDirectory: string): Promise<void> {
  const file = runningFileOf(dataDirectory);
  const content = await readRunningFile(file);
  if (content?.pid === process.pid || !content || !(await isRunning(content))) await rm(file, { force: true });
}

/** The running `dev` on a DATA_DIR; undefined if none runs, or if it was killed. */
export async function findRunning(
  dataDirectory: string,
): Promise<{ readonly pid: number; readonly settings: SettingTexts } | undefined> {
  const content = await readRunningFile(runningFileOf(dataDirectory));
  return content && (await isRunning(content)) ? content : undefined;
}

/** Settings of the running `dev` on a DATA_DIR; undefined if none runs, or if it was killed. */
export async function readRunningSettings(dataDirectory: string): Promise<SettingTexts | undefined> {
  return (await findRunning(dataDirectory))?.settings;
}

/**
 * The running values that apply in addition to the given ones.
 * @param given values from the environment and `.env`; port 0 means any free one, so it counts as not given
 */
export function runningValues(running: SettingTexts, parts: readonly RunningPart[], given: SettingTexts): SettingTexts {
  const values: Partial<Record<SettingName, string>> = {};
  for (const part of parts) {
    const { decidedBy, names } = PARTS[part];
    if (decidedBy.some((name) => given[name] !== undefined && given[name] !== "0")) continue;
    for (const name of names) if (running[name] !== undefined) values[name] = running[name];
  }
  return values;
}

function runningFileOf(dataDirectory: string): string {
  return path.resolve(dataDirectory, "running.json");
}

/** Undefined if the file is missing or invalid. */
async function readRunningFile(file: string): Promise<RunningFile | undefined> {
  try {
    const { pid, command, settings } = JSON.parse(await readFile(file, "utf8")) as Partial<RunningFile>;
    if (!Number.isSafeInteger(pid) || typeof settings !== "object" || settings === null) return undefined;
    const texts = Object.entries(settings).filter(([name, value]) => isSettingName(name) && typeof value === "string");
    return { pid: pid!, command, settings: Object.fromEntries(texts) };
  } catch {
    return undefined;
  }
}

async function isRunning({ pid, command }: RunningFile): Promise<boolean> {
  return isAlive(pid) && (await readCommand(pid)) === command;
}
