import { parse, YAMLSeq } from "yaml";

/** A service of a compose file, as far as tests read it. */
export interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly working_dir?: string;
  readonly read_only?: boolean;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] };
}

export interface Composition {
  readonly services: Readonly<Record<string, Service>>;
}

/** A list that replaces that of the file before it. */
class Override extends YAMLSeq {
  override toJSON(_: unknown, context?: never): never {
    return { replaces: super.toJSON(_, context) } as never;
  }
}

/** The content of a compose file, with its variables replaced. @param variables without one, `:?` is an error */
export function readCompose(text: string, variables: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  const replaced = text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string, other: string) => {
      if (variables[name] === undefined && kind !== "-") throw new Error(`${name} is not set`);
      return variables[name] ?? other;
    },
  );
  const customTags = [{ tag: "!override", collection: "seq" as const, nodeClass: Override }];
  return parse(replaced, { merge: true, customTags }) as Record<string, unknown>;
}

/** Lists of settings that are rather maps: `NAME=value`, `source:target`. */
const KEYS: Readonly<Record<string, (entry: string) => string>> = {
  environment: (entry) => entry.split("=", 1)[0]!,
  volumes: (entry) => entry.split(":")[1]!,
};

/** Merges compose files as compose does (https://docs.docker.com/reference/compose-file/merge/). */
export function mergeCompose(base: unknown, override: unknown, key = ""): unknown {
  if (isMap(override) && Array.isArray(override.replaces)) return override.replaces;
  if (override === undefined) return key === "environment" ? asMap(base) : base;
  if (base === undefined) return key === "environment" ? asMap(override) : override;
  if (key === "environment") return { ...asMap(base), ...asMap(override) };
  if (Array.isArray(base) && Array.isArray(override)) {
    if (key === "command" || key === "test") return override;
    const keyOf = KEYS[key] ?? ((entry: string) => entry);
    return [...new Map([...base, ...override].map((entry) => [keyOf(String(entry)), entry])).values()];
  }
  if (!isMap(base) || !isMap(override)) return override;
  const names = [...new Set([...Object.keys(base), ...Object.keys(override)])];
  return Object.fromEntries(names.map((name) => [name, mergeCompose(base[name], override[name], name)]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asMap(value: unknown): Record<string, unknown> {
  if (!Array.isArray(value)) return isMap(value) ? value : {};
  return Object.fromEntries(
    value.map((entry) => [KEYS.environment!(String(entry)), String(entry).replace(/^[^=]*=/, "")]),
  );
}
