import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { GatewayClient } from "../../cli/compare/client.js";
import { edgeRequests } from "../../cli/compare/edges.js";
import type { Json } from "../../cli/compare/json.js";
import { compareAnswers } from "../../cli/compare/judge.js";
import { pathFor } from "../../cli/compare/requests.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DIFFERENCES } from "../../gateway/compatibility/compatibility.js";
import type { Gateway } from "../../gateway/server.js";
import { SCENARIO_RULES } from "../devnet/scenario-stages.js";
import type { DevnetFixture } from "../support/devnet.js";
import { playScenario } from "../support/devnet-scenario.js";
import { startProcess } from "../support/process.js";
import { referenceAnswers } from "../support/recorded-chain.js";
import { RestStack } from "../support/rest-stack.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/** A proxy's change of an answer: another body, or no answer at all. */
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

  /** A gateway that answers like ours, except for changes by `change`; without a result, it does not answer. */
  async function proxy(change: Change, pathOf = (path: string) => path): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(stack.url + pathOf(request.url ?? ""), {
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

  test("finds a gateway equal to itself while blocks arrive, and compares every operation that it can", async () => {
    let isDone = false;
    const harvesting = (async () => {
      while (!isDone) {
        await stack.harvest();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    const { code, output } = await compare("--with", stack.url, "--sample", "5").finally(() => {
      isDone = true;
    });
    await harvesting;
    expect(output).toMatch(/^\d+ requests: \d+ equal, 0 with documented differences only, 0 different\.$/m);
    expect(output).toMatch(/^Of 81 operations, \d+ were compared, 6 by their form only, \d+ not:$/m);
    expect(code).toBe(0);
  });

  test("finds only documented differences from a gateway in the other mode, in every operation", async () => {
    await announcePending(stack, stack.node.devnet.accounts);
    const { code, output } = await compare("--with", `http://127.0.0.1:${reference.port}`, "--sample", "10");
    expect(output).toMatch(/^\d+ requests: \d+ equal, [1-9]\d* with documented differences only, 0 different\.$/m);
    expect(output).toMatch(/^Of 81 operations, 71 were compared, 6 by their form only, 4 not:$/m);
    for (const { subject } of DIFFERENCES.filter(({ id }) => !NOT_SHOWN.has(id))) expect(output).toContain(subject);
    expect(code).toBe(0);
  });

  test("ignores ids and order, shows real differences, and exits with code 1", async () => {
    const olderPages = new Set(["/blocks?pageSize=20"]); // the first answer is of an earlier head
    const url = await proxy((path, body) => {
      if (path === "/network/properties") return undefined;
      const answer = JSON.parse(body);
      if (olderPages.delete(path)) answer.data.shift();
      const changed = JSON.stringify(likeReference(path, answer));
      return path.startsWith("/blocks/") ? changed.replace(/"feeMultiplier":\d+/, '"feeMultiplier":5') : changed;
    }, withOwnIds);
    const { code, output } = await compare("--with", url, "--sample", "5");
    expect(output).toContain("catapult-rest does not count entries");
    // Requests are sent four at a time: the first that ends is the first example.
    const example = / {4}GET \/blocks\/\d+\n {6}block\.feeMultiplier\n {8}ours {3}\d+\n {8}theirs 5\n/;
    const title = / {2}GET \/blocks\/\{height\}: block\.feeMultiplier \(5 requests\)\n/;
    expect(output).toMatch(new RegExp(`^${title.source}${example.source}`, "m"));
    expect(output.match(/^ {4}GET \/blocks\/\d+$/gm)).toHaveLength(3);
    expect(output).toMatch(/GET \/network\/properties: theirs did not respond \(1 request\)\n/);
    expect(output).toMatch(/^\d+ requests: \d+ equal, 1 with documented differences only, 5 different, 1 open\.$/m);
    expect(code).toBe(1);
  });

  test("exits with code 1 if a gateway stops answering, and names it", async () => {
    let left = 100;
    const url = await proxy((_, body) => (left-- > 0 ? body : undefined));
    const { code, output } = await compare("--with", url);
    expect(output).toMatch(new RegExp(`^${url} does not respond: .+\\.$`, "m"));
    expect(code).toBe(1);
  });

  /** The parts of requests that decide whether there is an error. */
  const essence = (method: string, path: string, body: unknown) =>
    `${method} ${path.replaceAll(/(?<=[?&])(order=asc|pageSize=20)(&|$)/g, "").replace(/[?&]$/, "")} ${JSON.stringify(body)}`;
  describe("with recorded answers", () => {
    const recorded = referenceAnswers();

    test.each([
      ["the specification's", () => stack.url],
      ["catapult-rest's", () => `http://127.0.0.1:${reference.port}`],
    ])("finds only documented differences from errors recorded from catapult-rest in %s mode", async (_, url) => {
      const byEssence = new Map(recorded.map((one) => [essence(one.method, one.path, one.request), one]));
      const ours = new GatewayClient(url());
      let compared = 0;
      for (const request of edgeRequests()) {
        const path = pathFor(request, "ours");
        const method = request.body === undefined ? "GET" : "POST";
        const one = byEssence.get(essence(method, path, request.body));
        if (one?.body === undefined) continue;
        const answer = await ours.send({ path, body: request.body });
        const theirs = { status: one.status, mediaType: answer.mediaType, body: one.body as Json };
        const differences = compareAnswers(request, answer, theirs).filter(({ known }) => known === undefined);
        expect({ path, body: request.body, differences }).toEqual({ path, body: request.body, differences: [] });
        compared += 1;
      }
      process.stderr.write(`compare: ${compared} recorded errors of catapult-rest\n`);
      expect(compared).toBeGreaterThan(30);
    });
  });

  test.each([
    [["--sample", "5"], /^--with is required: the other gateway/],
    [["--with", "old:3000"], /^--with must be a URL such as http:\/\/localhost:3000, not "old:3000"\.\n$/],
    [["--with", "http://127.0.0.1:1", "--sample", "0"], /^--sample must be from 1 to 10000, not 0\.\n$/],
  ])("rejects %j with exit code 2", async (args, message) => {
    expect(await compare(...args)).toEqual({ code: 2, output: expect.stringMatching(message) });
  });

  test("rejects a gateway of another network, and a server that is no gateway", async () => {
    const other = await proxy((path, body) =>
      path === "/blocks/1" ? body.replace(/"hash":"\w+"/, `"hash":"${"1".repeat(64)}"`) : body,
    );
    expect(await compare("--with", other)).toEqual({ code: 2, output: expect.stringContaining("different networks") });
    const none = await proxy(() => "{}");
    expect(await compare("--with", none)).toEqual({
      code: 2,
      output: expect.stringContaining(`${none} is not a gateway that serves a chain`),
    });
  });
});

/** Differences that do not concern the published operations, or that concern announcements. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["hidesInterfaces", "rejectsAfterAccepting"]);

const digitsReversed = (id: string) => id.replaceAll(/./g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16));

/** Ids of one gateway in a path, as known to the gateway behind the proxy. */
function withOwnIds(path: string): string {
  return path.replace(/(?<=[/=])[0-9a-fA-F]{24}(?=$|[/&?])/, (id) => digitsReversed(id).toUpperCase());
}

/** The answers of catapult-rest to the same: its own ids, no totals, lists in any order if none is specified. */
// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
function likeReference(path: string, body: any): unknown {
  if (path === "/network") return { ...body, description: "another text" };
  if (path.startsWith("/network/") || path.endsWith("/graph")) return body;
  if (Array.isArray(body)) return body.toReversed().map((entry) => likeReference("", entry));
  if (typeof body !== "object" || body === null) return body;
  const changed = { ...body };
  if (/^[0-9A-F]{24}$/.test(body.id)) changed.id = digitsReversed(body.id);
  if (body.accountNames) changed.accountNames = body.accountNames.toReversed();
  if (body.account) changed.account = { ...body.account, mosaics: body.account.mosaics.toReversed() };
  if (body.data && body.pagination) {
    const { pageNumber, pageSize } = body.pagination;
    changed.pagination = { pageNumber, pageSize };
    // within a block, the order is that in which the reference's threads wrote it
    const entries = body.data.map((entry: unknown) => likeReference("", entry));
    changed.data = /\/(transactions|statements)\//.test(path) ? shuffledInBlocks(entries) : entries;
  }
  return changed;
}

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
function shuffledInBlocks(entries: readonly any[]): unknown[] {
  const heightOf = ({ meta, statement }: (typeof entries)[number]) => meta?.height ?? statement?.height;
  const blocks = new Map<string, unknown[]>();
  for (const entry of entries) {
    const height = heightOf(entry);
    blocks.set(height, [entry, ...(blocks.get(height) ?? [])]);
  }
  return [...blocks.values()].flat();
}

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
