import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { describeSettings } from "../../cli/settings.js";
import { startProcess } from "../support/process.js";

const root = new URL("../../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");

const settings = new Set(describeSettings().map(({ name }) => name));
const files = readdirSync(new URL("deploy/", root)).map((name) => `deploy/${name}`);
const units = files.filter((name) => name.endsWith(".service"));

/** Settings of other programs, and of node itself. */
const foreign = new Set(["NODE_ENV", "POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "CAP_NET_BIND_SERVICE"]);

async function commandsOfProgram(): Promise<Set<string>> {
  const program = startProcess(["--help"]);
  await program.exited;
  return new Set([...program.output.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1]!));
}

describe("what is there for running it as a service", () => {
  test("names commands that there are", async () => {
    const known = await commandsOfProgram();
    const named = [
      ...units.map((name) => /ExecStart=.*dist\/cli\/main\.js (\w+)/.exec(read(name))?.[1]),
      ...[...read("deploy/compose.yaml").matchAll(/^ {4}command: (\w+)/gm)].map((match) => match[1]),
      ...[...read("docs/operations.md").matchAll(/symbol-gateway (\w+)/g)].map((match) => match[1]),
      ...[...read("Dockerfile").matchAll(/CMD \["(\w+)"\]/g)].map((match) => match[1]),
    ];
    expect(named.length).toBeGreaterThan(10);
    const program = /^(is|as|refuses|ends)$/;
    expect(named.filter((name) => !name || (!known.has(name) && !program.test(name)))).toEqual([]);
  });

  test.each([...files, "Dockerfile", "docs/operations.md"])("%s names settings that there are", (name) => {
    const named = read(name).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
    expect(named.filter((setting) => !settings.has(setting) && !foreign.has(setting))).toEqual([]);
  });

  test("links files that there are", () => {
    for (const [, target] of read("docs/operations.md").matchAll(/\]\(([^)#]+)\)/g)) {
      expect({ target, isThere: existsSync(new URL(target!, new URL("docs/", root))) }).toEqual({
        target,
        isThere: true,
      });
    }
  });
});
