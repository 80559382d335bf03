import { expect, test } from "@jest/globals";
import { quotedIn, tableRows } from "./markdown-tables.js";
import { exists, read } from "./tree.js";

const mapped = tableRows(read("docs/evidence/spec.md"));

test("docs/evidence/spec.md names files of the product and test files that exist, in each row", () => {
  expect(mapped.length).toBeGreaterThan(40);
  for (const { heading, cells } of mapped) {
    const [name, , implementing = "", proving = ""] = cells;
    const [implementations, proofs] = [quotedIn(implementing), quotedIn(proving)];
    expect({ heading, name, parts: Math.min(implementations.length, proofs.length) }).not.toMatchObject({ parts: 0 });
    const wrong = [
      ...[...implementations, ...proofs].filter((path) => !exists(path)),
      ...implementations.filter((path) => path.startsWith("test/")),
      ...proofs.filter((path) => !/^test\/.+\.test\.ts$/.test(path)),
    ];
    expect({ heading, name, wrong }).toEqual({ heading, name, wrong: [] });
  }
});
