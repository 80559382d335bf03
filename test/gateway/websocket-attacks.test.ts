import { describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { Clients } from "../../gateway/clients/clients.js";
import { spellings } from "../attack/hostile.js";
import { get, type RawAnswer, RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
import { until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { randomAddress, TestClient, type TestGateway } from "./websocket-fixture.js";

/** Ways for one client to multiply one event: each test is an attack, on a small scale. */
const LARGE = 230_000;

const scene = MessageScene.use();

/** An address with enough letters for this number of spellings. */
function spelledAddress(): Buffer {
  for (;;) {
    const { bytes } = randomAddress();
    if ((bytes.toString("hex").match(/[a-f]/g) ?? []).length >= 12) return bytes;
  }
}

const writeLarge = (address: Buffer, count: number, channel: "confirmedAdded" | "status" = "confirmedAdded") =>
  scene.writer.write(
    ...Array.from({ length: count }, (_, n) => ({
      channel,
      addresses: [address],
      data: { n, padding: "x".repeat(LARGE) },
    })),
  );

describe("one address in many spellings", () => {
  test("is one topic, and every message has the topic as subscribed", async () => {
    const address = spelledAddress();
    const gateway = await scene.start();
    const client = await TestClient.connect(gateway.url);
    const topics = [...spellings(address.toString("hex"), 40), address.toString("hex")].map(
      (text) => `confirmedAdded/${text}`,
    );
    client.subscribe(...topics);
    await gateway.subscribed(41);
    expect(gateway.stats.topics).toBe(1);
    const last = await writeLarge(address, 3);
    const messages = await client.received(3 * 41);
    for (const sequence of [last - 2, last - 1, last]) {
      expect(messages.filter((one) => one.sequence === sequence).map(({ topic }) => topic)).toEqual(topics);
    }
    expect(messages.map(({ sequence }) => sequence)).toEqual([...messages.map(({ sequence }) => sequence)].sort());
    client.unsubscribe(...topics.slice(1));
    await gateway.subscribed(1);
    await scene.writer.write({ channel: "confirmedAdded", addresses: [address], data: { n: 9 } });
    const [only] = (await client.received(3 * 41 + 1)).slice(3 * 41);
    expect(only).toMatchObject({ topic: topics[0], data: { n: 9 } });
  });

  test("a namespace id too", async () => {
    const gateway = await scene.start();
    const client = await TestClient.connect(gateway.url);
    client.subscribe("status/c0fb8aa409916260", "status/C0FB8AA409916260", "status/C0fb8aa409916260");
    await gateway.subscribed(3);
    expect(gateway.stats.topics).toBe(1);
  });
});

test("a client that sends but does not read is disconnected", async () => {
  const address = randomAddress().bytes;
  const gateway = await scene.start({ limits: { pingIntervalMs: 2_000 } });
  const client = await TestClient.connect(gateway.url);
  client.subscribe("confirmedAdded");
  await gateway.subscribed(1);
  client.socket.pause();
  const talk = setInterval(() => client.subscribe("confirmedAdded"), 20);
  await writeLarge(address, 60);
  await until(() => gateway.stats.connections === 0, "it is cut");
  expect(gateway.stats).toMatchObject({ slowClosed: 1, deadCut: 0 });
  clearInterval(talk);
  client.socket.terminate();
});

test("the request rate is limited per client, over all its connections", async () => {
  const gateway = await scene.start({ limits: { messagesPerSecond: 20 } });
  const clients = [await TestClient.connect(gateway.url), await TestClient.connect(gateway.url)];
  const begun = Date.now();
  for (const client of clients) for (let n = 0; n < 20; n++) client.send({ uid: client.uid });
  for (const client of clients) await client.received(20);
  expect(Date.now() - begun).toBeGreaterThan(900);
});

describe("connections of one client", () => {
  /** Status of a rejected connection, or 101. */
  function statusOf(gateway: TestGateway, forwardedFor?: string): Promise<number> {
    const headers: Record<string, string> = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
    const socket = new WebSocket(gateway.url, { headers });
    return new Promise((resolve, reject) => {
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (request, response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
      socket.on("error", reject);
    });
  }

  test("beyond the limit they are rejected with 429 and a body, until one is closed", async () => {
    const gateway = await scene.start({ limits: { connectionsPerClient: 2 } });
    const first = await TestClient.connect(gateway.url);
    await TestClient.connect(gateway.url);
    const rejected = await RawClient.open({ port: gateway.port });
    rejected.write(get("/ws", ...WEBSOCKET_HEADERS));
    await until(() => rejected.isClosed, "it is rejected");
    const [{ status, body }] = rejected.answers as [RawAnswer];
    const message = "a client may have 2 connections to /ws: close one first";
    expect([status, JSON.parse(body)]).toEqual([429, { code: "TooManyRequests", message }]);
    expect(gateway.stats).toMatchObject({ connections: 2, connectionsRejected: 1 });
    await first.close();
    await until(() => gateway.stats.connections === 1, "one is closed");
    expect(await statusOf(gateway)).toBe(101);
  });

  test("behind a trusted proxy the real client counts; an IPv6 client is a /64 network", async () => {
    const clients = new Clients(["127.0.0.1"]);
    const gateway = await scene.start({ limits: { connectionsPerClient: 1 }, clients });
    const statuses = [];
    for (const address of [
      "203.0.113.1",
      "203.0.113.1",
      "9.9.9.9, 203.0.113.1",
      "203.0.113.2",
      "2001:db8:0:1::1",
      "2001:db8:0:1:ffff::2",
      "2001:db8:0:2::1",
    ]) {
      statuses.push(await statusOf(gateway, address));
    }
    expect(statuses).toEqual([101, 429, 429, 101, 101, 429, 101]);
  });

  test("without a trusted proxy no client can choose its identity", async () => {
    const gateway = await scene.start({ limits: { connectionsPerClient: 1 } });
    expect(await statusOf(gateway, "203.0.113.1")).toBe(101);
    expect(await statusOf(gateway, "203.0.113.2")).toBe(429);
  });
});
