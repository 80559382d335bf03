import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { quotedIn, tableRows } from "../house/markdown-tables.js";

const ROOT = new URL("../../../", import.meta.url);
const { FAILURES, sentenceOfFailure } = (await import(
  new URL("explorer/dashboard/explorer/failures.js", ROOT).href
)) as { FAILURES: Record<string, string>; sentenceOfFailure(code: string): string | undefined };

test("every failure that a node can give has one sentence, and nothing else has", () => {
  const failures = Object.keys(StatusCode).filter((name) => name.startsWith("Failure"));
  expect(Object.keys(FAILURES).sort()).toEqual(failures.sort());
  expect(Object.values(FAILURES).filter((sentence) => !/^[A-Z][^.]+\.$/.test(sentence))).toEqual([]);
});

test("docs/failures.md has the sentences of the explorer", () => {
  const rows = tableRows(readFileSync(new URL("docs/failures.md", ROOT), "utf8"));
  expect(rows.map(({ cells: [code = "", sentence] }) => [...quotedIn(code), sentence])).toEqual(
    Object.entries(FAILURES),
  );
});

test("a code of a newer node, or a name that all objects have, has no sentence", () => {
  expect(sentenceOfFailure("Failure_Core_Past_Deadline")).toBe("The deadline has passed.");
  expect(["Failure_Core_New", "constructor"].map(sentenceOfFailure)).toEqual([undefined, undefined]);
});
