import { readFileSync } from "node:fs";
import { parse as parseDotenv } from "dotenv";
import { z } from "zod";
import {
  hostList,
  integer,
  jsonObject,
  networkList,
  optionalInteger,
  optionalText,
  postgresUrl,
  publicKeyList,
  type SettingGroup,
  type SettingMeta,
  text,
  word,
  zeromqUrl,
} from "./setting-kinds.js";

const mebibyte = 1_048_576;

/** Every setting, by its name in the environment. README.md shows the same table; a test compares the two. */
const schema = z.object({
  PORT: integer(3000, 0, 65_535, {
    group: "gateway",
    meaning: "port of REST, `/ws` and `/graphql`; 0 takes a free one",
  }),
  HOST: text("0.0.0.0", "an address of this machine", { group: "gateway", meaning: "address the gateway listens on" }),
  GRAPHQL_TOKEN: optionalText("a word without spaces", {
    group: "gateway",
    meaning:
      "token that `/graphql` and `/dashboard` require from everyone; without it the gateway disables both, and `npm start` answers callers on this machine",
    secret: "all",
  }),
  INTERNAL_PORT: optionalInteger(0, 65_535, {
    group: "gateway",
    meaning:
      "port to which `/graphql`, `/dashboard`, `/metrics` and `/ready` move from `PORT`; 0 takes a free one; without it they are on `PORT`",
  }),
  INTERNAL_HOST: text("127.0.0.1", "an address of this machine", {
    group: "gateway",
    meaning: "bind address of `INTERNAL_PORT`",
  }),
  COMPATIBILITY: word(["spec", "catapult-rest"], "spec", {
    group: "gateway",
    meaning:
      "who decides where the specification and catapult-rest differ: defaults of lists, status codes, error messages and others, see docs/from-catapult-rest.md",
  }),
  REQUEST_BODY_BYTES: integer(mebibyte, 1_024, 64 * mebibyte, {
    group: "gateway",
    meaning: "longest body of a request, in bytes",
  }),
  RATE_LIMIT: integer(0, 0, 1_000_000, {
    group: "gateway",
    meaning: "requests a second that one client may send in the long run; 0 for as many as it likes",
  }),
  RATE_LIMIT_BURST: integer(100, 1, 1_000_000, {
    group: "gateway",
    meaning: "requests that one client may send at once after a rest, where `RATE_LIMIT` is set",
  }),
  TRUSTED_PROXIES: networkList({
    group: "gateway",
    meaning: "addresses and networks of proxies whose `X-Forwarded-For` tells who the client is",
  }),
  TLS_CERTIFICATE_FILE: optionalText("a file", {
    group: "gateway",
    meaning: "PEM file with the gateway's certificate and those of its issuers: then `PORT` speaks HTTPS",
  }),
  TLS_KEY_FILE: optionalText("a file", {
    group: "gateway",
    meaning: "PEM file with the private key of the gateway's certificate",
  }),
  UNCIRCULATING_PUBLIC_KEYS: publicKeyList({
    group: "gateway",
    meaning:
      "whose currency does not count as circulating in `/network/currency/supply/circulating`, beside the nemesis account",
  }),
  NODE_METADATA: jsonObject({ group: "gateway", meaning: "what `/node/metadata` answers" }),
  RESPONSE_CACHE_BYTES: integer(32 * mebibyte, 0, 1_024 * mebibyte, {
    group: "gateway",
    meaning: "answers that each process keeps until the chain's head moves, in bytes; 0 keeps none",
  }),
  WS_MAX_CONNECTIONS: integer(20_000, 1, 1_000_000, {
    group: "gateway",
    meaning: "connections to `/ws` at one time",
  }),
  WS_MAX_CONNECTIONS_PER_CLIENT: integer(100, 1, 1_000_000, {
    group: "gateway",
    meaning:
      "connections of one client (an IPv4 address or an IPv6 /64) to `/ws` at one time, and as many to `/graphql`; behind a proxy, see `TRUSTED_PROXIES`",
  }),
  WS_MAX_SUBSCRIPTIONS: integer(1_000, 1, 1_000_000, {
    group: "gateway",
    meaning: "subscriptions of one connection to `/ws`",
  }),
  WS_MAX_MESSAGE_BYTES: integer(4_096, 256, mebibyte, {
    group: "gateway",
    meaning: "longest message that `/ws` takes from a client, in bytes",
  }),
  WS_MAX_BUFFER_BYTES: integer(16 * mebibyte, mebibyte, 1_024 * mebibyte, {
    group: "gateway",
    meaning: "bytes that may wait for a slow client of `/ws` before it is cut off",
  }),

  DATABASE_URL: postgresUrl("embedded", {
    group: "database",
    meaning: "PostgreSQL to write to and read from; `npm start` brings its own server when this is not set",
  }),
  DATABASE_READ_URL: postgresUrl("`DATABASE_URL`", {
    group: "database",
    meaning: "PostgreSQL for the gateway to read from, a replica for example",
  }),
  DATABASE_POOL_SIZE: integer(10, 1, 1_000, {
    group: "database",
    meaning: "connections that the gateway opens to PostgreSQL at most",
  }),
  STATEMENT_TIMEOUT_MS: integer(10_000, 100, 600_000, {
    group: "database",
    meaning: "time after which a query of the gateway is ended, in ms; when PostgreSQL is silent, half a second later",
  }),
  DATA_DIR: text(".data", "a folder", {
    group: "database",
    meaning: "folder of the embedded database, and of the devnet's chain and certificates",
  }),
  EMBEDDED_DATABASE_PORT: integer(0, 0, 65_535, {
    group: "database",
    meaning: "port of the embedded PostgreSQL on 127.0.0.1; 0 takes a free one",
  }),

  CATAPULT_NODES: hostList("the devnet", {
    group: "node",
    meaning:
      "`host:port,host:port` of nodes, tried in order, the next on failure; the indexer follows the one with the highest score",
  }),
  CATAPULT_ZMQ: zeromqUrl("the devnet's in `dev`, else none", {
    group: "node",
    meaning:
      "`tcp://host:7902` of the broker of the first of these nodes: announced transactions and why they are refused are heard of at once; without it the node's pool is looked at, which tells no reasons",
  }),
  CATAPULT_TLS_DIR: optionalText("a folder", {
    group: "node",
    default: "~/.local/state/symbol-gateway/tls; `DATA_DIR`/tls for the devnet",
    meaning:
      "folder of the certificate towards nodes: created at the first start, or a node's own certificate folder; docs/operations.md says which",
  }),
  CATAPULT_RESOURCES: optionalText("a folder", {
    group: "node",
    default: "the devnet's, or built in",
    meaning:
      "`resources` folder of the node (`config-network.properties` and others), in place of the built-in configuration of the main and test networks: for `/network/*`, the check of what is announced, and the accounts that the indexer knows to change",
  }),
  INDEXER_POLL_MS: integer(1_000, 10, 600_000, {
    group: "indexer",
    meaning: "wait between two looks at the node, in ms",
  }),
  STATE_SOURCE: word(["execute", "node", "auto"], "execute", {
    group: "indexer",
    meaning:
      "where receipts and state come from: `execute` computes them from the blocks and verifies them, any node will do; `node` reads them from a node that trusts this host; `auto` executes, and reads from the node where that fails",
  }),
  EVENT_RETENTION_HOURS: integer(24, 1, 8_760, {
    group: "indexer",
    meaning: "how long events are kept for clients of `/ws` that come back, in hours",
  }),

  INDEXER_METRICS_PORT: optionalInteger(0, 65_535, {
    group: "indexer",
    meaning: "port of the indexer's own `/metrics`, which is off without it; 0 takes a free one",
  }),
  INDEXER_METRICS_HOST: text("127.0.0.1", "an address of this machine", {
    group: "indexer",
    meaning: "address that `INDEXER_METRICS_PORT` is listened to on",
  }),

  DEVNET_PORT: integer(7900, 0, 65_535, {
    group: "devnet",
    meaning: "port of the development node on 127.0.0.1; 0 takes a free one",
  }),
  DEVNET_ZMQ_PORT: integer(7902, 0, 65_535, {
    group: "devnet",
    meaning: "port of the development node's ZeroMQ publisher on 127.0.0.1; 0 takes a free one",
  }),
  DEVNET_BLOCK_MS: integer(5_000, 10, 3_600_000, { group: "devnet", meaning: "time between two blocks, in ms" }),
  DEVNET_FINALIZATION_LAG: integer(10, 0, 1_000_000, {
    group: "devnet",
    meaning: "blocks at the head of the development chain that are not final yet",
  }),
  DEVNET_FINALIZATION_INTERVAL: integer(4, 1, 1_000_000, {
    group: "devnet",
    meaning: "blocks from one finalization of the development chain to the next at least",
  }),
  DEVNET_SEED: text("development", "a word", {
    group: "devnet",
    meaning: "what the keys of the devnet's accounts and its first block are made from",
  }),

  LOG_LEVEL: word(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info", {
    group: "log",
    meaning: "least important kind of message that is logged",
  }),
  LOG_FORMAT: word(["auto", "pretty", "json"], "auto", {
    group: "log",
    meaning: "form of the log; auto is pretty in a terminal and JSON elsewhere",
  }),
});

/** All settings, checked, with their defaults; the keys are the names in the environment. */
export type Settings = Readonly<z.infer<typeof schema>>;

/** Name of a setting in the environment. */
export type SettingName = keyof Settings;

/** One line of the table of settings. */
export interface SettingDescription extends SettingMeta {
  readonly name: string;
}

/** One or more settings have bad values; the message names each and says what would be right. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
  }
}

/** What {@link loadSettings} found. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Values as they were given by the environment or the `.env` file; no defaults. */
  readonly given: Readonly<Partial<Record<SettingName, string>>>;
  /** Names in the `.env` file that are no settings: mistyped perhaps. */
  readonly unknownNames: readonly string[];
}

/** Whether there is a setting of this name. */
export function isSettingName(name: string): name is SettingName {
  return name in schema.shape;
}

/** Every setting in the order of the table; of the given groups and names only, if any are given. */
export function describeSettings(wanted?: readonly (SettingGroup | SettingName)[]): SettingDescription[] {
  return Object.entries(schema.shape)
    .map(([name, field]) => ({ name, ...(field.meta() as unknown as SettingMeta) }))
    .filter(({ name, group }) => !wanted || wanted.includes(group) || wanted.includes(name as SettingName));
}

/**
 * Reads the settings from `environment`, and what is not there from a `.env` file. An empty value counts as none.
 * @param overrides values that count before both
 * @throws SettingsError
 */
export function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  dotenvFile = ".env",
  overrides: Readonly<Partial<Record<SettingName, string>>> = {},
): LoadedSettings {
  const fromFile = readDotenv(dotenvFile);
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape) as SettingName[]) {
    const value = overrides[name] ?? (environment[name]?.trim() || fromFile[name]?.trim());
    if (value) given[name] = value;
  }
  const result = schema.safeParse(given);
  if (!result.success) {
    const bad = new Set(result.error.issues.map((issue) => String(issue.path[0])));
    throw new SettingsError([...bad].map((name) => describeProblem(name, given[name] ?? "")));
  }
  return {
    settings: result.data,
    given,
    unknownNames: Object.keys(fromFile).filter((name) => !isSettingName(name)),
  };
}

/** The settings for showing: tokens and passwords are replaced by `***`. */
export function redactSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...settings };
  for (const { name, secret } of describeSettings()) {
    const value = shown[name];
    if (typeof value !== "string" || !secret) continue;
    shown[name] = secret === "all" ? "***" : redactUrl(value);
  }
  return shown;
}

/** A URL with its password, if any, replaced by `***`. */
export function redactUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.password) parsed.password = "***";
  return parsed.href;
}

function describeProblem(name: string, value: string): string {
  const { form, secret } = describeSettings().find((setting) => setting.name === name)!;
  return `${name} must be ${form}${secret ? "" : `, not ${JSON.stringify(value)}`}.`;
}

function readDotenv(file: string): Record<string, string> {
  try {
    return parseDotenv(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new SettingsError([`The settings file ${file} cannot be read: ${(error as Error).message}.`]);
  }
}
