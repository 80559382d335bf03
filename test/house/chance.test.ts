import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const ROOT = new URL("../../../", import.meta.url);

/** What makes tests fail by chance, because of other tests beside them or a busy machine, and what to write instead. */
interface Rule {
  readonly instead: string;
  readonly pattern: RegExp;
  /** What it finds. */
  readonly wrong: readonly string[];
  /** Where the pattern is right. */
  readonly allowed: RegExp;
}

const RULES: Readonly<Record<string, Rule>> = {
  "locks and connections of the whole server": {
    instead: "OWN_LOCKS or OWN_CONNECTIONS of test/support/own-catalogues.ts",
    pattern: /\bpg_(locks|stat_activity|stat_database|stat_replication|prepared_xacts|replication_slots)\b/gi,
    wrong: ["select 1 from pg_locks where not granted", "SELECT pid FROM pg_stat_activity"],
    allowed: /^test\/(bench|attack)\/|^test\/support\/own-catalogues\.ts$/,
  },
  "a wait for a number of milliseconds, after which something is expected": {
    instead: "until or isWithin of test/support/until.ts; pause between two requests, anyMoment for a drawn moment",
    pattern: /timers\/promises|new Promise\b.*\bsetTimeout\(|await (pause|anyMoment|afterOwnTime)\(.*\);\s+expect\(/g,
    wrong: [
      'import { setTimeout as sleep } from "node:timers/promises";',
      "await new Promise((resolve) => setTimeout(resolve, 50));",
      "await pause(50);\n    expect(calls).toBe(1);",
    ],
    // The programs of the last one are texts.
    allowed: /^test\/(bench|attack)\/|^test\/support\/until\.ts$|^test\/cli\/shutdown\.test\.ts$/,
  },
};

const files = execFileSync("git", ["ls-files", "test"], { cwd: fileURLToPath(ROOT), encoding: "utf8" })
  .split("\n")
  .filter((name) => name.endsWith(".ts") && name !== "test/house/chance.test.ts");

test.each(Object.entries(RULES))("no test has %s", (_, { instead, pattern, wrong, allowed }) => {
  expect(wrong.filter((text) => text.search(pattern) < 0)).toEqual([]);
  const found = files
    .filter((name) => !allowed.test(name))
    .flatMap((name) => {
      const text = readFileSync(new URL(name, ROOT), "utf8");
      const lineOf = ({ index }: RegExpExecArray) => text.slice(0, index).split("\n").length;
      return [...text.matchAll(pattern)].map((match) => `${name}:${lineOf(match)}: ${match[0]}: write ${instead}`);
    });
  expect(found).toEqual([]);
});
