import { expect, test } from "@jest/globals";
import { quotedIn, tableRows } from "./markdown-tables.js";
import { read } from "./tree.js";

/** The rows of the table of limits: its text, and the constants that it names, with their files. */
const rows = tableRows(read("docs/evidence/limits.md"))
  .filter(({ heading }) => heading === "Limits of what is read")
  .map(({ cells }) => {
    const constants: { readonly file: string; readonly name: string }[] = [];
    let file = "";
    for (const name of quotedIn(cells.at(-1) ?? "")) {
      if (name.includes("/")) file = name;
      else constants.push({ file, name });
    }
    return { text: cells.slice(0, -1).join(" | "), constants };
  });

/** The value of a constant that is defined as a product of integers. */
function definedValue(file: string, name: string): number {
  const [, product] = read(file).match(new RegExp(`\\b${name}(?: =|:) ([\\d_* ]+)[;,]`)) ?? [];
  if (product === undefined) throw new Error(`${file} does not define ${name} as a product of integers`);
  return product.split("*").reduce((value, factor) => value * Number(factor.replaceAll("_", "")), 1);
}

function asText(name: string, value: number): string {
  if (/ms$/i.test(name)) return `${value / 1_000} s`;
  if (/BYTES|(SMALL|LIST|POOL)_ANSWER|SIZE/.test(name))
    return value < 1_048_576 ? `${value / 1_024} KiB` : `${value / 1_048_576} MiB`;
  return value.toLocaleString("en");
}

test("the table of limits has the numbers of the source", () => {
  expect(rows.length).toBeGreaterThan(10);
  const missing = rows.flatMap(({ text, constants }) =>
    constants
      .map(({ file, name }) => ({ name, number: asText(name, definedValue(file, name)) }))
      .filter(({ number }) => !new RegExp(`(^|[^\\d,])${number}($|[^\\d])`).test(text))
      .map((constant) => ({ ...constant, text })),
  );
  expect(missing).toEqual([]);
  expect(rows.filter(({ constants }) => constants.length === 0)).toEqual([]);
});
