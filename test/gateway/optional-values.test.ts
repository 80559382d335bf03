import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { GatewayClient } from "../../client/index.js";
import { readMeshRequest } from "../../mesh/standard/read-request.js";
import { AccountBalanceRequest, BlockRequest } from "../../mesh/standard/schemas.js";
import { executableAccount } from "../support/executable-chain.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** Values that may be left out: absent, null and empty mean the same in every interface. Typed clients write all three. */

const QUERY = "{ chain { height } }";
const EMPTY = [undefined, null, ""] as const;

const gateway = GatewayFixture.use(3, {
  extensions: makeExtensions({ MESH_PATH: "/mesh" }),
  webhookPrivateNetworks: ["127.0.0.0/8"],
});

describe.each(EMPTY.map((value) => [String(JSON.stringify(value)), value] as const))("%s", (_text, value) => {
  test("a member of a REST body", async () => {
    const { status, body } = await gateway.post("/accounts", { publicKeys: value, addresses: [] });
    expect({ status, body }).toEqual({ status: 200, body: [] });
  });

  test("a query parameter and a header", async () => {
    const { status } = await gateway.get(`/blocks?orderBy=${value ?? ""}&offset=${value ?? ""}&fromTime=`, {
      headers: { "If-None-Match": String(value ?? "") },
    });
    expect(status).toBe(200);
  });

  test("members of a GraphQL request over HTTP", async () => {
    const { status, body } = await gateway.post("/graphql", {
      query: QUERY,
      operationName: value,
      variables: value,
      extensions: value,
    });
    expect({ status, body }).toEqual({ status: 200, body: { data: { chain: { height: 3 } } } });
    const parameters = new URLSearchParams({ query: QUERY, operationName: value ?? "", variables: value ?? "" });
    const byUrl = await gateway.get(`/graphql?${parameters}`, { headers: { accept: "application/json" } });
    expect({ status: byUrl.status, body: byUrl.body }).toEqual({ status: 200, body });
  });

  test("members of a GraphQL request over WebSocket", async () => {
    const socket = new WebSocket(`${gateway.socketUrl}/graphql`, "graphql-transport-ws");
    const received: { type: string; payload?: unknown }[] = [];
    socket.on("message", (data) => received.push(JSON.parse(data.toString())));
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: value === "" ? undefined : value }));
    await until(() => received.length === 1, "it is acknowledged");
    const variables = value === "" ? null : value;
    socket.send(
      JSON.stringify({ id: "1", type: "subscribe", payload: { query: QUERY, operationName: value, variables } }),
    );
    await until(() => received.some(({ type }) => type === "complete" || type === "error"), "it is over");
    expect(received[1]).toMatchObject({ type: "next", payload: { data: { chain: { height: 3 } } } });
    socket.close();
  });

  test("members of a request over /ws", async () => {
    const socket = new WebSocket(`${gateway.socketUrl}/ws`);
    const received: { uid?: string; topic?: string }[] = [];
    socket.on("message", (data) => received.push(JSON.parse(data.toString())));
    await until(() => received.length > 0, "the uid");
    const uid = received[0]?.uid;
    socket.send(JSON.stringify({ uid, subscribe: "block", unsubscribe: value, from: value }));
    await until(async () => {
      await gateway.events.write({ channel: "block", data: {} });
      return received.length > 1;
    }, "a message");
    expect(received[1]).toMatchObject({ topic: "block" });
    socket.send(JSON.stringify({ uid, subscribe: value, unsubscribe: "block" }));
    socket.send(JSON.stringify({ uid, subscribe: value, unsubscribe: value }));
    await until(() => received.at(-1)?.topic === "error", "an error");
    expect(received.filter(({ topic }) => topic === "error")).toHaveLength(1);
    socket.close();
  });

  test("a parameter and a header of /events", async () => {
    const stop = new AbortController();
    const { status } = await fetch(`${gateway.url}/events?topic=block&topic=&from=${value ?? ""}`, {
      headers: value === undefined ? {} : { "Last-Event-ID": value ?? "" },
      signal: stop.signal,
    });
    stop.abort();
    expect(status).toBe(200);
  });

  test("members of a request of Mesh", async () => {
    const list = await gateway.post("/mesh/network/list", { metadata: value });
    expect(list.status).toBe(200);
    const [network_identifier] = list.body.network_identifiers;
    const { status } = await gateway.post("/mesh/network/options", {
      network_identifier: { ...network_identifier, sub_network_identifier: value },
      metadata: value,
    });
    expect(status).toBe(200);
    const identifier = readMeshRequest(BlockRequest, {
      network_identifier,
      block_identifier: { index: 2, hash: value },
    });
    expect(identifier).toEqual({ network_identifier, block_identifier: { index: 2 } });
  });

  test("arguments of a webhook", async () => {
    const query = `mutation ($secret: String, $confirmations: Int) {
      createWebhook(url: "http://127.0.0.1:9/", topics: ["block"], secret: $secret, confirmations: $confirmations) { id secret }
    }`;
    const variables = { secret: value, confirmations: value === "" ? null : value };
    const { body } = await gateway.post("/graphql", { query, variables });
    expect(body).toEqual({
      data: { createWebhook: { id: expect.any(Number), secret: expect.stringMatching(/^whsec_/) } },
    });
  });
});

/** Lists that may be left out: also empty, they mean the same. */
const EMPTY_LISTS = [undefined, null, []];

const ADDRESS = encodeAddress(executableAccount(CHAIN_SEED, 0).address);
const PAGE = "{ data { id } pagination { totalEntries } }";

test.each([
  ["[Int!]", `transactions(type: $list, first: 5) ${PAGE}`],
  ["[Int!]", `transactionStatements(receiptType: $list, first: 5) ${PAGE}`],
  ["[Int!]", "matchingTransactions(types: $list, first: 5, match: all) { data { id } }"],
  ["[Address!]", "matchingTransactions(addresses: $list, first: 5, match: all) { data { id } }"],
  ["[Int!]", "transactionRun(type: $list, first: 5) { data { id } }"],
  ["[Int!]", "activity(type: $list, intervalSeconds: 86400) { blocks transactions }"],
  ["[Int!]", `block(height: 2) { transactions(type: $list) ${PAGE} statements(receiptType: $list) ${PAGE} }`],
  ["[ArtifactId!]", `namedBlock { balances(address: "${ADDRESS}", mosaicIds: $list) { mosaicId amount } }`],
])("a list of GraphQL, %s: %s", async (type, field) => {
  const [first, ...others] = await Promise.all(
    EMPTY_LISTS.map((list) => gateway.ask(`query ($list: ${type}) { ${field} }`, { list })),
  );
  expect(first.errors).toBeUndefined();
  expect(others).toEqual([first, first]);
});

test("a list of a request of Mesh", () => {
  const request = { network_identifier: { blockchain: "symbol", network: "x" }, account_identifier: { address: "a" } };
  const read = EMPTY_LISTS.map((currencies) => readMeshRequest(AccountBalanceRequest, { ...request, currencies }));
  expect(read).toEqual([request, request, request]);
});

test("a list in the query of the client", async () => {
  const client = new GatewayClient(gateway.url);
  const found = await Promise.all(
    EMPTY_LISTS.map((type) => client.get("/transactions/confirmed", { query: { type: type as never } })),
  );
  expect(found[1]).toEqual(found[0]);
  expect(found[2]).toEqual(found[0]);
});

test("what must be there is missing when it is null, and wrong when it is empty", async () => {
  for (const [body, status] of [
    [{ hashes: null }, 409],
    [{}, 409],
    [{ hashes: "" }, 400],
  ] as const) {
    expect((await gateway.post("/transactionStatus", body)).status).toBe(status);
  }
});
