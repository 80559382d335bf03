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
  relay = await BusyRelay.start(index.url);
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

/** The most connections that some work uses at one time. What the process reads by itself does not come each time. */
async function maxOf(work: () => Promise<unknown>, allowed = 1): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3 && min > allowed; ++times) {
    relay.max = 0;
    await work();
    min = Math.min(min, relay.max);
  }
  return min;
}

async function isAnswered(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  const text = await response.text();
  const { status, url: asked } = response;
  expect({ asked, status, text: status === 200 ? "" : text }).toEqual({ asked, status: 200, text: "" });
}

const get = (path: string) => fetch(url() + path);
const post = (path: string, body: object) =>
  fetch(url() + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
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
    const max = await maxOf(() => isAnswered(get(`/explorer/data?${new URLSearchParams({ page })}`)));
    expect({ page, max }).toEqual({ page, max: 1 });
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
    const max = await maxOf(() => isAnswered(get(path)));
    expect({ path, max }).toEqual({ path, max: 1 });
  }
});

test("look-ups in parts", async () => {
  const body = { transactionIds: Array.from({ length: 100 }, () => hash) };
  expect(await maxOf(() => isAnswered(post("/transactions/confirmed", body)))).toBe(1);
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
    expect(await maxOf(() => isAnswered(post("/graphql", { query })))).toBe(1);
});

test("all operations of GraphQL together", async () => {
  const query = `{ ${Array.from({ length: 8 }, (_, n) => `r${n}: transactionRun(first: ${50 + n}) { data { hash } }`).join(" ")} }`;
  const ask = (n: number) =>
    fetch(`${url()}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${TOKEN}`,
        "x-forwarded-for": `203.0.113.${n}`,
      },
      body: JSON.stringify({ query }),
    });
  const all = () => Promise.all(Array.from({ length: 12 }, (_, n) => isAnswered(ask(n))));
  expect(await maxOf(all, SHARE_OF_GRAPHQL)).toBe(SHARE_OF_GRAPHQL);
});

test("an endpoint of Mesh", async () => {
  const mesh = new MeshClient(url() + MESH_PATH);
  const ask = async (path: string, request = {}) => {
    const max = await maxOf(async () => void (await mesh.ask(path, request)));
    expect({ path, max }).toEqual({ path, max: 1 });
  };
  await mesh.network();
  await ask("/network/status");
  await ask("/block", { block_identifier: { index: 500 } });
  await ask("/account/balance", { account_identifier: { address } });
  await ask("/mempool");
  await ask("/search/transactions", { account_identifier: { address } });
});
