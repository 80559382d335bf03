import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { startProcess, type TestProcess } from "../support/process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** What shells, URLs, patterns and encodings treat in their own way. */
const NAME = "a b ü'\"#%20[x]$(y)&;";
const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-odd-"));
let dev: TestProcess | undefined;

afterAll(async () => {
  await dev?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

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
