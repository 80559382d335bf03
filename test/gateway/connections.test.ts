import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { Gateway } from "../../gateway/server.js";
import { BusyRelay } from "../support/busy-relay.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { MeshClient } from "../support/mesh-client.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { executedIndex, recordedStateNode } from "../support/recorded-index.js";
import type { StateNode } from "../support/state-node.js";
import { startTestGateway } from "../support/test-gateway.js";
import { until } from "../support/until.js";

// A client has a few places, and the pool of connections is little larger: what is done in one place uses one connection at a
// time, or one client holds all of them.

const MESH_PATH = "/mesh";
const TOKEN = "a-token-of-some-length";
const SHARE_OF_GRAPHQL = 2;
/** As many as the pool has, so that they are open before anything is counted. */
const CONNECTIONS = 10;

let node: StateNode;
let index: IndexedDatabase;
let relay: BusyRelay;
let gateway: Gateway;
let address: string;
let hash: string;

const url = () => `http://127.0.0.1:${gateway.port}`;

beforeAll(async () => {
  const chain = new RecordedChain();
  [node, index] = await Promise.all([recordedStateNode(chain), executedIndex(chain)]);
  relay = await new BusyRelay(index.url).open();
  gateway = await startTestGateway({
    databaseUrl: relay.through(index.url),
    databasePoolSize: CONNECTIONS,
    limits: { responseCacheBytes: 0 },
    graphqlTokens: [{ name: "default", token: TOKEN }],
    trustedProxies: ["127.0.0.1"],
    nodes: [node.address],
    resourcesDirectory: chain.path("resources"),
    extensions: makeExtensions({ EXPLORER: "public", MESH_PATH }),
  });
  const busiest = await index.db
    .selectFrom("multisigs")
    .select("address")
    .where("min_approval", ">", 0)
    .executeTakeFirstOrThrow();
  address = encodeAddress(busiest.address);
  const { data } = (await (await get("/transactions/confirmed")).json()) as { data: { meta: { hash: string } }[] };
  hash = data[0]!.meta.hash;
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => fetch(`${url()}/blocks/${n + 1}`)));
});

afterAll(async () => {
  await gateway?.stop();
  await relay?.close();
  await index?.drop();
  await node?.close();
});

/** What the process reads by itself does not come each time. */
async function expectConnections(what: string, work: () => Promise<unknown>, allowed = 1): Promise<void> {
  await until(
    async () => {
      relay.max = 0;
      await work();
      return relay.max === allowed;
    },
    () => `${what} with ${allowed} connections: it uses ${relay.max}`,
  );
}

async function isAnswered(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  const text = await response.text();
  const { status, url: asked } = response;
  expect({ asked, status, text: status === 200 ? "" : text }).toEqual({ asked, status: 200, text: "" });
}

const get = (path: string) => fetch(url() + path);
const post = (path: string, body: object, headers = {}) =>
  fetch(url() + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(body),
  });

test("a page of the explorer", async () => {
  const pages = [
    "",
    "/block/2",
    `/transaction/${hash}`,
    `/account/${address}`,
    "/search?q=symbol",
    ...["blocks", "transactions", "pending", "accounts", "mosaics", "namespaces", "harvesters", "network", "node"].map(
      (name) => `/${name}`,
    ),
  ];
  for (const page of pages) {
    await expectConnections(page, () => isAnswered(get(`/explorer/data?${new URLSearchParams({ page })}`)));
  }
});

test("a path of REST", async () => {
  for (const path of [
    "/blocks?pageSize=100",
    "/transactions/confirmed?pageSize=100&embedded=true",
    `/transactions/confirmed/${hash}`,
    "/statements/transaction",
    `/accounts/${address}`,
    `/account/${address}/multisig/graph`,
    "/network/currency/supply/circulating",
    "/node/storage",
    "/ready",
    "/metrics",
    "/transactions/confirmed.csv?fromHeight=1&toHeight=500",
    `/accounts/${address}/movements.csv`,
  ]) {
    await expectConnections(path, () => isAnswered(get(path)));
  }
});

test("look-ups in parts", async () => {
  const body = { transactionIds: Array.from({ length: 100 }, () => hash) };
  await expectConnections("a look-up", () => isAnswered(post("/transactions/confirmed", body)));
});

test("an operation of GraphQL", async () => {
  const runs = Array.from(
    { length: 8 },
    (_, n) => `r${n}: transactionRun(first: 50, embedded: true) { data { hash signer { address names } } }`,
  );
  for (const query of [
    `{ ${runs.join(" ")} }`,
    "{ blocks(first: 50) { data { height harvester { address } transactions(first: 3) { data { hash } } } } }",
    "{ a: accounts(first: 3) { data { address } } b: mosaics { data { mosaicId } } health { db } storage { blocks } }",
  ])
    await expectConnections(query, () => isAnswered(post("/graphql", { query })));
});

test("all operations of GraphQL together", async () => {
  const query = `{ ${Array.from({ length: 8 }, (_, n) => `r${n}: transactionRun(first: ${50 + n}) { data { hash } }`).join(" ")} }`;
  const ask = (n: number) => isAnswered(post("/graphql", { query }, { "x-forwarded-for": `203.0.113.${n}` }));
  const all = () => Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
  await expectConnections("GraphQL", all, SHARE_OF_GRAPHQL);
});

test("an endpoint of Mesh", async () => {
  const mesh = new MeshClient(url() + MESH_PATH);
  const ask = (path: string, request = {}) => expectConnections(path, () => mesh.ask(path, request));
  await mesh.network();
  await ask("/network/status");
  await ask("/block", { block_identifier: { index: 500 } });
  await ask("/account/balance", { account_identifier: { address } });
  await ask("/mempool");
  await ask("/search/transactions", { account_identifier: { address } });
});
