import { readFileSync } from "node:fs";
import { parse as parseDotenv } from "dotenv";
import { z } from "zod";
import { readSecret, SecretFileError, withPassword } from "./secrets.js";
import {
  hostList,
  integer,
  jsonObject,
  networkList,
  optionalInteger,
  optionalPath,
  optionalText,
  postgresUrl,
  publicKeyList,
  type SettingGroup,
  type SettingMeta,
  secretText,
  text,
  tokenList,
  word,
  zeromqUrl,
} from "./setting-kinds.js";

const mebibyte = 1_048_576;

/** Every setting, by its name in the environment. docs/settings.md shows the same table; a test compares the two. */
const schema = z.object({
  PORT: integer(3000, 0, 65_535, {
    group: "gateway",
    meaning: "port of REST, `/ws` and `/graphql`; 0 = any free port",
  }),
  HOST: text("::", "an address of this machine", {
    group: "gateway",
    meaning: "bind address of `PORT`; `::` = all, of IPv6 and IPv4",
  }),
  GRAPHQL_TOKEN: tokenList({
    group: "gateway",
    meaning:
      "token required by `/graphql` and `/explorer`, or several with the names of their users: `name:token,name:token`; if unset, the gateway disables both, and `npm start` serves local callers only",
  }),
  INTERNAL_PORT: optionalInteger(0, 65_535, {
    group: "gateway",
    meaning:
      "separate port for `/graphql`, `/explorer`, `/metrics` and `/ready`; 0 = any free port; if unset, they are on `PORT`",
  }),
  INTERNAL_HOST: text("127.0.0.1", "an address of this machine", {
    group: "gateway",
    meaning: "bind address of `INTERNAL_PORT`",
  }),
  COMPATIBILITY: word(["spec", "catapult-rest"], "spec", {
    group: "gateway",
    meaning:
      "which behaviour applies where the specification and catapult-rest differ (list defaults, status codes, error messages, ...); see docs/from-catapult-rest.md",
  }),
  ANNOUNCEMENTS: word(["try", "push"], "try", {
    group: "gateway",
    meaning:
      "`try` tries announcements on the state of the index: what fails in any case gets the node's code at once, and what the node would not take yet is held; `push` pushes everything that can be valid in some state",
  }),
  REQUEST_BODY_BYTES: integer(mebibyte, 1_024, 64 * mebibyte, {
    group: "gateway",
    meaning: "maximum size of a request body, in bytes",
  }),
  RATE_LIMIT: integer(0, 0, 1_000_000, {
    group: "gateway",
    meaning: "sustained requests per second per client; 0 = unlimited",
  }),
  RATE_LIMIT_BURST: integer(100, 1, 1_000_000, {
    group: "gateway",
    meaning: "burst size per client when `RATE_LIMIT` is set",
  }),
  TRUSTED_PROXIES: networkList({
    group: "gateway",
    meaning: "addresses and networks of proxies whose `X-Forwarded-For` header is trusted",
  }),
  TLS_CERTIFICATE_FILE: optionalText("a file", {
    group: "gateway",
    meaning: "PEM file with the gateway's certificate chain; enables HTTPS on `PORT`",
  }),
  TLS_KEY_FILE: optionalText("a file", {
    group: "gateway",
    meaning: "PEM file with the private key of the gateway's certificate",
  }),
  UNCIRCULATING_PUBLIC_KEYS: publicKeyList({
    group: "gateway",
    meaning:
      "public keys of accounts excluded from `/network/currency/supply/circulating`, in addition to the nemesis account",
  }),
  NODE_METADATA: jsonObject({ group: "gateway", meaning: "JSON object returned by `/node/metadata`" }),
  RESPONSE_CACHE_BYTES: integer(32 * mebibyte, 0, 1_024 * mebibyte, {
    group: "gateway",
    meaning: "size of each process's response cache, in bytes; it is cleared when the database changes; 0 = no cache",
  }),
  EXPLORER: word(["operators", "public"], "operators", {
    group: "gateway",
    meaning:
      "whether the explorer (`/explorer`) is for clients that may use `/graphql` only, or for all; see docs/explorer.md",
  }),
  MESH_PATH: optionalPath({
    group: "gateway",
    meaning: "path of the Mesh (Rosetta) API, such as `/mesh`; if unset, it is disabled; see docs/mesh.md",
  }),
  WS_MAX_CONNECTIONS: integer(20_000, 1, 1_000_000, {
    group: "gateway",
    meaning: "maximum concurrent connections to `/ws`, and the same number to `/events`",
  }),
  WS_MAX_CONNECTIONS_PER_CLIENT: integer(100, 1, 1_000_000, {
    group: "gateway",
    meaning:
      "maximum concurrent connections per client (an IPv4 address or an IPv6 /64) to `/ws`, and the same number to each of `/events` and `/graphql`; behind a proxy, see `TRUSTED_PROXIES`",
  }),
  WS_MAX_SUBSCRIPTIONS: integer(1_000, 1, 1_000_000, {
    group: "gateway",
    meaning: "maximum subscriptions per connection to `/ws` or `/events`",
  }),
  WS_MAX_MESSAGE_BYTES: integer(4_096, 256, mebibyte, {
    group: "gateway",
    meaning: "maximum size of a client's message on `/ws`, in bytes",
  }),
  WS_MAX_BUFFER_BYTES: integer(16 * mebibyte, mebibyte, 1_024 * mebibyte, {
    group: "gateway",
    meaning: "bytes queued for a slow client of `/ws` or `/events` before it is disconnected",
  }),
  WEBHOOK_PRIVATE_NETWORKS: networkList({
    group: "gateway",
    meaning: "addresses and networks that are not public, and to which webhooks may be delivered",
  }),

  DATABASE_URL: postgresUrl("embedded", {
    group: "database",
    meaning: "PostgreSQL to write to and read from; if unset, `npm start` runs an embedded server",
  }),
  DATABASE_READ_URL: postgresUrl("`DATABASE_URL`", {
    group: "database",
    meaning: "PostgreSQL that the gateway reads from, for example a replica",
  }),
  DATABASE_PASSWORD: secretText({
    group: "database",
    meaning: "password for both URLs, unless they have one; any characters, not encoded",
  }),
  DATABASE_POOL_SIZE: integer(10, 1, 1_000, {
    group: "database",
    meaning: "maximum PostgreSQL connections per gateway process",
  }),
  STATEMENT_TIMEOUT_MS: integer(10_000, 100, 600_000, {
    group: "database",
    meaning: "timeout of the gateway's queries, in ms; if PostgreSQL does not respond at all, 500 ms more",
  }),
  DATA_DIR: text(".data", "a folder", {
    group: "database",
    meaning: "folder for the embedded database and the devnet's chain and certificates",
  }),
  EMBEDDED_DATABASE_PORT: integer(0, 0, 65_535, {
    group: "database",
    meaning: "port of the embedded PostgreSQL on 127.0.0.1; 0 = any free port",
  }),

  CATAPULT_NODES: hostList("the devnet", {
    group: "node",
    meaning: "`host:port,host:port` of nodes, tried in order; the indexer follows the one with the highest chain score",
  }),
  CATAPULT_ZMQ: zeromqUrl("the devnet's in `dev`, else none", {
    group: "node",
    meaning:
      "`tcp://host:7902`, the ZeroMQ broker of the first node: reports pending transactions and rejection reasons immediately; if unset, the node's pool is polled, and rejection reasons are unavailable",
  }),
  CATAPULT_TLS_DIR: optionalText("a folder", {
    group: "node",
    default: "~/.local/state/symbol-gateway/tls; `DATA_DIR`/tls for the devnet",
    meaning:
      "folder of the certificate used for node connections: created on first start, or a node's own certificate folder; see docs/operations.md",
  }),
  CATAPULT_RESOURCES: optionalText("a folder", {
    group: "node",
    default: "the devnet's, or built in",
    meaning:
      "`resources` folder of a node (`config-network.properties` and others); overrides the built-in configuration of the main and test networks",
  }),
  INDEXER_POLL_MS: integer(1_000, 10, 600_000, {
    group: "indexer",
    meaning: "polling interval in ms",
  }),
  ON_UNKNOWN_RULE: word(["continue", "stop"], "continue", {
    group: "indexer",
    meaning:
      "at a block that votes prove although this program rejects it or computes another state: `continue` indexes it, repairs the state and reports it; `stop` waits for an update. The same where the votes themselves are invalid by the voters that this program computes: `continue` indexes blocks that do not become final",
  }),
  EVENT_RETENTION_HOURS: integer(24, 1, 8_760, {
    group: "indexer",
    meaning: "how long events are kept for clients that resume, in hours",
  }),

  INDEXER_METRICS_PORT: optionalInteger(0, 65_535, {
    group: "indexer",
    meaning: "port of the indexer's metrics server; 0 = any free port; if unset, it is disabled",
  }),
  INDEXER_METRICS_HOST: text("127.0.0.1", "an address of this machine", {
    group: "indexer",
    meaning: "bind address of the indexer's metrics server",
  }),

  DEVNET_PORT: integer(7900, 0, 65_535, {
    group: "devnet",
    meaning: "port of the development node on 127.0.0.1; 0 = any free port",
  }),
  DEVNET_ZMQ_PORT: integer(7902, 0, 65_535, {
    group: "devnet",
    meaning: "port of the development node's ZeroMQ publisher on 127.0.0.1; 0 = any free port",
  }),
  DEVNET_BLOCK_MS: integer(5_000, 10, 3_600_000, {
    group: "devnet",
    meaning: "block interval of the development node, in ms",
  }),
  DEVNET_FINALIZATION_LAG: integer(10, 0, 1_000_000, {
    group: "devnet",
    meaning: "number of newest development blocks that are not yet final",
  }),
  DEVNET_FINALIZATION_INTERVAL: integer(4, 1, 1_000_000, {
    group: "devnet",
    meaning: "minimum number of blocks between two finalizations of the development chain",
  }),
  DEVNET_SEED: text("development", "a word", {
    group: "devnet",
    meaning: "seed of the devnet's account keys and first block",
  }),
  DEVNET_RULES: word(["development", "main-network"], "development", {
    group: "devnet",
    meaning:
      "rules of the development network; `main-network` = totals, limits and shares of the public main network, and its fork heights in miniature; see docs/devnet.md",
  }),

  LOG_LEVEL: word(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info", {
    group: "log",
    meaning: "minimum log level",
  }),
  LOG_FORMAT: word(["auto", "pretty", "json"], "auto", {
    group: "log",
    meaning: "log format; `auto` = pretty in a terminal, JSON elsewhere",
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

/** The settings that may be given as the name of a file with their value: `DATABASE_URL_FILE` and so on. */
export function secretNames(): readonly SettingName[] {
  return describeSettings()
    .filter(({ secret }) => secret)
    .map(({ name }) => name as SettingName);
}

const FILE = "_FILE";

function isSecretFile(name: string): boolean {
  return secretNames().some((secret) => name === secret + FILE);
}

/** Every setting in the order of the table; of the given groups and names only, if any are given. */
export function describeSettings(wanted?: readonly (SettingGroup | SettingName)[]): SettingDescription[] {
  return Object.entries(schema.shape)
    .map(([name, field]) => ({ name, ...(field.meta() as unknown as SettingMeta) }))
    .filter(({ name, group }) => !wanted || wanted.includes(group) || wanted.includes(name as SettingName));
}

/**
 * Reads the settings from `environment`, and what is not there from a `.env` file. An empty value counts as none. Of a
 * secret that is not in one of these, the file is read that NAME_FILE names there.
 * @param overrides values that count before both
 * @throws SettingsError
 */
export function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  dotenvFile = ".env",
  overrides: Readonly<Partial<Record<SettingName, string>>> = {},
): LoadedSettings {
  const fromFile = readDotenv(dotenvFile);
  const secrets = new Set<string>(secretNames());
  const valueIn = (source: Readonly<Record<string, string | undefined>>, name: string): string | undefined => {
    const value = source[name]?.trim();
    const file = secrets.has(name) ? source[name + FILE]?.trim() : undefined;
    return value || (file && readSecret(name + FILE, file));
  };
  const given: Record<string, string> = {};
  try {
    for (const name of Object.keys(schema.shape) as SettingName[]) {
      const value = overrides[name] ?? (valueIn(environment, name) || valueIn(fromFile, name));
      if (value) given[name] = value;
    }
  } catch (error) {
    if (error instanceof SecretFileError) throw new SettingsError([error.message]);
    throw error;
  }
  const result = schema.safeParse(given);
  if (!result.success) {
    const bad = new Set(result.error.issues.map((issue) => String(issue.path[0])));
    throw new SettingsError([...bad].map((name) => describeProblem(name, given[name] ?? "")));
  }
  return {
    settings: withPasswords(result.data),
    given,
    unknownNames: Object.keys(fromFile).filter((name) => !isSettingName(name) && !isSecretFile(name)),
  };
}

function withPasswords(settings: Settings): Settings {
  const { DATABASE_URL, DATABASE_READ_URL, DATABASE_PASSWORD } = settings;
  return {
    ...settings,
    ...(DATABASE_URL && { DATABASE_URL: withPassword(DATABASE_URL, DATABASE_PASSWORD) }),
    ...(DATABASE_READ_URL && { DATABASE_READ_URL: withPassword(DATABASE_READ_URL, DATABASE_PASSWORD) }),
  };
}

/** The settings for showing: tokens and passwords are replaced by `***`. */
export function redactSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...settings };
  for (const { name, secret } of describeSettings()) {
    const value = shown[name];
    if (value === undefined || !secret) continue;
    shown[name] = secret === "all" ? "***" : redactUrl(String(value));
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
