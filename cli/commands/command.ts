import { type ParseArgsConfig, parseArgs } from "node:util";
import { didYouMean, UsageError } from "../process/usage-error.js";
import type { RunningPart } from "../settings/running-settings.js";
import type { SettingGroup } from "../settings/setting-kinds.js";
import { describeSettings, type SettingName, type Settings } from "../settings/settings.js";

/** A command in the list of commands. */
export interface CommandEntry {
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Started by another command only, and omitted from the list. */
  readonly isInternal?: boolean;
  load(): Promise<Command>;
}

/** An option of a command, such as `--from 100` or `--offline`. */
export interface CommandOption {
  /** A flag is present or not; a number is an integer, not below 0. */
  readonly kind: "flag" | "number" | "text";
  /** For people: a phrase without a full stop. */
  readonly description: string;
  /** The valid form, to follow "must be"; any text if absent. */
  readonly form?: { readonly pattern: RegExp; readonly description: string };
}

/** An argument without dashes, by its index, such as the action in `webhooks list`. */
export interface CommandOperand {
  readonly name: string;
  /** For people: a phrase without a full stop. */
  readonly description: string;
  /** The valid words; any text if absent. */
  readonly words?: readonly string[];
  /** Only the last ones may be omitted. */
  readonly isOptional?: true;
}

/** The given options and operands by name; flags are true. */
export type GivenOptions = Readonly<Record<string, string | number | true | undefined>>;

/** One command of the program. */
export interface Command {
  /** What it does, in a few sentences. */
  readonly description: string;
  /** The settings it uses, shown by its `--help`. */
  readonly settings: readonly (SettingGroup | SettingName)[];
  /** What it finds through DATA_DIR of a running `dev`, unless settings say otherwise. */
  readonly finds?: readonly RunningPart[];
  /** The options by name, without the dashes. */
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** The operands in their order. */
  readonly operands?: readonly CommandOperand[];
  /** Runs the command to its end and returns the exit code. */
  run(settings: Settings, options: GivenOptions): Promise<number>;
}

/**
 * Parses the arguments after a command's name.
 * @returns the options, and whether help was requested
 * @throws UsageError that names an unknown argument or an invalid value
 */
export function parseCommandArguments(
  args: readonly string[],
  known: Readonly<Record<string, CommandOption>> = {},
  operands: readonly CommandOperand[] = [],
): { help: boolean; options: GivenOptions } {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { kind }] of Object.entries(known))
    options[name] = { type: kind === "flag" ? "boolean" : "string" };
  let given: Record<string, unknown>;
  let positionals: readonly string[];
  try {
    const allowPositionals = operands.length > 0;
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    given = parsed.values;
    positionals = parsed.positionals;
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(". ");
    const [, wrong] = /^Unknown option '--?([\w-]+)'/.exec(sentence) ?? [];
    const hint =
      wrong === undefined
        ? ""
        : didYouMean(
            `--${wrong}`,
            Object.keys(known).map((name) => `--${name}`),
          );
    throw new UsageError(`${sentence}.${hint}`, { cause: error });
  }
  const { help, ...values } = given;
  const read = Object.entries(values).map(([name, value]) => [name, readOption(name, known[name]!, value)]);
  const isHelp = help === true;
  const named = isHelp ? [] : readOperands(operands, positionals);
  return { help: isHelp, options: Object.fromEntries([...read, ...named]) as GivenOptions };
}

function readOperands(operands: readonly CommandOperand[], given: readonly string[]): [string, string][] {
  const [extra] = given.slice(operands.length);
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'.`);
  return operands.flatMap(({ name, words, isOptional }, index): [string, string][] => {
    const text = given[index];
    if (text === undefined) {
      if (isOptional) return [];
      throw new UsageError(`<${name}> is missing${words ? `: ${words.join(", ")}` : ""}.`);
    }
    if (words && !words.includes(text)) {
      throw new UsageError(`<${name}> must be ${words.join(" or ")}, not ${JSON.stringify(text)}.`);
    }
    return [[name, text]];
  });
}

function readOption(name: string, { kind, form }: CommandOption, value: unknown): string | number | true {
  if (kind === "flag") return true;
  const text = String(value);
  if (kind === "number") {
    if (!/^\d{1,15}$/.test(text))
      throw new UsageError(`--${name} must be a whole number, not ${JSON.stringify(text)}.`);
    return Number(text);
  }
  if (form && !form.pattern.test(text)) {
    throw new UsageError(`--${name} must be ${form.description}, not ${JSON.stringify(text)}.`);
  }
  return text;
}

/** What `symbol-gateway --help` shows. */
export function programHelp(entries: readonly CommandEntry[]): string {
  const commands = entries.filter(({ isInternal }) => !isInternal);
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
    "  symbol-gateway <command> --help   description, options and settings of a command",
    "  symbol-gateway --version          the version of this program",
    "",
    "Settings come from the environment, or from a file .env in the working folder.",
  ].join("\n");
}

/** What `symbol-gateway <command> --help` shows. */
export function commandHelp(name: string, command: Command): string {
  const { options = {}, operands = [] } = command;
  const settings = describeSettings(command.settings).flatMap(({ name: setting, description, default: value }) => [
    { name: setting, description: description.replaceAll("`", "") },
    { name: "", description: `default: ${value.replaceAll("`", "")}` },
  ]);
  const choices = Object.entries(options).map(([option, { kind, description }]) => ({
    name: `--${option}${kind === "flag" ? "" : kind === "number" ? " <number>" : " <text>"}`,
    description,
  }));
  return [
    `Usage: symbol-gateway ${name}${operands.map(usageOf).join("")}${choices.length > 0 ? " [options]" : ""}`,
    "",
    command.description,
    ...(operands.length > 0 ? ["", "Arguments:", ...columns(operands)] : []),
    ...(choices.length > 0 ? ["", "Options:", ...columns(choices)] : []),
    "",
    "Settings:",
    ...columns(settings),
  ].join("\n");
}

function usageOf({ name, words, isOptional }: CommandOperand): string {
  const text = words ? words.join("|") : `<${name}>`;
  return isOptional ? ` [${text}]` : ` ${text}`;
}

function columns(lines: readonly { readonly name: string; readonly description: string }[]): string[] {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
}
