import { homedir } from "node:os";
import { z } from "zod";
import type { NamedToken } from "../../gateway/access/session.js";
import { TrustedProxies } from "../../gateway/clients/addresses.js";
import { encodePassword, withoutHost } from "./secrets.js";

/** Metadata of a setting. */
export interface SettingMeta {
  /** The valid form, to follow "must be". */
  readonly form: string;
  readonly group: SettingGroup;
  /** For people: a phrase without a full stop. */
  readonly description: string;
  /** The default as it is written in the environment, or a description. */
  readonly default: string;
  /** Never shown: the whole value, or the password in a URL. */
  readonly secret?: "all" | "password";
}

export type SettingGroup = "gateway" | "database" | "node" | "indexer" | "devnet" | "log";

/** What is for operators is not reachable from other machines, unless it is said. */
const LOOPBACK = "127.0.0.1";

type Described = Omit<SettingMeta, "default" | "form">;

/** A host and a TCP port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** An integer from `min` to `max`. */
export function integer(value: number, min: number, max: number, described: Described) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .prefault(String(value))
    .meta(meta({ ...described, form: `a whole number from ${min} to ${max}`, default: String(value) }));
}

/** A port for operators, by itself or with the address that it is bound to; or none. */
export function internalPort(described: Described) {
  return z
    .string()
    .transform((value, context): HostAndPort => {
      // `:9464` is what others write for all addresses.
      const whole = /^\d+$/.test(value) ? `${LOOPBACK}:${value}` : value.replace(/^:/, "[::]:");
      const parsed = parseHostAndPort(whole, 0);
      if (parsed) return parsed;
      context.addIssue({ code: "custom", message: "not a port" });
      return z.NEVER;
    })
    .optional()
    .meta(meta({ ...described, form: "a port, or an address and a port such as 0.0.0.0:9464", default: "none" }));
}

/** One of several words, in upper or lower case. */
export function word<const T extends readonly [string, ...string[]]>(words: T, value: T[number], described: Described) {
  return z
    .string()
    .toLowerCase()
    .pipe(z.enum(words))
    .prefault(value)
    .meta(meta({ ...described, form: `one of ${words.join(", ")}`, default: value }));
}

/** Any text, with a default. */
export function text(value: string, form: string, described: Described) {
  return z
    .string()
    .prefault(value)
    .meta(meta({ ...described, form, default: value }));
}

/** An address of this machine, with a default; an IPv6 address may be in brackets. */
export function bindAddress(value: string, described: Described) {
  return z
    .string()
    .transform((host) => host.replace(/^\[(.*)\]$/, "$1"))
    .prefault(value)
    .meta(meta({ ...described, form: "an address of this machine", default: value }));
}

/** A file or a folder, with a default. `~/` is the user's own folder, as in a shell: a file of settings has none. */
export function filePath(value: string, form: string, described: Described) {
  return z
    .string()
    .transform(inHome)
    .prefault(value)
    .meta(meta({ ...described, form, default: value }));
}

/** A file or a folder, or none. */
export function optionalFilePath(form: string, described: Described & { default?: string }) {
  return z
    .string()
    .transform(inHome)
    .optional()
    .meta(meta({ default: "none", ...described, form }));
}

function inHome(file: string): string {
  return file.replace(/^~(?=\/|$)/, () => homedir());
}

/** A PostgreSQL URL, or none. */
export function postgresUrl(defaultText: string, described: Described) {
  const form = "a URL of the form postgres://user:password@host:5432/database";
  return z
    .string()
    .regex(/^postgres(ql)?:\/\//i)
    .transform((url) => withoutHost(encodePassword(url.replace(/^\w+/, (scheme) => scheme.toLowerCase()))))
    .pipe(z.url({ protocol: /^postgres(ql)?$/ }))
    .optional()
    .meta(meta({ ...described, form, default: defaultText, secret: "password" }));
}

/** A secret of any characters, or none. */
export function secretText(described: Described) {
  return z
    .string()
    .optional()
    .meta(meta({ ...described, form: "a text", default: "none", secret: "all" }));
}

/** The name of a token that was given without one. */
const ONLY_TOKEN = "default";
const NAMED_TOKEN = /^([a-z][a-z0-9-]{0,31}):(\S+)$/;

/** One token, or several with names, separated by commas or line breaks; or none. */
export function tokenList(described: Described) {
  const form = "a word without spaces and commas, or several as name:word, separated by commas or line breaks";
  return z
    .string()
    .transform((value, context): readonly NamedToken[] => {
      const entries = value.split(/\s*[,\n]\s*/).filter((entry) => entry !== "");
      const tokens = entries.map((entry) => {
        const [, name = ONLY_TOKEN, token = entry] = NAMED_TOKEN.exec(entry) ?? [];
        return { name, token };
      });
      const isValid = tokens.every(({ token }) => /^\S+$/.test(token));
      if (isValid && new Set(tokens.map(({ name }) => name)).size === tokens.length) return tokens;
      context.addIssue({ code: "custom", message: "not a list of tokens, each with a name of its own" });
      return z.NEVER;
    })
    .optional()
    .meta(meta({ ...described, form, default: "none", secret: "all" }));
}

/** URL of a ZeroMQ publisher, or none. */
export function zeromqUrl(defaultText: string, described: Described) {
  const form = "a URL of the form tcp://host:7902";
  return z
    .string()
    .transform((value, context): string => {
      const parsed = parseHostAndPort(value.replace(/^tcp:\/\//i, "").replace(/\/$/, ""));
      if (parsed) return `tcp://${parsed.host.includes(":") ? `[${parsed.host}]` : parsed.host}:${parsed.port}`;
      context.addIssue({ code: "custom", message: "not a URL of a broker" });
      return z.NEVER;
    })
    .optional()
    .meta(meta({ ...described, form, default: defaultText }));
}

/** A path of one segment, or the root, or none; with or without the slashes around it. */
export function optionalPath(described: Described) {
  return z
    .string()
    .transform((value) => `/${value.replace(/^\/|\/$/g, "")}`)
    .pipe(z.string().regex(/^\/([\w~-][\w.~-]*)?$/))
    .optional()
    .meta(meta({ ...described, form: "a path of one segment, such as /mesh, or /", default: "none" }));
}

/** `host:port,host:port` with at least one entry; an IPv6 address is in brackets. */
export function hostList(defaultText: string, described: Described) {
  return z
    .string()
    .transform((value, context): readonly HostAndPort[] => {
      const entries = splitEntries(value).map((entry) => parseHostAndPort(entry.replace(/\/$/, "")));
      const valid = entries.filter((entry) => entry !== undefined);
      if (valid.length > 0 && valid.length === entries.length) return valid;
      context.addIssue({ code: "custom", message: "not a list of host:port" });
      return z.NEVER;
    })
    .optional()
    .meta(meta({ ...described, form: "host:port, or several separated by commas", default: defaultText }));
}

/** IP addresses and networks separated by commas; none by default. */
export function networkList(described: Described) {
  return z
    .string()
    .transform((value, context): readonly string[] => {
      const entries = splitEntries(value);
      try {
        new TrustedProxies(entries);
        return entries;
      } catch {
        context.addIssue({ code: "custom", message: "not a list of networks" });
        return z.NEVER;
      }
    })
    .optional()
    .meta(
      meta({
        ...described,
        form: "an IP address or a network such as 10.0.0.0/8, or several separated by commas",
        default: "none",
      }),
    );
}

/** The entries of a list, separated by commas or white space. */
function splitEntries(value: string): string[] {
  return value.split(/[\s,]+/).filter((entry) => entry !== "");
}

/** An IPv6 address may name its interface: `[fe80::1%eth0]:7900`. */
function parseHostAndPort(entry: string, minPort = 1): HostAndPort | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.~-]+)?)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(entry);
  const port = Number(match?.[3]);
  return match && port >= minPort && port <= 65_535 ? { host: (match[1] ?? match[2])!, port } : undefined;
}

function meta(value: SettingMeta): SettingMeta & Record<string, unknown> {
  return { ...value };
}
