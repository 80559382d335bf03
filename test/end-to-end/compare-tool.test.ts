import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { playScenario } from "../support/devnet-scenario.js";
import { RestStack } from "../support/rest-stack.js";
import { writeStateScenario } from "../support/state-scenario.js";

const TOOL = fileURLToPath(new URL("../../../tools/compare.mjs", import.meta.url));

let stack: RestStack;
let proxy: Server;

beforeAll(async () => {
  stack = await RestStack.start({
    devnet: { rules: { ...SCENARIO_RULES }, zmqPort: 0 },
    populate: async (node) => {
      await playScenario(node);
      await writeStateScenario(node.devnet);
      await node.devnet.harvest(2);
      node.devnet.finalize(node.devnet.height - 2);
    },
  });
  // Answers like ours, except for a member of blocks; ids are of its own, as those of another gateway.
  proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url = "" } = request;
    const init = chunks.length > 0 && { body: Buffer.concat(chunks), headers: { "content-type": "application/json" } };
    const answer = await fetch(stack.url + url, { method, ...init });
    const text = (await answer.text()).replaceAll(/"id":"[0-9A-F]{24}"/g, `"id":"${"5".repeat(24)}"`);
    const changed = /^\/blocks\/\d+$/.test(url) ? text.replace(/"feeMultiplier":\d+/, '"feeMultiplier":5') : text;
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(changed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  proxy?.close().closeAllConnections();
  await stack?.stop();
});

function compare(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [TOOL, ...args], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

test("a gateway equals itself in every operation, and what another answers differently is shown", async () => {
  const same = await compare(stack.url, stack.url, "--sample", "4", "--seed", "7");
  expect(same.output).toMatch(/^\d{3} requests equal, 0 different\.$/m);
  expect(same.code).toBe(0);
  expect(same.output.match(/^(GET|POST) \S+: 0 equal/gm)).toBeNull();

  const { port } = proxy.address() as AddressInfo;
  const other = await compare(stack.url, `http://127.0.0.1:${port}`, "--sample", "4", "--seed", "7");
  expect(other.output).toMatch(/^GET \/blocks\/\{height\}: .*feeMultiplier \(4 requests\)$/m);
  expect(other.output).toMatch(/^\d{3} requests equal, 4 different\.$/m);
  expect(other.code).toBe(1);
  expect((await compare(stack.url)).code).toBe(2);
});
