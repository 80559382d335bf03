import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const ROOT = new URL("../../../", import.meta.url);

/** What makes tests fail by chance, because of other tests beside them or a busy machine, and what to write instead. */
interface Rule {
  readonly instead: string;
  readonly pattern: RegExp;
  /** Lines of the kind. */
  readonly wrong: readonly string[];
  /** Where the pattern is right. */
  readonly allowed: RegExp;
}

const RULES: Readonly<Record<string, Rule>> = {
  "locks and connections of the whole server": {
    instead: "OWN_LOCKS or OWN_CONNECTIONS of test/support/own-catalogues.ts",
    pattern: /\bpg_(locks|stat_activity|stat_database|stat_replication|prepared_xacts|replication_slots)\b/i,
    wrong: ["select 1 from pg_locks where not granted", "SELECT pid FROM pg_stat_activity"],
    allowed: /^test\/(bench|attack)\/|^test\/support\/own-catalogues\.ts$/,
  },
};

const files = execFileSync("git", ["ls-files", "test"], { cwd: fileURLToPath(ROOT), encoding: "utf8" })
  .split("\n")
  .filter((name) => name.endsWith(".ts") && name !== "test/house/chance.test.ts");

test.each(Object.entries(RULES))("no test has %s", (_, { instead, pattern, wrong, allowed }) => {
  expect(wrong.filter((line) => !pattern.test(line))).toEqual([]);
  const found = files
    .filter((name) => !allowed.test(name))
    .flatMap((name) =>
      readFileSync(new URL(name, ROOT), "utf8")
        .split("\n")
        .flatMap((line, index) => (pattern.test(line) ? `${name}:${index + 1}: ${instead}: ${line.trim()}` : [])),
    );
  expect(found).toEqual([]);
});
