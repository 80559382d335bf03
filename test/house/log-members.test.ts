import { expect, test } from "@jest/globals";
import { productFiles } from "./import-graph.js";
import { read } from "./tree.js";

/** Of every line: a member of the same name would be in the line twice, and programs read one of them. */
const OF_EVERY_LINE = "level|time|pid|hostname|name|msg";
/** The object of a call such as `log.info({ … }, "…")`, and each of its members of these names. */
const CALL = /\blog(?:ger)?(?:\.\w+|\[[^\]]*\])\(\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g;
const MEMBER = new RegExp(`(?:^|,)\\s*(${OF_EVERY_LINE})\\s*(?=[:,]|$)`, "g");

test("no line of a log has a member twice", () => {
  let calls = 0;
  const twice = productFiles().flatMap((file) =>
    [...read(file).matchAll(CALL)].flatMap(([call, members = ""]) => {
      calls += 1;
      return [...members.trim().matchAll(MEMBER)].map(([, name]) => `${file}: ${name} in ${call.slice(0, 60)}`);
    }),
  );
  expect(calls).toBeGreaterThan(60);
  expect(twice).toEqual([]);
});
