import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import type { DevnetFixture } from "../support/devnet.js";
import { playScenario } from "../support/devnet-scenario.js";
import { startProcess } from "../support/process.js";
import { RestStack } from "../support/rest-stack.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/** What a proxy makes of an answer: another body, or none at all. */
type Change = (path: string, body: string) => string | undefined;

describe("compare", () => {
  let stack: RestStack;
  let reference: Gateway;
  const proxies: Server[] = [];

  beforeAll(async () => {
    stack = await RestStack.start({
      devnet: { rules: { ...SCENARIO_RULES }, zmqPort: 0 },
      hearsBroker: true,
      populate,
    });
    await announcePending(stack, stack.node.devnet.accounts);
    reference = await startTestGateway({
      databaseUrl: stack.index.url,
      nodes: [stack.node.devnet],
      resourcesDirectory: stack.node.devnet.resourcesDirectory,
      compatibility: "catapult-rest",
    });
  }, 120_000);

  afterAll(async () => {
    for (const proxy of proxies) proxy.close().closeAllConnections();
    await reference?.stop();
    await stack?.stop();
  });

  async function compare(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const program = startProcess(["compare", "--gateway", stack.url, "--seed", "7", ...args]);
    const { code } = await program.exited;
    return { code, output: program.output };
  }

  /** A gateway that answers as ours does, but for what `change` makes of it; where it makes nothing, it does not answer. */
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
      const changed = /json/.test(type) ? change(request.url ?? "", body.toString()) : body;
      if (changed === undefined) return void request.socket.destroy();
      response.writeHead(answer.status, { "content-type": type }).end(changed);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxies.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("finds a gateway equal to itself, and compares every operation that it can", async () => {
    const { code, output } = await compare("--with", stack.url);
    expect(output).toMatch(/^\d+ requests: \d+ equal, 0 with documented differences only, 0 different\.$/m);
    expect(output).toMatch(/^Of 81 operations, 71 were compared, 6 by their form only, 4 not:$/m);
    expect(code).toBe(0);
  });

  test("finds nothing but documented differences from a gateway in the other mode", async () => {
    const { code, output } = await compare("--with", `http://127.0.0.1:${reference.port}`);
    process.stderr.write(output);
    expect(output).toMatch(/^\d+ requests: \d+ equal, [1-9]\d* with documented differences only, 0 different\.$/m);
    expect(code).toBe(0);
  });

  test("shows where an answer differs, in a few examples, and ends with code 1", async () => {
    const url = await proxy((path, body) =>
      path.startsWith("/accounts/") ? body.replace(/"importance":"\d+"/, '"importance":"5"') : body,
    );
    const { code, output } = await compare("--with", url, "--sample", "5");
    process.stderr.write(output);
    expect(code).toBe(1);
  });
});

/** Every transaction type, and every kind of state. */
async function populate(node: DevnetFixture): Promise<void> {
  await playScenario(node);
  await writeStateScenario(node.devnet);
  await node.devnet.harvest(2);
  node.devnet.finalize(node.devnet.height - 2);
}

/** A transfer and a bonded aggregate that stay pending. */
async function announcePending(stack: RestStack, [alice, bob]: readonly DevnetAccount[]): Promise<void> {
  const { devnet, client } = stack.node;
  if (!alice || !bob) throw new Error("the devnet has no accounts");
  const make = new TransactionMaker(devnet);
  const mosaicId = devnet.currencyMosaicId;
  const pay = {
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(bob.address),
    mosaics: [{ mosaicId, amount: 1n }],
  };
  const partial = make.aggregate(
    { signer: alice, isBonded: true, embedded: [make.embedded(alice, pay), make.embedded(bob, pay)] },
    { cosignaturesToCome: 1 },
  );
  const mosaic = { mosaicId, amount: devnet.rules.lockedFundsPerAggregate };
  const hash = new Uint8Array(make.hashOf(partial));
  devnet.announce(make.transaction(alice, { type: "hash_lock_transaction_v1", mosaic, duration: 1000n, hash }));
  await stack.harvest();
  const unconfirmed = make.transaction(alice, pay);
  await client.pushPartialTransactions([partial]);
  await client.pushTransactions([unconfirmed]);
  const isKnown = async (group: string, payload: Buffer) =>
    (await fetch(`${stack.url}/transactions/${group}/${make.hashOf(payload).toString("hex")}`)).ok;
  await until(
    async () => (await isKnown("partial", partial)) && (await isKnown("unconfirmed", unconfirmed)),
    "pending",
  );
}
