import { afterEach, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { documentCache } from "../../gateway/graphql/compiled-queries.js";
import { eventResult } from "../../gateway/graphql/event-result.js";
import { PublishedEvent } from "../../schema/feed/published-event.js";
import { GatewayFixture } from "./gateway-fixture.js";

const TOKEN = "a-token-of-the-test";

describe("an event of 230 kB", () => {
  const data = JSON.stringify({ text: "ä\n".repeat(80_000) });
  const event = new PublishedEvent({ sequence: 1, channel: "block", height: 1, addresses: [], data });
  const result = { data: { one: event, two: event.data, three: [1, null, "x"], four: undefined } };

  test("is written from the same bytes for all subscriptions", () => {
    const [first, second] = [eventResult(result, event), eventResult(result, event)];
    expect(Buffer.concat(first.parts).toString()).toBe(
      JSON.stringify({ data: { one: JSON.parse(event.data), two: event.data, three: [1, null, "x"] } }),
    );
    const shared = first.parts.filter((part) => second.parts.includes(part));
    expect(shared.map(({ length }) => length)).toEqual(
      [event.data, JSON.stringify(event.data)].map((text) => Buffer.byteLength(text)),
    );
    expect(first.ownBytes).toBeLessThan(100);
  });
});

test("few documents are cached, and no long ones", () => {
  const cache = documentCache<{ n: number }>();
  cache.set("x".repeat(100_000), { n: 1 });
  expect(cache.get("x".repeat(100_000))).toBeUndefined();
  for (let n = 0; n < 60; n++) {
    cache.set(`document ${n}`, { n });
    cache.get("document 0");
  }
  expect([0, 1, 9, 11, 59].map((n) => cache.get(`document ${n}`)?.n)).toEqual([0, undefined, undefined, 11, 59]);
});

describe("over WebSocket", () => {
  const gateway = GatewayFixture.use(3, {
    graphqlTokens: [{ name: "default", token: TOKEN }],
    connectionsPerClient: 10,
  });
  const sockets: WebSocket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  /** Opens a connection. @returns its status, 101 if it was accepted */
  function open(): Promise<number> {
    const url = `${gateway.socketUrl}/graphql`;
    const socket = new WebSocket(url, "graphql-transport-ws", { headers: { authorization: `Bearer ${TOKEN}` } });
    sockets.push(socket);
    return new Promise((resolve) => {
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => undefined);
    });
  }

  test("connections of one client beyond the limit get 429", async () => {
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push(await open());
    expect(statuses).toEqual([...Array(10).fill(101), 429]);
    const answer = await gateway.get("/graphql", {
      headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json" },
    });
    expect(answer.status).not.toBe(429);
  });
});
