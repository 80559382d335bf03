import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startProcess } from "../support/process.js";
import { RestStack } from "../support/rest-stack.js";
import { pause } from "../support/until.js";

const ROOT = new URL("../../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/first-transaction.md", ROOT), "utf8");
const BLOCK_MS = 400;

let stack: RestStack;
let folder: string;

beforeAll(async () => {
  stack = await RestStack.start();
  folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-tutorial-"));
  symlinkSync(fileURLToPath(new URL("node_modules", ROOT)), path.join(folder, "node_modules"));
});

afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true });
});

test("the code of docs/first-transaction.md runs as it is", async () => {
  const code = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  expect(code.length).toBeGreaterThan(4);
  const script = path.join(folder, "first.mjs");
  writeFileSync(script, code.join("\n"));
  const { devnet } = stack.node;
  const [alice, bob] = devnet.accounts;
  const env = {
    GATEWAY: stack.url,
    ALICE: alice!.privateKey.toString("hex"),
    BOB: bob!.privateKey.toString("hex"),
  };
  const program = startProcess([], { script, cwd: folder, env, isUnsupervised: true });
  let isRunning = true;
  const ended = program.exited.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await Promise.race([ended, pause(BLOCK_MS)]);
    if (isRunning) await stack.harvest();
  }
  expect({ exit: await ended, output: program.output }).toEqual({
    exit: { code: 0, signal: null },
    output: expect.stringMatching(/^The transfer is in block \d+\.\nBob has \d+(\.\d+)? units\.\n$/),
  });
});
