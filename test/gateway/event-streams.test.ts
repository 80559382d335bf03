import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { EventStreamClient } from "../support/event-stream-client.js";
import type { TestEvent } from "../support/event-writer.js";
import { until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { randomAddress, TestClient, type TestGateway } from "./websocket-fixture.js";

const streams: { close(): void }[] = [];

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
});

const scene = MessageScene.use();

function open(url: string, headers: Readonly<Record<string, string>> = {}): EventStreamClient {
  const stream = EventStreamClient.open(url, headers);
  streams.push(stream);
  return stream;
}

const block = (n: number): TestEvent => ({ channel: "block", data: { n } });
const ids = ({ events }: EventStreamClient) => events.map(({ id }) => Number(id));
const user = randomAddress();
const status = (n: number): TestEvent => ({ channel: "status", data: { n }, addresses: [user.bytes] });

test("a stream has the messages of /ws, byte for byte, in order, and their sequences as ids", async () => {
  const gateway = await scene.start();
  await scene.writer.write(block(1), block(2));
  await until(() => gateway.events.sequence === 2, "the gateway has read the events");
  const topics = ["block", "status", `status/${user.text}`, `status/${user.bytes.toString("hex")}`];
  const stream = open(gateway.eventsUrl(...topics, "block"));
  const { statusCode, headers } = await stream.opened();
  expect({ statusCode, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
    statusCode: 200,
    type: "text/event-stream; charset=utf-8",
    cache: "no-cache, no-transform",
  });
  // A client that is cut before the first event knows where to resume.
  expect(stream.text).toBe("id: 2\n\n");
  const texts: string[] = [];
  const client = await TestClient.connect(gateway.url);
  client.socket.on("message", (data) => texts.push(data.toString()));
  client.subscribe(...topics);
  await gateway.subscribed(4);
  const large = { channel: "block", data: { n: 5, text: "\r\nä".repeat(20_000) } } as const;
  await scene.writer.write(block(3), status(4), large, status(6));
  await client.received(8);
  expect(await stream.messages(8)).toHaveLength(8);
  const data = stream.events.map((event) => event.data);
  expect(data.filter((text) => !texts.includes(text))).toEqual([]);
  expect(new Set(data).size).toBe(8);
  expect(ids(stream)).toEqual([3, 4, 4, 4, 5, 6, 6, 6]);
  expect(gateway.streams.stats()).toMatchObject({ connections: 1, subscriptions: 4, messagesSent: 8 });
});

test("an event of several topics, of which the last connection may have lost some messages, is sent again", async () => {
  const gateway = await scene.start();
  await scene.writer.write(status(1), status(2), block(3), { ...status(4), addresses: [] });
  const topics = ["status", `status/${user.text}`, "block"];
  const received = async (lastEventId: string, count: number) => {
    const stream = open(gateway.eventsUrl(...topics), { "last-event-id": lastEventId });
    await stream.messages(count);
    return stream.events.map(({ data }) => JSON.parse(data)).map(({ topic, sequence }) => `${sequence} ${topic}`);
  };
  const both = (n: number) => [`${n} status`, `${n} status/${user.text}`];
  expect(await received("0", 6)).toEqual([...both(1), ...both(2), "3 block", "4 status"]);
  expect(await received("1", 6)).toEqual([...both(1), ...both(2), "3 block", "4 status"]);
  // These belong to one topic only.
  expect(await received("3", 1)).toEqual(["4 status"]);
  expect(await received("4", 0)).toEqual([]);
});

test("a gateway that has not read the last event that a client had does not say that the client lacks it", async () => {
  const gateway = await scene.start();
  const stream = open(gateway.eventsUrl("status", `status/${user.text}`), { "last-event-id": "1" });
  await stream.opened();
  await until(() => stream.text !== "", "the stream has begun");
  expect(stream.text).toBe(":\n\n");
  await scene.writer.write(status(1), status(2));
  await stream.messages(4);
  expect(ids(stream)).toEqual([1, 1, 2, 2]);
});

test("missed events that cannot be read any further end the stream with an error that names its topic", async () => {
  const gateway = await scene.start();
  // More than the buffers between the gateway and a client that does not read.
  const text = "x".repeat(256 * 1_024);
  await scene.writer.write(...Array.from({ length: 100 }, (): TestEvent => ({ channel: "block", data: { text } })));
  await until(() => gateway.events.sequence === 100, "the gateway has read the events");
  const stream = EventStreamClient.open(`${gateway.eventsUrl("block")}&from=1`, {}, () => {
    if (stream.events.length === 1) stream.response?.pause();
  });
  streams.push(stream);
  await until(() => stream.events.length > 0, "the first event");
  await scene.writer.query("ALTER TABLE events RENAME TO hidden");
  stream.response?.resume();
  await stream.ended();
  await scene.writer.query("ALTER TABLE hidden RENAME TO events");
  const last = stream.events.at(-1);
  expect(ids(stream).slice(0, -1)).toEqual(Array.from({ length: stream.events.length - 1 }, (_, n) => n + 1));
  expect(JSON.parse(last?.data ?? "{}")).toEqual({
    topic: "error",
    data: { code: "InternalServiceError", message: "the gateway failed", request: { topic: "block" } },
  });
});

test("errors have the status and the body of REST", async () => {
  await scene.writer.write(...[1, 2, 3].map(block));
  await scene.writer.prune(1);
  const gateway = await scene.start({ limits: { subscriptionsPerConnection: 2 } });
  const base = gateway.eventsUrl();
  const cases: [query: string, headers: Record<string, string>, status: number, code: string, message: RegExp][] = [
    ["", {}, 409, "InvalidArgument", /^topic is missing/],
    ["topic=blocks", {}, 409, "InvalidArgument", /there is no channel "blocks"/],
    [`topic=block/${user.text}`, {}, 409, "InvalidArgument", /takes no address/],
    ["topic=status/X", {}, 400, "InvalidContent", /the address must be/],
    ["topic=block&from=x", {}, 400, "InvalidContent", /^from must be/],
    ["topic=block", { "last-event-id": "x" }, 400, "InvalidContent", /^Last-Event-ID must be/],
    ["topic=block&from=1", {}, 409, "InvalidArgument", /from must be from 2 to 4/],
    ["topic=block&from=5", {}, 409, "InvalidArgument", /from must be from 2 to 4/],
    ["topic=block", { "last-event-id": "4" }, 409, "InvalidArgument", /from must be from 2 to 4/],
    ["topic=block&topic=status&topic=cosignature", {}, 429, "TooManyRequests", /at most 2 subscriptions/],
  ];
  for (const [query, headers, expected, code, message] of cases) {
    const response = await fetch(`${base}${query}`, { headers });
    expect({ query, status: response.status }).toEqual({ query, status: expected });
    expect(await response.json()).toEqual({ code, message: expect.stringMatching(message) });
  }
  const head = await fetch(gateway.eventsUrl("block"), { method: "HEAD" });
  expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect((await fetch(gateway.eventsUrl("nothing"), { method: "HEAD" })).status).toBe(409);
  expect(gateway.streams.stats()).toMatchObject({ connections: 0, subscriptions: 0 });
  expect(gateway.stats.topics).toBe(0);
});

test("streams are limited per client and in all; one that ends makes room", async () => {
  const gateway = await scene.start({ limits: { connectionsPerClient: 2 } });
  const first = open(gateway.eventsUrl("block"));
  await first.opened();
  await open(gateway.eventsUrl("block")).opened();
  const third = await fetch(gateway.eventsUrl("block"));
  expect([third.status, await third.json()]).toEqual([
    429,
    { code: "TooManyRequests", message: expect.stringContaining("a client may have 2 connections to /events") },
  ]);
  // Another interface has slots of its own.
  await TestClient.connect(gateway.url);
  first.close();
  await until(() => gateway.streams.stats().connections === 1, "the slot is free");
  await open(gateway.eventsUrl("block")).opened();
  expect(gateway.streams.stats()).toMatchObject({ connections: 2, connectionsRejected: 1 });

  const small = await scene.start({ limits: { connections: 1 } });
  await open(small.eventsUrl("block")).opened();
  expect((await fetch(small.eventsUrl("block"))).status).toBe(503);
});

/** A client that sends a request and reads nothing. */
function rawStream(gateway: TestGateway, topic: string): Socket {
  const socket = connect({ port: gateway.port, host: "127.0.0.1" });
  streams.push({ close: () => socket.destroy() });
  socket.on("error", () => undefined);
  socket.write(`GET /events?topic=${topic} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
  return socket;
}

test("a client that reads too slowly is disconnected, at the limit of its queue or after two heartbeats", async () => {
  const bounded = await scene.start({ limits: { bufferedBytes: 4 * 1024 * 1024 } });
  const stalled = await scene.start({ limits: { pingIntervalMs: 100 } });
  for (const gateway of [bounded, stalled]) {
    rawStream(gateway, "block").pause();
    await until(() => gateway.streams.stats().subscriptions === 1, "the stream is open");
  }
  const other = open(bounded.eventsUrl("block"));
  await other.opened();
  // More than the buffers of two sockets hold, at the pace of the client that reads.
  const text = "x".repeat(1024 * 1024);
  for (let n = 1; n <= 20; n += 1) {
    await scene.writer.write({ channel: "block", data: { n, text } });
    await other.messages(n);
  }
  for (const gateway of [bounded, stalled]) {
    await until(() => gateway.streams.stats().slowClosed === 1, "the slow client is disconnected");
  }
  expect(bounded.streams.stats()).toMatchObject({ connections: 1, subscriptions: 1 });
});

test("heartbeats report the sequence of the newest event, so that a quiet topic can be resumed later", async () => {
  const gateway = await scene.start({ limits: { pingIntervalMs: 20 } });
  const stream = open(gateway.eventsUrl("finalizedBlock"));
  await stream.opened();
  await scene.writer.write(block(1), block(2));
  await until(() => stream.parser.lastEventId === "2", "the id advances without a message");
  expect(stream.events).toEqual([]);
});

test("a client that half-closes its connection has left", async () => {
  const gateway = await scene.start();
  const socket = rawStream(gateway, "block");
  await until(() => gateway.streams.stats().subscriptions === 1, "the stream is open");
  socket.end();
  await until(() => gateway.streams.stats().connections === 0, "the stream has ended");
  expect(gateway.stats.topics).toBe(0);
});

test("a gateway that stops ends its streams properly", async () => {
  const gateway = await scene.start();
  const stream = open(gateway.eventsUrl("block"));
  await stream.opened();
  await scene.writer.write(block(1));
  await stream.messages(1);
  await scene.stop(gateway);
  await stream.ended();
  expect(stream.response?.complete).toBe(true);
});
