import { writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { startProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const script = path.join(temporaryFolder(), "log.mjs");

beforeAll(() => {
  const logModule = new URL("../../cli/parts/log.js", import.meta.url).href;
  writeFileSync(
    script,
    `import { createLog } from ${JSON.stringify(logModule)};
     process.stdout.isTTY = process.argv[2] === "terminal";
     const log = createLog("part", { LOG_LEVEL: "info" });
     log.debug("not shown");
     log.info({ password: "geheim", node: { privateKey: "geheim", port: 7900 } }, "a fixed sentence");
     log.error({ err: new Error("cannot reach postgres://me:geheim@host:5432/db") }, "failed");
     log.warn({ url: "postgresql://me:geheim@host/db" }, "warned");`,
  );
});

test("a log outside of a terminal is lines of JSON, without secrets", async () => {
  const program = startProcess([], { script });
  expect(await program.exited).toEqual({ code: 0, signal: null });
  const lines = program.output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ msg }) => msg)).toEqual(["a fixed sentence", "failed", "warned"]);
  expect(lines[0]).toMatchObject({ name: "part", password: "***", node: { privateKey: "***", port: 7900 } });
  expect(lines[2]).toMatchObject({ url: "postgresql://me:***@host/db" });
  expect(program.output).not.toContain("geheim");
});

test("a log in a terminal is text, without secrets either", async () => {
  const program = startProcess(["terminal"], { script });
  await program.exited;
  expect(stripVTControlCharacters(program.output)).toMatch(/INFO \(part\): a fixed sentence/);
  expect(program.output).toContain("postgres://me:***@host:5432/db");
  expect(program.output).not.toContain("geheim");
});
