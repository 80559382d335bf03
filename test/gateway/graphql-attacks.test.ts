import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { documentCache } from "../../gateway/graphql/compiled-queries.js";
import { eventResult } from "../../gateway/graphql/event-result.js";
import { PublishedEvent } from "../../schema/feed/published-event.js";
import { EventWriter } from "../support/event-writer.js";
import { collectOwnGarbage } from "../support/garbage-collector.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const TOKEN = "a-token-of-the-test";
const MEBIBYTE = 1_048_576;

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
  let gateway: GatewayFixture;
  let writer: EventWriter;
  const sockets: WebSocket[] = [];

  beforeAll(async () => {
    gateway = await GatewayFixture.start(3, {
      graphqlTokens: [{ name: "default", token: TOKEN }],
      connectionsPerClient: 10,
    });
    writer = new EventWriter(gateway.database.url);
    await until(() => gateway.log.lines.some(({ msg }) => msg === "Following events"), "the gateway follows events");
  });

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  afterAll(async () => {
    await writer.close();
    await gateway.close();
  });

  /** Opens a connection; returns its status, 101 if it was accepted. */
  function open(): Promise<{ status: number; socket: WebSocket }> {
    const url = `${gateway.url.replace("http", "ws")}/graphql`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const socket = new WebSocket(url, "graphql-transport-ws", { headers });
    sockets.push(socket);
    return new Promise((resolve) => {
      socket.on("open", () => resolve({ status: 101, socket }));
      socket.on("unexpected-response", (_request, response) => resolve({ status: response.statusCode ?? 0, socket }));
      socket.on("error", () => undefined);
    });
  }

  test("connections of one client beyond the limit get 429", async () => {
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await open()).status);
    expect(statuses).toEqual([...Array(10).fill(101), 429]);
    const answer = await gateway.get("/graphql", {
      headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json" },
    });
    expect(answer.status).not.toBe(429);
  });

  test("subscriptions whose events are not read buffer a few answers, not one each", async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, open));
    const acknowledged: Promise<void>[] = opened.map(
      ({ socket }) => new Promise((resolve) => socket.once("message", () => resolve())),
    );
    for (const { socket } of opened) socket.send(JSON.stringify({ type: "connection_init" }));
    await Promise.all(acknowledged);
    for (const { socket } of opened) {
      for (let n = 0; n < 100; n++) {
        const query = "subscription { confirmedAdded { sequence body } }";
        socket.send(JSON.stringify({ id: String(n), type: "subscribe", payload: { query } }));
      }
    }
    // The start of a subscription is not observable: wait until the last of them receives.
    const received = new Set<string>();
    opened.forEach(({ socket }, place) => {
      socket.on("message", (data) => received.add(`${place}/${(JSON.parse(data.toString()) as { id: string }).id}`));
    });
    await until(async () => {
      await writer.write({ channel: "confirmedAdded", data: {} });
      return received.size === 800;
    }, "all are open");
    for (const { socket } of opened) socket.pause();
    collectOwnGarbage();
    const before = process.memoryUsage();
    const padding = "x".repeat(230_000);
    for (let n = 0; n < 3; n++) await writer.write({ channel: "confirmedAdded", data: { padding } });
    // Other clients are served meanwhile.
    for (let n = 0; n < 20; n++) expect((await gateway.get("/chain/info")).status).toBe(200);
    collectOwnGarbage();
    const after = process.memoryUsage();
    // 800 answers of 460 kB each would be 350 MiB for each event.
    expect((after.external + after.heapUsed - before.external - before.heapUsed) / MEBIBYTE).toBeLessThan(64);
  });
});
