import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { LANGUAGES } from "../../gateway/languages/languages.js";

const ROOT = new URL("../../../", import.meta.url);
const { failures: FAILURES } = LANGUAGES.en;

test("every failure that a node can give has one sentence, and nothing else has", () => {
  const failures = Object.keys(StatusCode).filter((name) => name.startsWith("Failure"));
  expect(Object.keys(FAILURES).sort()).toEqual(failures.sort());
  expect(Object.values(FAILURES).filter((sentence) => !/^[A-Z][^.]+\.$/.test(sentence))).toEqual([]);
  expect(Object.values(LANGUAGES.ja.failures).filter((sentence) => !sentence.endsWith("。"))).toEqual([]);
});

test("docs/failures.md has the sentences of the explorer", () => {
  const lines = readFileSync(new URL("docs/failures.md", ROOT), "utf8").matchAll(/^- `(\w+)`: (.*)$/gm);
  expect([...lines].map(([, code, sentence]) => [code, sentence])).toEqual(Object.entries(FAILURES));
});
