#!/usr/bin/env node
import {
  type Command,
  type CommandEntry,
  commandHelp,
  parseCommandArguments,
  programHelp,
} from "./commands/command.js";
import { hidePasswords } from "./parts/log.js";
import { outsideFailure } from "./process/outside-failure.js";
import { didYouMean, UsageError, usageExitCode } from "./process/usage-error.js";
import { programVersion } from "./process/version.js";
import { readRunningSettings, runningValues } from "./settings/running-settings.js";
import { loadSettings, type Settings, SettingsError } from "./settings/settings.js";

/** Loaded on demand: a process has only the parts that it runs, which halves its start time and memory. */
const commands: readonly CommandEntry[] = [
  {
    name: "dev",
    summary: "runs everything in one terminal: database, devnet, indexer and gateway",
    load: async () => (await import("./commands/dev.js")).devCommand,
  },
  {
    name: "gateway",
    summary: "serves the chain over REST, WebSocket and GraphQL",
    load: async () => (await import("./commands/gateway.js")).gatewayCommand,
  },
  {
    name: "dev-gateway",
    summary: "the gateway of dev",
    isInternal: true,
    load: async () => (await import("./commands/gateway.js")).devGatewayCommand,
  },
  {
    name: "indexer",
    summary: "follows a node and writes the chain into PostgreSQL",
    load: async () => (await import("./commands/indexer.js")).indexerCommand,
  },
  {
    name: "backfill",
    summary: "fills a range of the index from a node or from stored bytes, and exits",
    load: async () => (await import("./commands/backfill.js")).backfillCommand,
  },
  {
    name: "database-url",
    summary: "prints the URL of the database, for psql and other tools",
    load: async () => (await import("./commands/database-url.js")).databaseUrlCommand,
  },
  {
    name: "migrate",
    summary: "migrates the database to the newest schema",
    load: async () => (await import("./commands/migrate.js")).migrateCommand,
  },
  {
    name: "check",
    summary: "verifies the database, also against a node",
    load: async () => (await import("./commands/check.js")).checkCommand,
  },
  {
    name: "doctor",
    summary: "checks files, database, nodes and ports, and says what to do",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  {
    name: "health",
    summary: "asks the gateway or the indexer of this machine whether it works",
    load: async () => (await import("./commands/health.js")).healthCommand,
  },
  {
    name: "webhooks",
    summary: "adds, lists, removes and replays webhooks",
    load: async () => (await import("./commands/webhooks.js")).webhooksCommand,
  },
  {
    name: "mesh",
    summary: "builds and parses transactions over Mesh (Rosetta), without a database and a node",
    load: async () => (await import("./commands/mesh.js")).meshCommand,
  },
  {
    name: "devnet",
    summary: "runs a development node with funded accounts",
    load: async () => (await import("./commands/devnet.js")).devnetCommand,
  },
  {
    name: "transfer",
    summary: "sends a transfer between devnet accounts, and waits for its block",
    load: async () => (await import("./commands/transfer.js")).transferCommand,
  },
];

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    process.stderr.write(`${programHelp(commands)}\n`);
    return usageExitCode;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(`${programHelp(commands)}\n`);
    return 0;
  }
  if (name === "--version") {
    process.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const entry = commands.find((candidate) => candidate.name === name);
  if (!entry) {
    const known = commands.filter(({ isInternal }) => !isInternal).map((command) => command.name);
    throw new UsageError(`There is no command ${name}. Commands: ${known.join(", ")}.${didYouMean(name, known)}`);
  }
  const command: Command = await entry.load();
  const { help, options } = parseCommandArguments(rest, command.options, command.operands);
  if (help) {
    process.stdout.write(`${commandHelp(name, command)}\n`);
    return 0;
  }
  return command.run(await settingsFor(command), options);
}

async function settingsFor({ finds = [] }: Command): Promise<Settings> {
  const { settings, given, unknownNames } = loadSettings(process.env);
  for (const unknown of unknownNames) process.stderr.write(`.env: there is no setting ${unknown}.\n`);
  const running = finds.length > 0 ? await readRunningSettings(settings.DATA_DIR) : undefined;
  if (!running) return settings;
  return loadSettings(process.env, ".env", runningValues(running, finds, given)).settings;
}

function report(error: unknown): number {
  const isForUser = error instanceof UsageError || error instanceof SettingsError;
  const failure = outsideFailure(error);
  if (failure) {
    process.stderr.write(`${hidePasswords(failure.sentence)}\n`);
    return failure.isSetting ? usageExitCode : 1;
  }
  process.stderr.write(`${hidePasswords(isForUser ? error.message : describeUnexpected(error))}\n`);
  return isForUser ? usageExitCode : 1;
}

/** One line with the place in the source; `LOG_LEVEL=debug` shows the stack. */
function describeUnexpected(error: unknown): string {
  const { stack = "" } = error instanceof Error ? error : {};
  if (stack && process.env.LOG_LEVEL === "debug") return stack;
  const place = stack.split("\n").find((line) => line.startsWith("    at "));
  return `Unexpected error: ${error}${place ? ` (${place.trim()})` : ""}`.replaceAll("\n", " ");
}

process.on("uncaughtException", (error) => process.exit(report(error)));
process.exit(await main(process.argv.slice(2)).catch(report));
