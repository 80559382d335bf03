import { z } from "zod";
import type { NamedToken } from "../../gateway/access/session.js";
import { TrustedProxies } from "../../gateway/clients/addresses.js";
import { encodePassword } from "./secrets.js";

/** Metadata of a setting. */
export interface SettingMeta {
  /** The valid form, to follow "must be". */
  readonly form: string;
  readonly group: SettingGroup;
  /** For people: a phrase without a full stop. */
  readonly meaning: string;
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

/** An integer from `least` to `most`. */
export function integer(value: number, least: number, most: number, described: Described) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .prefault(String(value))
    .meta(meta({ ...described, form: `a whole number from ${least} to ${most}`, default: String(value) }));
}

/** A port for operators, by itself or with the address that it is bound to; or none. */
export function internalPort(described: Described) {
  return z
    .string()
    .transform((value, context): HostAndPort => {
      const parsed = parseHostAndPort(/^\d+$/.test(value) ? `${LOOPBACK}:${value}` : value, 0);
      if (parsed) return parsed;
      context.addIssue({ code: "custom", message: "not a port" });
      return z.NEVER;
    })
    .optional()
    .meta(meta({ ...described, form: "a port, or an address and a port such as 0.0.0.0:9464", default: "none" }));
}

/** One of several words. */
export function word<const T extends readonly [string, ...string[]]>(words: T, value: T[number], described: Described) {
  return z
    .enum(words)
    .prefault(value as never)
    .meta(meta({ ...described, form: `one of ${words.join(", ")}`, default: value }));
}

/** Any text, with a default. */
export function text(value: string, form: string, described: Described) {
  return z
    .string()
    .prefault(value)
    .meta(meta({ ...described, form, default: value }));
}

/** Any text without spaces, or none. */
export function optionalText(form: string, described: Described & { default?: string }) {
  return z
    .string()
    .regex(/^\S+$/)
    .optional()
    .meta(meta({ default: "none", ...described, form }));
}

/** A PostgreSQL URL, or none. */
export function postgresUrl(defaultText: string, described: Described) {
  const form = "a URL of the form postgres://user:password@host:5432/database";
  return z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .transform(encodePassword)
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
    .refine((value) => value.startsWith("tcp://") && parseHostAndPort(value.slice("tcp://".length)) !== undefined)
    .optional()
    .meta(meta({ ...described, form, default: defaultText }));
}

/** A path of one segment, or the root, or none. */
export function optionalPath(described: Described) {
  return z
    .string()
    .regex(/^\/([a-z][a-z0-9-]*)?$/)
    .optional()
    .meta(meta({ ...described, form: "a path of one segment, such as /mesh, or /", default: "none" }));
}

/** `host:port,host:port` with at least one entry; an IPv6 address is in brackets. */
export function hostList(defaultText: string, described: Described) {
  return z
    .string()
    .transform((value, context): readonly HostAndPort[] => {
      const entries = value.split(",").map((entry) => parseHostAndPort(entry.trim()));
      if (!entries.includes(undefined)) return entries as HostAndPort[];
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
      const entries = value.split(",").map((entry) => entry.trim());
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

function parseHostAndPort(entry: string, leastPort = 1): HostAndPort | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(entry);
  const port = Number(match?.[3]);
  return match && port >= leastPort && port <= 65_535 ? { host: (match[1] ?? match[2])!, port } : undefined;
}

function meta(value: SettingMeta): SettingMeta & Record<string, unknown> {
  return { ...value };
}
