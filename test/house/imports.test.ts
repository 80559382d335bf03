import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { circlesOf, graphOf, importsOf, productFiles, productFolders, productImports } from "./import-graph.js";
import { exists, read } from "./tree.js";

/** More files than this are hard to survey. */
const MAX_FILES = 31;
/** Grows with each change of the database; what is released stays. */
const GROWING = ["migrations"];
const SOURCE = /\.(ts|js|mjs|css|html)$/;
const MAX_LINES = 400;
/** Written by programs: see docs/changing.md. */
const GENERATED = ["client/openapi.ts", "mesh/standard/schemas.ts"];

const files = productFiles();
/** With the modules and styles of pages. */
const sources = productFiles(SOURCE);
const imports = productImports();

describe("the folders of the product", () => {
  test("do not import each other in circles", () => {
    expect(circlesOf(graphOf(imports, path.posix.dirname))).toEqual([]);
  });

  test("are in rooms that do not import each other in circles", () => {
    expect(circlesOf(graphOf(imports, (file) => file.split("/")[0]!))).toEqual([]);
  });

  test(`have at most ${MAX_FILES} files each`, () => {
    const counts = new Map<string, number>();
    for (const file of sources) counts.set(path.posix.dirname(file), (counts.get(path.posix.dirname(file)) ?? 0) + 1);
    const large = [...counts]
      .filter(([folder, count]) => count > MAX_FILES && !GROWING.includes(folder))
      .map(([folder]) => folder);
    expect(large).toEqual([]);
  });

  test(`have files of at most ${MAX_LINES} lines, unless a program writes them`, () => {
    const lines = (file: string) => read(file).split("\n").length - 1;
    expect(sources.filter((file) => lines(file) > MAX_LINES).sort()).toEqual(GENERATED);
  });

  test("have files whose imports lead to files", () => {
    expect(files.length).toBeGreaterThan(400);
    expect(imports.length).toBeGreaterThan(2 * files.length);
    const all = new Set(files);
    const lost = imports.filter(({ to }) => !all.has(to) && !exists(to));
    expect(lost).toEqual([]);
    // Each folder that is compiled takes part.
    expect([...new Set(files.map((file) => file.split("/")[0]))].sort()).toEqual(productFolders().sort());
  });
});

test("files of the product do not import each other in circles, not even types", () => {
  expect(circlesOf(graphOf(imports, (file) => file))).toEqual([]);
});

test("only the development node and commands load symbol-sdk, which takes 9 MB of the memory of a process", () => {
  const loading = files.filter((file) => /from "symbol-sdk/.test(read(file)));
  expect(loading.map((file) => file.split("/")[0])).toContain("devnet");
  expect(loading.filter((file) => !/^(devnet|cli)\//.test(file))).toEqual([]);
});

describe("the search for circles", () => {
  test("finds each circle once, with all that belong to it and nothing else", () => {
    const arrows = ["a b", "b c", "c a", "c d", "d e", "f g", "g f", "h h", "e i"].map((arrow) => arrow.split(" "));
    const found = graphOf(
      arrows.map(([from, to]) => ({ from: from!, to: to!, isTypeOnly: false })),
      (name) => name,
    );
    expect(circlesOf(found)).toEqual([
      ["a", "b", "c"],
      ["f", "g"],
    ]);
  });

  test("reads every form of import, and none of packages", () => {
    const text = [
      'import { pino } from "pino";',
      'import { one } from "./one.js";',
      'import {\n  two,\n  type Three,\n} from "../two.js";',
      'import type { Four } from "../b/four.js";',
      'export { five } from "./five.js";',
      'export * from "./six.js";',
      'export type { Seven } from "./seven.js";',
      'import "./eight.js";',
      '  const nine = await import("./nine.js");',
      'export const word = "from";',
      'const ten = "./ten.js";',
    ].join("\n");
    const shown = importsOf("a/c/file.ts", text).map(({ to, isTypeOnly }) => `${to}${isTypeOnly ? " type" : ""}`);
    expect(shown).toEqual([
      "a/c/one.ts",
      "a/two.ts",
      "a/b/four.ts type",
      "a/c/five.ts",
      "a/c/six.ts",
      "a/c/seven.ts type",
      "a/c/eight.ts",
      "a/c/nine.ts",
    ]);
  });
});
