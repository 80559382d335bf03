import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { until } from "../support/until.js";
import { randomAddress, TestClient, TestGateway } from "./websocket-fixture.js";

/** Clients that send all kinds of bad input to a gateway with default limits, while another client listens. */
const MEBIBYTE = 1_048_576;

let database: TestDatabase;
let writer: EventWriter;
let gateway: TestGateway;
let listener: TestClient;
let written = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  writer = new EventWriter(database.url);
  await writer.begin();
  gateway = await TestGateway.start({ databaseUrl: database.url });
  listener = await TestClient.connect(gateway.url);
  listener.subscribe("block");
  await gateway.subscribed(1);
});

beforeEach(() => write());

afterAll(async () => {
  await write();
  await listener.received(written);
  // The other client is not affected.
  expect(listener.messages.map(({ data }) => data.n)).toEqual(Array.from({ length: written }, (_, n) => n));
  expect(listener.closed).toBeUndefined();
  await gateway.close();
  await writer.close();
  await database.drop();
});

async function write(): Promise<void> {
  await writer.write({ channel: "block", data: { n: written } });
  written += 1;
}

test("1,001 subscriptions: the last one is rejected, the others remain", async () => {
  const greedy = await TestClient.connect(gateway.url);
  const topics = Array.from({ length: 1_001 }, () => `status/${randomAddress().text}`);
  greedy.subscribe(...topics);
  expect(await greedy.error()).toEqual({
    code: "TooManyRequests",
    message: "a connection may have at most 1000 subscriptions",
    request: { subscribe: topics.at(-1) },
  });
  await gateway.subscribed(1_001);
  await write();
  await greedy.close();
  await gateway.subscribed(1);
});

test.each([
  ["broken JSON", '{"uid":', 1008],
  ["no JSON at all", "subscribe block", 1008],
  ["a wrong uid", '{"uid":"AAAAAAAAAAAAAAAAAAAA","subscribe":"block"}', 1008],
  ["a message of 1 MiB", JSON.stringify({ uid: "x".repeat(MEBIBYTE) }), 1009],
  ["bytes that are no text", Buffer.of(0xff, 0xfe, 0x00), 1008],
])("%s ends the connection with a reason", async (_what, text, code) => {
  const bad = await TestClient.connect(gateway.url);
  bad.socket.send(text);
  const closed = await bad.ended();
  expect(closed.code).toBe(code);
  if (code === 1008) expect(closed.reason).not.toBe("");
});

test.each([
  ["an unknown channel", { subscribe: "everything" }, "InvalidArgument"],
  ["an address of another network", { subscribe: `status/${randomAddress(104).text}` }, "InvalidArgument"],
  ["an invalid address", { subscribe: "status/ALICE" }, "InvalidContent"],
  ["an invalid start", { subscribe: "block", from: "yesterday" }, "InvalidContent"],
  ["a start in the future", { subscribe: "block", from: 10 ** 12 }, "InvalidArgument"],
  ["neither", { topic: "block" }, "InvalidArgument"],
  ["both", { subscribe: "block", unsubscribe: "block" }, "InvalidArgument"],
  ["no text", { unsubscribe: 5 }, "InvalidContent"],
])("%s is answered with its request, and the connection stays open", async (_what, request, code) => {
  const bad = await TestClient.connect(gateway.url);
  bad.send({ uid: bad.uid, ...request });
  const error = await bad.error();
  expect(error.code).toBe(code);
  expect(error.message).not.toBe("");
  // A start is out of range only when events are read.
  expect(request).toMatchObject(error.request ?? { request: "missing" });
  bad.subscribe("block");
  await gateway.subscribed(2);
  await write();
  await bad.received(1);
  await bad.close();
  await gateway.subscribed(1);
});

test("a client that never reads is closed, and its memory is released", async () => {
  const silent = await TestClient.connect(gateway.url);
  silent.subscribe("confirmedAdded");
  await gateway.subscribed(2);
  silent.socket.pause();
  const padding = "x".repeat(2 * MEBIBYTE);
  await until(async () => {
    await writer.write({ channel: "confirmedAdded", data: { padding } });
    return gateway.stats.slowClosed === 1;
  }, "it is closed");
  await gateway.subscribed(1);
  silent.socket.terminate();
  await until(() => gateway.stats.connections === 1, "it is gone");
});
