import { expect, test } from "@jest/globals";
import { quotedIn, tableRows } from "./markdown-tables.js";
import { exists, read } from "./tree.js";

/** The tables whose rows have these columns: rule, source, ours, test, edge. */
const PART = /^## Rules of state, part \d/m;
/** In place of ours and of a test: the rule concerns a node alone. */
const NONE = "–";

const text = read("docs/evidence/consensus.md");
const start = PART.exec(text)?.index ?? text.length;
const rules = tableRows(text.slice(start)).filter(({ cells }) => cells.length === 5);
const files = new Map<string, string>();

/** The text of a file of this project; undefined if there is none. */
function textOf(path: string): string | undefined {
  if (!files.has(path) && exists(path)) files.set(path, read(path));
  return files.get(path);
}

/** Of the names in a cell those that do not exist: missing files, and what the file named before does not contain. */
function wrongIn(names: readonly string[], isPath: (name: string) => boolean): string[] {
  let file: string | undefined;
  return names.filter((name) => {
    if (!isPath(name)) return file?.includes(name) !== true;
    file = textOf(name);
    return file === undefined;
  });
}

test("each rule of the tables of state is listed once, with a source", () => {
  expect(rules.length).toBeGreaterThan(100);
  const names = rules.map(({ heading, cells }) => `${heading}: ${cells[0]}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const withoutSource = rules.filter(({ cells }) => !quotedIn(cells[1]!).some((path) => /\.(cpp|h)$/.test(path)));
  expect(withoutSource).toEqual([]);
});

test("the files and functions that the tables of state name exist", () => {
  const wrong = rules.flatMap(({ heading, cells: [rule, , ours = ""] }) => {
    const names = quotedIn(ours);
    if (names.length === 0) return ours.startsWith(NONE) ? [] : [{ heading, rule, name: ours }];
    return wrongIn(names, (name) => name.includes("/")).map((name) => ({ heading, rule, name }));
  });
  expect(wrong).toEqual([]);
});

test("the tests that the tables of state name exist", () => {
  const wrong = rules.flatMap(({ heading, cells: [rule, , , proof = ""] }) => {
    const names = [...proof.matchAll(/`(test\/[^`]+)`|"([^"]+)"/g)].map(([, path, name]) => path ?? name!);
    if (names.length === 0) return proof.startsWith(NONE) ? [] : [{ heading, rule, name: proof }];
    return wrongIn(names, (name) => name.startsWith("test/")).map((name) => ({ heading, rule, name }));
  });
  expect(wrong).toEqual([]);
});
