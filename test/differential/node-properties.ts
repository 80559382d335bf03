import { readFileSync } from "node:fs";

/** Templates of a node's files, with `{{name}}` for what differs: see the README there. */
const TEMPLATES = new URL("../../../test/data/reference-node/", import.meta.url);

/** Files that all nodes of a network have in common. */
export const NETWORK_FILES = [
  "config-network.properties",
  "config-inflation.properties",
  "config-finalization.properties",
] as const;

/** Files of one node. */
export const NODE_FILES = [
  "config-node.properties",
  "config-user.properties",
  "config-harvesting.properties",
  "config-extensions-server.properties",
  "config-task.properties",
  "config-logging-server.properties",
  "config-messaging.properties",
  "config-networkheight.properties",
] as const;

/** The texts of files, by their names. @throws Error for a value that is missing */
export function fillTemplates(
  names: readonly string[],
  values: Readonly<Record<string, string | number>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, fill(name, values)]));
}

/** The same texts with other values of properties, by their files and names. @throws Error for one that is missing */
export function changeProperties(
  texts: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, Readonly<Record<string, string | number>>>>,
): Readonly<Record<string, string>> {
  const changed = { ...texts };
  for (const [file, values] of Object.entries(changes)) {
    for (const [name, value] of Object.entries(values)) {
      const line = new RegExp(`^${name} = .*$`, "m");
      if (!line.test(changed[file]!)) throw new Error(`${file} has no ${name}`);
      changed[file] = changed[file]!.replace(line, `${name} = ${value}`);
    }
  }
  return changed;
}

function fill(name: string, values: Readonly<Record<string, string | number>>): string {
  const template = readFileSync(new URL(name, TEMPLATES), "utf8");
  return template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`${name} needs a value for ${key}`);
    return String(value);
  });
}
