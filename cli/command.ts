import { parseArgs } from "node:util";
import type { SettingGroup } from "./setting-kinds.js";
import { describeSettings, type Settings } from "./settings.js";

/** A command in the list of commands. */
export interface CommandEntry {
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** One command of the program. */
export interface Command {
  /** What it does, in a few sentences. */
  readonly description: string;
  /** The settings it heeds, shown by its `--help`. */
  readonly settings: readonly SettingGroup[];
  /** Runs the command to its end and gives the exit code. */
  run(settings: Settings): Promise<number>;
}

/** The command cannot be run as it was asked for, until the user changes something; the message says what. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Exit code of a {@link UsageError}, of bad settings and of a bad command line: starting again would not help. */
export const usageExitCode = 2;

/**
 * Checks the words after a command's name.
 * @returns whether help was asked for
 * @throws UsageError that names what is not known
 */
export function parseCommandArguments(args: readonly string[]): { help: boolean } {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean", short: "h" } }, strict: true });
    return { help: values.help ?? false };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}.`, { cause: error });
  }
}

/** What `symbol-gateway --help` shows. */
export function programHelp(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    "Usage: symbol-gateway <command>",
    "",
    "Follows a Symbol node into PostgreSQL, and serves the chain over REST, WebSocket and GraphQL.",
    "",
    "Commands:",
    ...lines,
    "",
    "  symbol-gateway <command> --help   what it does, and the settings it heeds",
    "  symbol-gateway --version          the version of this program",
    "",
    "Settings come from the environment, or from a file .env in the working folder.",
  ].join("\n");
}

/** What `symbol-gateway <command> --help` shows. */
export function commandHelp(name: string, command: Command): string {
  const settings = describeSettings(command.settings);
  const width = Math.max(...settings.map(({ name }) => name.length));
  const lines = settings.flatMap(({ name: setting, meaning, default: value }) => [
    `  ${setting.padEnd(width)}  ${meaning.replaceAll("`", "")}`,
    `  ${" ".repeat(width)}  default: ${value.replaceAll("`", "")}`,
  ]);
  return [`Usage: symbol-gateway ${name}`, "", command.description, "", "Settings:", ...lines].join("\n");
}
