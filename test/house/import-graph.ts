import { readdirSync } from "node:fs";
import path from "node:path";
import { ROOT, read } from "./tree.js";

/** Which names (files or folders) import which. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** An import of one source file by another, as paths from the project's root. */
export interface SourceImport {
  readonly from: string;
  readonly to: string;
  /** It is there for the compiler alone. */
  readonly isTypeOnly: boolean;
}

/** The folders with the product's sources: all that are compiled, but the tests. */
export function productFolders(): string[] {
  const { include } = JSON.parse(read("tsconfig.json")) as { include: string[] };
  return include.filter((folder) => folder !== "test");
}

/** Paths of the product's files of some kind from the project's root; TypeScript by default. */
export function productFiles(kind = /\.ts$/): string[] {
  return productFolders().flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
      // The client's package is compiled into its own folder.
      .filter((name) => kind.test(name) && !name.startsWith("dist"))
      .map((name) => `${folder}/${name.split(path.sep).join("/")}`),
  );
}

/** Static imports and exports from another file, imports without names, and dynamic imports. */
const IMPORT =
  /^(?:import|export)\s+(?<type>type\s)?[^;"'`]*?from\s+"(?<from>\.[^"]+)"|^import\s+"(?<bare>\.[^"]+)"|\bimport\(\s*"(?<dynamic>\.[^"]+)"\s*\)/gm;

/** All imports of a source file that lead to other files of the project. */
export function importsOf(file: string, text: string): SourceImport[] {
  return [...text.matchAll(IMPORT)].map(({ groups = {} }) => {
    const target = groups.from ?? groups.bare ?? groups.dynamic ?? "";
    const to = path.posix.join(path.posix.dirname(file), target).replace(/\.js$/, ".ts");
    return { from: file, to, isTypeOnly: groups.type !== undefined };
  });
}

/** All imports between the product's files. */
export function productImports(): SourceImport[] {
  return productFiles().flatMap((file) => importsOf(file, read(file)));
}

/** The graph of imports by a name for each file, such as its folder; imports within one name are left out. */
export function graphOf(imports: readonly SourceImport[], nameOf: (file: string) => string): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [nameOf(from), nameOf(to)];
    const targets = graph.get(source) ?? new Set();
    if (source !== target) targets.add(target);
    graph.set(source, targets);
  }
  return graph;
}

/** Names that reach each other, each group sorted, the groups sorted: the strongly connected components of two and more. */
export function circlesOf(graph: ImportGraph): string[][] {
  const reached = new Map([...graph.keys()].map((name) => [name, reachableFrom(graph, name)]));
  const grouped = new Set<string>();
  const circles: string[][] = [];
  for (const [name, others] of reached) {
    if (grouped.has(name) || !others.has(name)) continue;
    const circle = [...others].filter((other) => reached.get(other)?.has(name)).sort();
    for (const member of circle) grouped.add(member);
    circles.push(circle);
  }
  return circles.sort();
}

/** What can be reached from a name by one import or more. */
function reachableFrom(graph: ImportGraph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(graph.get(name) ?? []));
  }
  return reached;
}
