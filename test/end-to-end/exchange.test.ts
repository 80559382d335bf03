import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { generateNamespaceId } from "symbol-sdk/symbol";
import { encodeAddress, encodeAliasAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { Webhooks } from "../../schema/webhooks/webhooks.js";
import { sendJson } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import { startTestGateway } from "../support/test-gateway.js";
import { type Descriptor, TransactionMaker } from "../support/transaction-maker.js";
import { transferOf } from "../support/transfers.js";
import { until } from "../support/until.js";
import { type ReceivedMessage, WebhookReceiver } from "../support/webhook-receiver.js";

/* The program of docs/exchange.md, as it is printed there, with deposits of every kind. */

const PAGE = fileURLToPath(new URL("../../../docs/exchange.md", import.meta.url));
const LOCAL = ["127.0.0.1"];
const run = promisify(execFile);

interface Credit {
  readonly customer: string;
  readonly amount: string;
}

interface Deposit {
  readonly id: string;
  readonly key: string;
  readonly height: string;
  readonly sender: string;
  readonly recipient: string;
  readonly mosaicId: string;
  readonly amount: string;
  readonly units: string;
  readonly message?: string;
  readonly embeddedIndex?: number;
  readonly hash: string;
  readonly confirmations: number;
  readonly isFinal: boolean;
}

let page: string;
let folder: string;
let stack: RestStack;
let make: TransactionMaker;
let gateway: Gateway;
let [alice, exchange, carol]: DevnetAccount[] = [];
/** Of the webhook that waits for finality, and of the one that does not. */
const [final, early] = [new WebhookReceiver(), new WebhookReceiver()];

async function openGateway(): Promise<void> {
  gateway = await startTestGateway({
    databaseUrl: stack.index.url,
    nodes: [stack.node.devnet],
    resourcesDirectory: stack.node.devnet.resourcesDirectory,
    deliversWebhooks: true,
    webhookPrivateNetworks: LOCAL,
    extensions: makeExtensions({ MESH_PATH: "/mesh" }),
  });
}

const urlOf = () => `http://127.0.0.1:${gateway.port}`;
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text as string);
const settings = () => ({
  GATEWAY: urlOf(),
  ADDRESS: encodeAddress(exchange!.address),
  MOSAIC: idText(stack.node.devnet.currencyMosaicId),
  BOOKS: path.join(folder, "books.json"),
});

/** Runs the program once, as a new process: every run continues after a restart. @returns the credits, in their order */
async function credit(): Promise<string[]> {
  await run(process.execPath, [path.join(folder, "deposits.mjs")], { env: { ...process.env, ...settings() } });
  const { credits } = JSON.parse(await readFile(settings().BOOKS, "utf8")) as { credits: Record<string, Credit> };
  return Object.values(credits).map(({ customer, amount }) => `${customer} ${amount}`);
}

async function deposits(query = ""): Promise<Deposit[]> {
  const { ADDRESS } = settings();
  const response = await fetch(`${urlOf()}/account/${ADDRESS}/deposits?order=asc&fromHeight=2&pageSize=100&${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Deposit[] }).data;
}

const pay = (amount: bigint, message: string): Descriptor =>
  transferOf(stack.node.devnet, exchange!.address, amount, message);

/** Announces transactions, and puts them into a block. */
async function inBlock(...payloads: readonly Buffer[]): Promise<void> {
  for (const payload of payloads) stack.node.devnet.announce(payload);
  await stack.harvest();
}

async function finalize(): Promise<void> {
  const { devnet } = stack.node;
  devnet.finalize(devnet.height);
  await stack.index.waitFor(({ finalization }) => finalization.height === devnet.height);
}

const depositsIn = (messages: readonly ReceivedMessage[]) =>
  messages.filter(({ type }) => type === "deposit").map(({ data }) => data as unknown as Deposit);

beforeAll(async () => {
  page = await readFile(PAGE, "utf8");
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-exchange-"));
  const [program = ""] = blocksOf("js");
  await writeFile(path.join(folder, "deposits.mjs"), program);
  stack = await RestStack.start({ executes: true });
  [alice, exchange, carol] = stack.node.devnet.accounts;
  make = new TransactionMaker(stack.node.devnet);
  await Promise.all([final.listen(), early.listen()]);
  const webhooks = new Webhooks(stack.index.db, LOCAL);
  const topics = [`deposit/${encodeAddress(exchange!.address)}`];
  final.secret = (await webhooks.add({ url: final.url, topics, awaitsFinality: true })).secret;
  early.secret = (await webhooks.add({ url: early.url, topics })).secret;
  await openGateway();
});

afterAll(async () => {
  await gateway?.stop();
  await stack?.stop();
  await Promise.all([final.close(), early.close()]);
  if (folder) await rm(folder, { recursive: true });
});

test("every deposit is credited once: beside an equal payout, through aliases and aggregates, over a fork and a restart", async () => {
  const { devnet } = stack.node;
  // A deposit and an equal payout in one block, which leave the balance as it was but for the fee; one to oneself.
  await inBlock(
    make.transaction(alice!, pay(5_000_000n, "one")),
    make.transaction(exchange!, transferOf(devnet, carol!.address, 5_000_000n, "payout")),
    make.transaction(exchange!, pay(1n, "myself")),
  );
  // The first block's deposits are the endowment of the account.
  await writeFile(settings().BOOKS, JSON.stringify({ offset: "1.999", credits: {} }));
  expect(await credit()).toEqual([]);
  expect(await deposits()).toMatchObject([
    {
      sender: encodeAddress(alice!.address),
      recipient: encodeAddress(exchange!.address),
      ...{ amount: "5000000", units: "5.000000", message: "one", confirmations: 0, isFinal: false },
    },
  ]);
  await finalize();
  await until(async () => (await credit()).length > 0, "the first one is credited");
  expect(await credit()).toEqual(["one 5000000"]);

  // Aliases of the account and of the mosaic, and an aggregate with two equal transfers.
  const id = generateNamespaceId("exchange");
  const [symbol, xym] = ["symbol", "xym"] as const;
  const currency = generateNamespaceId(xym, generateNamespaceId(symbol));
  await inBlock(
    make.transaction(exchange!, {
      ...{ type: "namespace_registration_transaction_v1", registrationType: "root", name: "exchange" },
      ...{ duration: 1_000n, id },
    }),
  );
  await inBlock(
    make.transaction(exchange!, {
      ...{ type: "address_alias_transaction_v1", namespaceId: id, aliasAction: "link" },
      address: new Uint8Array(exchange!.address),
    }),
  );
  const aliased = {
    ...pay(7n, "alias"),
    recipientAddress: new Uint8Array(encodeAliasAddress(id, devnet.network.identifier)),
    mosaics: [{ mosaicId: currency, amount: 7n }],
  };
  const embedded = [0, 1].map(() => make.embedded(carol!, pay(8n, "equal")));
  await inBlock(make.transaction(alice!, aliased), make.aggregate({ signer: carol!, embedded }));
  await finalize();
  await until(async () => (await credit()).length > 1, "the next ones are credited");
  expect(await credit()).toEqual(["one 5000000", "alias 7", "equal 8", "equal 8"]);
  const [, ofAlias, ...ofAggregate] = await deposits();
  expect(ofAlias).toMatchObject({ recipient: settings().ADDRESS, mosaicId: settings().MOSAIC });
  expect(ofAggregate.map(({ embeddedIndex }) => embeddedIndex)).toEqual([0, 1]);
  expect(ofAggregate[0]?.hash).toBe(ofAggregate[1]?.hash);

  // A fork drops the block of a deposit, which returns in a later block; meanwhile nothing was credited.
  await inBlock(make.transaction(alice!, pay(9n, "forked")));
  await until(() => depositsIn(early.received).length === 5, "the early webhook received it");
  await until(async () => (await deposits()).length === 5, "the list has it");
  const before = (await deposits()).at(-1);
  expect(await credit()).toHaveLength(4);
  devnet.fork({ from: devnet.height - 1, blocks: 2 });
  await stack.caughtUp();
  await until(async () => (await deposits()).length === 4, "the list has it no longer");

  // The gateway is away meanwhile.
  await gateway.stop();
  await stack.harvest();
  await finalize();
  await openGateway();
  expect(await credit()).toEqual(["one 5000000", "alias 7", "equal 8", "equal 8", "forked 9"]);
  expect(await credit()).toHaveLength(5);
  const all = await deposits("final=true");
  const after = all.at(-1);
  expect(new Set(all.map(({ key }) => key)).size).toBe(5);
  expect({ key: after?.key, isLater: Number(after?.height) > Number(before?.height) }).toEqual({
    key: before?.key,
    isLater: true,
  });
  // Page by page it is the same list.
  const second = await deposits(`offset=${all[1]?.id}`);
  expect(second).toEqual(all.slice(2));

  // Webhooks: each deposit when it is final, once; the early one also what was dropped.
  await until(() => depositsIn(final.received).length >= 5, "the deposits arrived");
  expect(depositsIn(final.received).map(({ key, isFinal }) => ({ key, isFinal }))).toEqual(
    all.map(({ key }) => ({ key, isFinal: true })),
  );
  const { confirmations: _now, ...stable } = after!;
  expect(depositsIn(final.received).at(-1)).toMatchObject(stable);
  await until(() => depositsIn(early.received).length >= 6, "the deposit arrived again");
  const dropped = early.received.filter(({ type }) => type === "dropped").flatMap(({ data }) => data.ids as string[]);
  const taken = early.received.filter((message) => dropped.includes(message.id));
  expect(taken.map(({ data }) => data.key)).toEqual([before?.key]);
  expect([...final.problems, ...early.problems]).toEqual([]);
});

test("the bodies for Mesh are accepted", async () => {
  const ask = async (at: string, body: string) => {
    const answer = await sendJson("POST", `${urlOf()}/mesh${at}`, JSON.parse(body));
    expect({ at, ...answer }).toMatchObject({ at, status: 200 });
    return answer.body as Record<string, unknown>;
  };
  const { network_identifiers: networks } = await ask("/network/list", "{}");
  const values: Record<string, string> = {
    ...settings(),
    TO: encodeAddress(carol!.address),
    NET: (networks as { network: string }[])[0]!.network,
  };
  const filled = (text: string) => text.replace(/\$([A-Z]+)/g, (_, name: string) => values[name] ?? "");
  const [preprocess = "", metadata = ""] = blocksOf("json");
  const { options } = await ask("/construction/preprocess", filled(preprocess));
  values.OPTIONS = JSON.stringify(options);
  expect(await ask("/construction/metadata", filled(metadata))).toMatchObject({ metadata: expect.anything() });
});

test("what is no topic of a webhook is rejected", async () => {
  const webhooks = new Webhooks(stack.index.db, LOCAL);
  const add = (topic: string) => webhooks.add({ url: early.url, topics: [topic] });
  await expect(add("deposit")).rejects.toThrow("the address is missing");
  await expect(add("deposit/A95F1F8A96159516")).rejects.toThrow("takes an address, not the alias");
});
