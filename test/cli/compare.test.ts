import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import { playScenario } from "../support/devnet-scenario.js";
import { startProcess } from "../support/process.js";
import { RestStack } from "../support/rest-stack.js";

/** What a proxy makes of an answer. */
type Change = (path: string, body: string) => string;

describe("compare", () => {
  let stack: RestStack;
  const proxies: Server[] = [];

  beforeAll(async () => {
    stack = await RestStack.start({
      devnet: { rules: { ...SCENARIO_RULES }, zmqPort: 0 },
      populate: async (node) => {
        await playScenario(node);
        await node.devnet.harvest(2);
        node.devnet.finalize(node.devnet.height - 2);
      },
    });
  }, 120_000);

  afterAll(async () => {
    for (const proxy of proxies) proxy.close().closeAllConnections();
    await stack?.stop();
  });

  async function compare(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const program = startProcess(["compare", "--gateway", stack.url, "--seed", "7", ...args]);
    const { code } = await program.exited;
    return { code, output: program.output };
  }

  /** A gateway that answers as ours does, but for what `change` makes of it. */
  async function proxy(change: Change): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(stack.url + request.url, {
        method: request.method ?? "GET",
        headers: { "content-type": "application/json" },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get("content-type") ?? "";
      response.writeHead(answer.status, { "content-type": type });
      response.end(/json/.test(type) ? change(request.url ?? "", body.toString()) : body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxies.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("finds a gateway equal to itself, and compares every operation that it can", async () => {
    const { code, output } = await compare("--with", stack.url);
    process.stderr.write(output);
    expect(output).toMatch(/^\d+ requests: \d+ equal, 0 with documented differences only, 0 different\.$/m);
    expect(output).not.toContain("nothing but errors");
    expect(code).toBe(0);
  });
});
