import { expect, test } from "@jest/globals";
import { read, trackedFiles } from "./tree.js";

/** Phrases that are always wrong, with the field's word. */
const WRONG: readonly (readonly [phrase: RegExp, better: string])[] = [
  [/refus(?!ed, timed out)/i, "reject"],
  [/\bhold(s|ing)? [\w ]{1,40} against\b|\bheld against\b/i, "verify, check against"],
  [/(?<!if there are not )\bso many\b/i, "at most N"],
  [/\b(whoever|somebody|everybody)\b/i, "name the actor"],
  [/\bnobody\b(?!`|")/, "name the actor"],
  [/farewell/i, "removal events"],
  [/\breckon/i, "compute"],
  [/\bmends?\b/i, "fix"],
  [/\btells (?!Node's)|\bis told\b|\bare told\b/i, "emit, report, notify"],
  [/\bgo(es)? on\b|\bgone on\b|\bgoing on\b/i, "continue, resume"],
  [/\bin the (asked order|order asked)\b/i, "in the order of the request"],
  [/\bbears? (it |that )?out\b/i, "prove"],
  [/\bstands? (in|for|beside|behind) /i, "be, be stored"],
  [/\b(hears?|heard|told) of\b/i, "receive, report"],
  [/\blook(s|ed)? at\b/i, "poll, check, read"],
  [/\bthat is none\b/i, "invalid"],
  [/\b(nouns?|trials?|verdicts?)\b/i, "entity or struct, dry run, result"],
  [/\b(MOST|LEAST|FEWEST)_[A-Z]/, "MAX_, MIN_"],
];

/** The words of PostgreSQL, Node.js and the field. */
const ALLOWED =
  /ECONNREFUSED|is\|as\|refuses\|ends|that nobody announces|runs as nobody|uid\)\.toBe\(nobody\)|websocket_connections_refused|symbol_gateway_\w*refused\w*|user named nobody|"nobody"|const nobody|if \(nobody|nobody\.uid|return nobody/g;

const ROOMS = ["catapult", "cli", "database", "devnet", "explorer", "gateway", "indexer", "ledger", "mesh", "schema"];
const files = trackedFiles("README.md", "CHANGELOG.md", "docs/*.md", "test", ...ROOMS)
  .filter((name) => /\.(md|ts|js|mjs|html|graphql)$|languages\/en\.json$/.test(name) && !name.startsWith("test/data/"))
  // This file has the phrases themselves.
  .filter((name) => name !== "test/house/wording.test.ts");

test("README, docs, product code and tests use the words of the field", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((name) =>
    read(name)
      .replace(ALLOWED, "")
      .split("\n")
      .flatMap((line, index) =>
        WRONG.filter(([phrase]) => phrase.test(line)).map(
          ([, better]) => `${name}:${index + 1}: ${better}: ${line.trim()}`,
        ),
      ),
  );
  expect(found).toEqual([]);
});
