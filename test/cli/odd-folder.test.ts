import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { startProcess, type TestProcess } from "../support/process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** What shells, URLs, patterns and encodings treat in their own way. */
const NAME = "a b ü'\"#%20[x]$(y)&;";
let dev: TestProcess | undefined;
const folder = temporaryFolder(() => dev?.kill("SIGTERM"));

test("the whole program runs in a folder with any name", async () => {
  const checkout = path.join(folder, NAME);
  mkdirSync(checkout);
  for (const name of ["package.json", "dist"]) {
    const isOfTests = (file: string) => file.startsWith(path.join(ROOT, "dist", "test"));
    cpSync(path.join(ROOT, name), path.join(checkout, name), { recursive: true, filter: (file) => !isOfTests(file) });
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(checkout, "node_modules"));
  const script = path.join(checkout, "dist", "cli", "main.js");
  const env = { PORT: "0", HOST: "127.0.0.1", DEVNET_BLOCK_MS: "200" };
  dev = startProcess(["dev"], { cwd: checkout, script, env });
  const output = await dev.waitFor(/REST(.|\n)*Stop with Ctrl-C\./);
  const [, url = ""] = /REST +(\S+)\//.exec(output) ?? [];
  for (const page of ["/chain/info", "/explorer", "/docs/", "/openapi.json"]) {
    expect([page, (await fetch(`${url}${page}`)).status]).toEqual([page, 200]);
  }
  const transfer = startProcess(["transfer", "--to", "bob", "--amount", "1"], { cwd: checkout, script });
  expect((await transfer.exited).code).toBe(0);
  expect(transfer.output).toContain("Confirmed in block");
  expect(dev.output).not.toMatch(/"level":[56]0/);
});
