import { parseEnv } from "node:util";
import { z } from "zod";
import { describeFileError } from "../../catapult/files/file-error.js";
import { editsBetween } from "../../gateway/rest/nearest-name.js";
import { readSecret, readText, SecretFileError, withoutPassword, withPassword } from "./secrets.js";
import {
  bindAddress,
  filePath,
  hostList,
  integer,
  internalPort,
  networkList,
  optionalFilePath,
  optionalPath,
  postgresUrl,
  type SettingGroup,
  type SettingMeta,
  secretText,
  text,
  tokenList,
  word,
  zeromqUrl,
} from "./setting-kinds.js";

/** Every setting, by its name in the environment. docs/settings.md shows the same table; a test compares the two. */
const schema = z.object({
  PORT: integer(3000, 0, 65_535, {
    group: "gateway",
    description: "port of REST, `/ws` and `/graphql`; 0 = any free port",
  }),
  HOST: bindAddress("::", {
    group: "gateway",
    description: "bind address of `PORT`; `::` = all, of IPv6 and IPv4",
  }),
  GRAPHQL_TOKEN: tokenList({
    group: "gateway",
    description:
      "token required by `/graphql` and `/explorer`, or several with the names of their users: `name:token,name:token`; if unset, the gateway disables both, and `npm start` serves local callers only",
  }),
  INTERNAL_PORT: internalPort({
    group: "gateway",
    description:
      "separate port for `/graphql`, `/explorer`, `/metrics` and `/ready`, on 127.0.0.1 unless it has an address; 0 = any free port; if unset, they are on `PORT`",
  }),
  COMPATIBILITY: word(["spec", "catapult-rest"], "spec", {
    group: "gateway",
    description:
      "which behaviour applies where the specification and catapult-rest differ (list defaults, status codes, error messages, ...); the same for gateway and indexer; see docs/from-catapult-rest.md",
  }),
  ANNOUNCEMENTS: word(["try", "push"], "try", {
    group: "gateway",
    description:
      "`try` tries announcements on the state of the index: what fails in any case gets the node's code at once, and what the node would not take yet is held; `push` pushes everything that can be valid in some state",
  }),
  RATE_LIMIT: integer(0, 0, 1_000_000, {
    group: "gateway",
    description: "sustained requests per second per client; 0 = `throttling` of `REST_JSON`, or unlimited without it",
  }),
  RATE_LIMIT_BURST: integer(100, 1, 1_000_000, {
    group: "gateway",
    description: "burst size per client when `RATE_LIMIT` is set",
  }),
  TRUSTED_PROXIES: networkList({
    group: "gateway",
    description: "addresses and networks of proxies whose `X-Forwarded-For` header is trusted",
  }),
  TLS_CERTIFICATE_FILE: optionalFilePath("a file", {
    group: "gateway",
    description: "PEM file with the gateway's certificate chain; enables HTTPS on `PORT`",
  }),
  TLS_KEY_FILE: optionalFilePath("a file", {
    group: "gateway",
    description: "PEM file with the private key of the gateway's certificate",
  }),
  REST_JSON: optionalFilePath("a file", {
    group: "gateway",
    description:
      "`rest.json` of a catapult-rest: `nodeMetadata`, `deployment`, `throttling` (unless `RATE_LIMIT` is set), and for a network that is not public `uncirculatingAccountPublicKeys`",
  }),
  EXPLORER: word(["operators", "public"], "operators", {
    group: "gateway",
    description:
      "whether the explorer (`/explorer`) is for clients that may use `/graphql` only, or for all; see docs/explorer.md",
  }),
  MESH_PATH: optionalPath({
    group: "gateway",
    description:
      "path of the Mesh (Rosetta) API, such as `/mesh`, or `/` as in catapult-rest; if unset, it is disabled; see docs/mesh.md",
  }),
  WS_MAX_CONNECTIONS_PER_CLIENT: integer(100, 1, 1_000_000, {
    group: "gateway",
    description:
      "maximum concurrent connections per client (an IPv4 address or an IPv6 /64) to `/ws`, and the same number to each of `/events` and `/graphql`; behind a proxy, see `TRUSTED_PROXIES`",
  }),
  WEBHOOK_PRIVATE_NETWORKS: networkList({
    group: "gateway",
    description: "addresses and networks that are not public, and to which webhooks may be delivered",
  }),

  DATABASE_URL: postgresUrl("embedded", {
    group: "database",
    description: "PostgreSQL to write to and read from; if unset, `npm start` runs an embedded server",
  }),
  DATABASE_READ_URL: postgresUrl("`DATABASE_URL`", {
    group: "database",
    description: "PostgreSQL that the gateway reads from, for example a replica",
  }),
  DATABASE_PASSWORD: secretText({
    group: "database",
    description: "password for both URLs, unless they have one; any characters, not encoded",
  }),
  DATABASE_POOL_SIZE: integer(10, 1, 1_000, {
    group: "database",
    description: "maximum PostgreSQL connections per gateway process",
  }),
  DATA_DIR: filePath(".data", "a folder", {
    group: "database",
    description: "folder for the embedded database and the devnet's chain and certificates",
  }),

  CATAPULT_NODES: hostList("the devnet", {
    group: "node",
    description:
      "`host:port,host:port` of nodes, tried in order; the indexer follows the one with the highest chain score",
  }),
  CATAPULT_ZMQ: zeromqUrl("the devnet's in `dev`, else none", {
    group: "node",
    description:
      "`tcp://host:7902`, the ZeroMQ broker of the first node: reports pending transactions and rejection reasons immediately; if unset, the node's pool is polled, and rejection reasons are unavailable",
  }),
  CATAPULT_TLS_DIR: optionalFilePath("a folder", {
    group: "node",
    default: "~/.local/state/symbol-gateway/tls; `DATA_DIR`/tls for the devnet",
    description:
      "folder of the certificate used for node connections: created on first start, or a node's own certificate folder; see docs/operations.md",
  }),
  CATAPULT_RESOURCES: optionalFilePath("a folder", {
    group: "node",
    default: "the devnet's, or built in",
    description:
      "`resources` folder of a node (`config-network.properties` and others); overrides the built-in configuration of the main and test networks",
  }),
  EVENT_RETENTION_HOURS: integer(24, 1, 8_760, {
    group: "indexer",
    description: "how long events are kept for clients that resume, in hours",
  }),

  INDEXER_METRICS_PORT: internalPort({
    group: "indexer",
    description:
      "port of the indexer's metrics server, on 127.0.0.1 unless it has an address; 0 = any free port; if unset, it is disabled",
  }),

  DEVNET_BLOCK_MS: integer(5_000, 10, 3_600_000, {
    group: "devnet",
    description: "block interval of the development node, in ms",
  }),
  DEVNET_SEED: text("development", "a word", {
    group: "devnet",
    description: "seed of the devnet's account keys and first block",
  }),
  DEVNET_RULES: word(["development", "main-network"], "development", {
    group: "devnet",
    description:
      "rules of the development network; `main-network` = totals, limits and shares of the public main network, and its fork heights in miniature; see docs/devnet.md",
  }),

  LOG_LEVEL: word(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info", {
    group: "log",
    description: "minimum log level",
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

/** All names that may be in the environment. */
function knownNames(): readonly string[] {
  return [...settingNames(), ...secretNames().map((name) => name + FILE)];
}

function isKnown(name: string): boolean {
  return knownNames().includes(name);
}

/** Below this length, names of other programs are near: POST, HOSTS. */
const SHORTEST_NAME = 8;
/** From this length on, a name may have two mistakes. */
const LONG_NAME = 10;

/**
 * What is wrong with a name that looks like a setting and is none: it would be ignored. A first letter is rarely mistyped,
 * and EXTERNAL_PORT is not meant to be INTERNAL_PORT.
 */
function describeMistyped(name: string): readonly string[] {
  const upper = name.toUpperCase();
  const near = knownNames()
    .filter((known) => known.length >= SHORTEST_NAME && known[0] === upper[0])
    .map((known) => ({ known, edits: editsBetween(upper, known) }))
    .filter(({ known, edits }) => edits <= (known.length < LONG_NAME ? 1 : 2))
    .sort((one, other) => one.edits - other.edits);
  return near.slice(0, 1).map(({ known }) => `${name} is not a setting: the nearest one is ${known}.`);
}

function settingNames(): readonly SettingName[] {
  return Object.keys(schema.shape) as SettingName[];
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
  const isVerbatim = ({ secret }: SettingMeta) => secret === "all";
  const verbatim = new Set(
    describeSettings()
      .filter(isVerbatim)
      .map(({ name }) => name),
  );
  const valueIn = (source: Readonly<Record<string, string | undefined>>, name: string): string | undefined => {
    const given = source[name]?.trim();
    const value = verbatim.has(name) ? given : unquoted(given);
    const file = secrets.has(name) ? unquoted(source[name + FILE]?.trim()) : undefined;
    return value || (file && readSecret(name + FILE, file));
  };
  const fromBoth = [...new Set([...Object.keys(environment), ...Object.keys(fromFile)])];
  const mistyped = fromBoth.filter((name) => !isKnown(name)).flatMap((name) => describeMistyped(name));
  const given: Record<string, string> = {};
  try {
    for (const name of settingNames()) {
      const value = overrides[name] ?? (valueIn(environment, name) || valueIn(fromFile, name));
      if (value) given[name] = value;
    }
  } catch (error) {
    if (error instanceof SecretFileError) throw new SettingsError([error.message]);
    throw error;
  }
  const result = schema.safeParse(given);
  const bad = new Set(result.error?.issues.map((issue) => String(issue.path[0])));
  const problems = [...mistyped, ...[...bad].map((name) => describeProblem(name, given[name] ?? ""))];
  if (!result.success || problems.length > 0) throw new SettingsError(problems);
  return {
    settings: withPasswords(result.data),
    given,
    unknownNames: Object.keys(fromFile).filter((name) => !isKnown(name)),
  };
}

/** Files of Docker and systemd may have quotes that are part of the value there. A secret may have any characters. */
function unquoted(value: string | undefined): string | undefined {
  return value?.replace(/^(["'])(.*)\1$/s, "$2");
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
  return withoutPassword(url);
}

function describeProblem(name: string, value: string): string {
  const { form, secret } = describeSettings().find((setting) => setting.name === name)!;
  return `${name} must be ${form}${secret ? "" : `, not ${JSON.stringify(value)}`}.`;
}

function readDotenv(file: string): Record<string, string> {
  try {
    return parseEnv(readText(file)) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new SettingsError([`The settings file ${file} cannot be read: ${describeFileError(error)}.`]);
  }
}
