import { beforeEach, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { channels } from "../../catapult/structs/message.js";
import { createMigratedDatabase } from "../support/database.js";
import { EventWriter, NETWORK } from "../support/event-writer.js";
import { get, type RawAnswer, RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
import { until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { listen, randomAddress, TestClient, TestGateway } from "./websocket-fixture.js";

const scene = MessageScene.use();
let gateway: TestGateway;

beforeEach(async () => {
  gateway = await scene.start({
    limits: { subscriptionsPerConnection: 20, connections: 4, messageBytes: 1_024 },
  });
});

const client = (...topics: string[]) => listen(gateway, ...topics);

const numbers = (messages: readonly { data: { n?: number } }[]) => messages.map(({ data }) => data.n);

describe("messages", () => {
  test("the first one is a unique uid of the connection", async () => {
    const [one, other] = [await client(), await client()];
    expect(one.uid).toMatch(/^[A-Za-z0-9_-]{20}$/);
    expect(other.uid).not.toBe(one.uid);
  });

  test("a message has the topic as subscribed, the data as stored, and the sequence", async () => {
    const listener = await client("block");
    const data = { block: { height: "12345678901234567890" }, text: 'ünï\u2028 "quoted"' };
    const sequence = await scene.writer.write({ channel: "block", data });
    expect(await listener.received(1)).toEqual([{ topic: "block", data, sequence }]);
  });

  test("messages of every length arrive intact: the length takes one, three or nine bytes of a frame", async () => {
    const listener = await client("block");
    for (const length of [124, 125, 126, 127, 65_535, 65_536, 200_001]) {
      const sequence = (await scene.writer.write({ channel: "finalizedBlock", data: {} })) + 1;
      const { length: rest } = JSON.stringify({ topic: "block", data: { padding: "" }, sequence });
      const data = { padding: `${"ü".repeat((length - rest) >> 1)}${"x".repeat((length - rest) & 1)}` };
      await scene.writer.write({ channel: "block", data });
      expect((await listener.received(1)).splice(0)).toEqual([{ topic: "block", data, sequence }]);
    }
  });

  test("a topic subscribed twice is delivered once", async () => {
    const listener = await client("block");
    listener.subscribe("block", "block", "finalizedBlock");
    await gateway.subscribed(2);
    await scene.writer.write({ channel: "block", data: { n: 1 } }, { channel: "finalizedBlock", data: { n: 2 } });
    expect(numbers(await listener.received(2))).toEqual([1, 2]);
  });

  test("after unsubscribing nothing is delivered, and the topic is closed with its last subscriber", async () => {
    const [stays, leaves] = [await client("block"), await client("block", "finalizedBlock")];
    leaves.unsubscribe("block");
    await gateway.subscribed(2);
    await scene.writer.write({ channel: "block", data: { n: 1 } }, { channel: "finalizedBlock", data: { n: 2 } });
    expect(numbers(await leaves.received(1))).toEqual([2]);
    expect(numbers(await stays.received(1))).toEqual([1]);
    stays.unsubscribe("block");
    await leaves.close();
    await gateway.subscribed(0);
    expect(gateway.stats).toMatchObject({ connections: 1, topics: 0 });
  });

  test("unsubscribing an unknown topic is no error, subscribing again works", async () => {
    const listener = await client("block");
    listener.unsubscribe("finalizedBlock", "block", "block");
    await gateway.subscribed(0);
    listener.subscribe("block");
    await gateway.subscribed(1);
    await scene.writer.write({ channel: "block", data: { n: 1 } });
    expect(await listener.received(1)).toMatchObject([{ topic: "block", data: { n: 1 } }]);
  });
});

test("heartbeats are sent to those who have subscribed to them, and are no events", async () => {
  const beating = await scene.start({ limits: { heartbeatMs: 20 } });
  const [wants, left, other] = [
    await TestClient.connect(beating.url),
    await TestClient.connect(beating.url),
    await listen(beating, "block"),
  ];
  wants.subscribe("heartbeat");
  left.subscribe("heartbeat");
  expect((await wants.received(3))[0]).toEqual({ topic: "heartbeat", data: {} });
  left.unsubscribe("heartbeat", "nothing");
  await until(() => left.messages.some(({ topic }) => topic === "error"), "unsubscribed");
  const count = left.messages.length;
  await wants.received(wants.messages.length + 3);
  expect(left.messages).toHaveLength(count);
  expect(other.messages).toEqual([]);
  expect(beating.stats.subscriptions).toBe(1);
});

describe("addresses", () => {
  test("a namespace id means its alias address, in any spelling, and messages keep the client's spelling", async () => {
    const alias = encodeAliasAddress(0xc0fb8aa409916260n, NETWORK);
    const listener = await client("confirmedAdded/C0FB8AA409916260", "confirmedAdded/c0fb8aa409916260");
    await scene.writer.write(
      { channel: "confirmedAdded", data: { n: 1 }, addresses: [alias] },
      { channel: "confirmedAdded", data: { n: 2 }, addresses: [randomAddress().bytes] },
    );
    const messages = await listener.received(2);
    expect(messages.map(({ topic }) => topic).sort()).toEqual([
      "confirmedAdded/C0FB8AA409916260",
      "confirmedAdded/c0fb8aa409916260",
    ]);
    expect(numbers(messages)).toEqual([1, 1]);
  });

  test("an address may be in hex, as in bodies", async () => {
    const { bytes } = randomAddress();
    const hex = bytes.toString("hex");
    const alias = encodeAliasAddress(0xc0fb8aa409916260n, NETWORK);
    const listener = await client(`confirmedAdded/${hex}`, `confirmedAdded/${alias.toString("hex").toUpperCase()}`);
    await scene.writer.write(
      { channel: "confirmedAdded", data: { n: 1 }, addresses: [bytes] },
      { channel: "confirmedAdded", data: { n: 2 }, addresses: [alias] },
    );
    expect((await listener.received(2)).map(({ topic, data }) => [topic.length, data.n])).toEqual([
      [hex.length + 15, 1],
      [hex.length + 15, 2],
    ]);
  });

  test("an event that names an address twice is delivered once", async () => {
    const { bytes, text } = randomAddress();
    const listener = await client(`confirmedAdded/${text}`);
    await scene.writer.write(
      { channel: "confirmedAdded", data: { n: 1 }, addresses: [bytes, Buffer.from(bytes)] },
      { channel: "confirmedAdded", data: { n: 2 }, addresses: [bytes] },
    );
    expect(numbers(await listener.received(2))).toEqual([1, 2]);
  });

  test("all channels of the specification are accepted, with and without an address", async () => {
    const { text } = randomAddress();
    const topics = Object.entries(channels).flatMap(([name, { addressed }]) =>
      addressed ? [name, `${name}/${text}`] : [name],
    );
    expect(topics.length).toBeGreaterThanOrEqual(17);
    const listener = await client(...topics);
    expect(listener.messages).toEqual([]);
  });
});

describe("bad requests are answered and have no effect", () => {
  const good = randomAddress().text;
  const foreign = randomAddress(104).text;
  const damaged = `${good.slice(0, 20)}${good[20] === "A" ? "B" : "A"}${good.slice(21)}`;
  test.each([
    ["an unknown channel", { subscribe: "blocks" }, "InvalidArgument", 'no channel "blocks"; the channels are block,'],
    ["a channel named like a member of objects", { subscribe: "constructor" }, "InvalidArgument", "no channel"],
    ["an empty channel", { subscribe: "" }, "InvalidArgument", "subscribe or unsubscribe is missing"],
    [
      "an address of a channel without addresses",
      { subscribe: `block/${good}` },
      "InvalidArgument",
      "block takes no address",
    ],
    ["an empty address", { subscribe: "confirmedAdded/" }, "InvalidArgument", "address is missing"],
    ["an invalid address", { subscribe: "status/HELLO" }, "InvalidContent", "39 base32 characters"],
    ["a wrong checksum", { subscribe: `status/${damaged}` }, "InvalidContent", "checksum"],
    ["another network's address", { subscribe: `confirmedAdded/${foreign}` }, "InvalidArgument", foreign],
    ["something after the address", { subscribe: `confirmedAdded/${good}/x` }, "InvalidContent", "39 base32"],
    ["a namespace id that is too short", { subscribe: "confirmedAdded/C0FB8AA40991626" }, "InvalidContent", "16 hex"],
    ["neither subscribe nor unsubscribe", {}, "InvalidArgument", "subscribe or unsubscribe is missing"],
    ["both", { subscribe: "block", unsubscribe: "block" }, "InvalidArgument", "not both"],
    ["a number as channel", { subscribe: 7 }, "InvalidContent", "subscribe must be a string"],
    ["null to unsubscribe", { unsubscribe: null }, "InvalidArgument", "subscribe or unsubscribe is missing"],
    ["unsubscribing an unknown channel", { unsubscribe: "blocks" }, "InvalidArgument", 'no channel "blocks"'],
  ])("%s", async (_what, request, code, message) => {
    const listener = await client("block");
    listener.send({ uid: listener.uid, ...request });
    const error = await listener.error();
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    await gateway.subscribed(1);
    await scene.writer.write({ channel: "block", data: { n: 1 } });
    expect(numbers(await listener.received(1))).toEqual([1]);
    expect(gateway.stats.requestsRejected).toBe(1);
  });

  test("one subscription too many", async () => {
    const listener = await client(...Array.from({ length: 20 }, () => `confirmedAdded/${randomAddress().text}`));
    listener.subscribe("block");
    expect(await listener.error()).toEqual({
      code: "TooManyRequests",
      message: "a connection may have at most 20 subscriptions",
      request: { subscribe: "block" },
    });
    expect(gateway.stats.subscriptions).toBe(20);
  });

  test("rejected subscriptions do not count", async () => {
    const listener = await client();
    listener.subscribe(...Array.from({ length: 30 }, () => `confirmedAdded/${randomAddress(104).text}`));
    // At most 20 are processed together, the others are rejected as too many.
    const answers = (await listener.received(30)).map(({ data }) => data.code);
    expect(answers.filter((code) => code === "InvalidArgument").length).toBeGreaterThanOrEqual(20);
    await gateway.subscribed(0);
    listener.subscribe("block");
    await gateway.subscribed(1);
  });

  test("an internal failure does not reveal its cause", async () => {
    const broken = await createMigratedDatabase();
    const indexer = new EventWriter(broken.url);
    await indexer.begin();
    const failing = await TestGateway.start({ databaseUrl: broken.url });
    const listener = await TestClient.connect(failing.url);
    await indexer.query("ALTER TABLE head RENAME COLUMN network_identifier TO gone");
    listener.subscribe(`confirmedAdded/${good}`);
    expect(await listener.error()).toEqual({
      code: "InternalServiceError",
      message: "the gateway failed",
      request: { subscribe: `confirmedAdded/${good}` },
    });
    listener.subscribe("block");
    await failing.subscribed(1);
    await failing.close();
    await indexer.close();
    await broken.drop();
  });

  test("an address while the network is unknown", async () => {
    const empty = await createMigratedDatabase();
    const indexer = new EventWriter(empty.url);
    const early = await TestGateway.start({ databaseUrl: empty.url });
    const listener = await TestClient.connect(early.url);
    const topic = `confirmedAdded/${good}`;
    listener.subscribe(topic);
    expect(await listener.error()).toMatchObject({ code: "ServiceUnavailable" });
    await indexer.begin();
    listener.subscribe(topic);
    await early.subscribed(1);
    await early.close();
    await indexer.close();
    await empty.drop();
  });
});

describe("ends of a connection", () => {
  test.each([
    ["no JSON", "subscribe: block", 1008, "The message is not JSON"],
    ["a JSON text", '"block"', 1008, "The message is not a JSON object"],
    ["null", "null", 1008, "The message is not a JSON object"],
    ["a list", "[]", 1008, "The message is not a JSON object"],
    ["no uid", '{"subscribe":"block"}', 1008, "The uid is not that of this connection"],
    ["a wrong uid", '{"uid":"AAAAAAAAAAAAAAAAAAAA","subscribe":"block"}', 1008, "The uid is not that of"],
    ["a message of 1 MiB", "x".repeat(1024 * 1024), 1009, ""],
  ])("%s", async (_what, text, code, reason) => {
    const [bad, good] = [await client("block"), await client("block")];
    bad.send(text);
    const closed = await bad.ended();
    expect(closed.code).toBe(code);
    expect(closed.reason).toContain(reason);
    await gateway.subscribed(1);
    await scene.writer.write({ channel: "block", data: { n: 1 } });
    expect(numbers(await good.received(1))).toEqual([1]);
    expect(bad.messages).toEqual([]);
  });

  test("the uid of another connection", async () => {
    const [one, other] = [await client(), await client()];
    one.send({ uid: other.uid, subscribe: "block" });
    expect((await one.ended()).code).toBe(1008);
  });

  test("frames that break the protocol", async () => {
    const good = await client("block");
    const raw = await RawClient.open({ port: gateway.port });
    raw.write(get("/ws", ...WEBSOCKET_HEADERS));
    await until(() => gateway.stats.connections === 2, "connected");
    raw.socket.write(Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff));
    await until(() => gateway.stats.connections === 1, "the connection is gone");
    raw.reset();
    await scene.writer.write({ channel: "block", data: { n: 1 } });
    expect(numbers(await good.received(1))).toEqual([1]);
  });

  test("stopping the gateway: 1001 for every client, and upgrades are rejected meanwhile", async () => {
    const listeners = [await client("block"), await client()];
    await scene.stop(gateway);
    for (const listener of listeners) expect((await listener.ended()).code).toBe(1001);
  });
});

describe("upgrades", () => {
  async function rejection(url: string): Promise<{ status: number; body: { code: string; message: string } }> {
    const socket = new WebSocket(url);
    return new Promise((resolve, reject) => {
      socket.on("error", () => undefined);
      socket.on("open", () => reject(new Error("It was accepted")));
      socket.on("unexpected-response", (_request, response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      });
    });
  }

  test("one connection too many gets 503, and a free slot is reused", async () => {
    const held = [await client(), await client(), await client(), await client()];
    const { status, body } = await rejection(gateway.url);
    expect(status).toBe(503);
    expect(body).toEqual({ code: "ServiceUnavailable", message: "the limit of 4 connections is reached" });
    expect(gateway.stats.connectionsRejected).toBe(1);
    await held[0]?.close();
    await until(() => gateway.stats.connections === 3, "a slot is free");
    await client("block");
  });

  test("another path gets 404", async () => {
    const { status, body } = await rejection(gateway.url.replace("/ws", "/websocket"));
    expect(status).toBe(404);
    expect(body.message).toContain("/ws");
  });

  test("a query string does no harm", async () => {
    const listener = await TestClient.connect(`${gateway.url}?x=1`);
    expect(listener.uid).not.toBe("");
  });

  async function rawAnswer(request: string): Promise<RawAnswer> {
    const raw = await RawClient.open({ port: gateway.port });
    raw.write(request);
    await until(() => raw.isClosed, "it is answered");
    return raw.answers[0]!;
  }
  const h2c = "Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n";

  test("a handshake without a key gets an error that names it", async () => {
    const answer = await rawAnswer("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(/"code":"InvalidContent","message":".*Sec-WebSocket-/s);
  });

  test("a client that requests HTTP/2 gets the plain answer", async () => {
    const answer = await rawAnswer(`GET /chain/info HTTP/1.1\r\n${h2c}\r\n`);
    expect(answer).toMatchObject({ status: 200, body: "plain" });
  });

  test("a client that requests HTTP/2 with a body of undeclared length is rejected, where Node cannot read it", async () => {
    const answer = await rawAnswer(
      `PUT /transactions HTTP/1.1\r\n${h2c}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    );
    expect(`${answer.status} ${answer.body}`).toMatch(/^(400 .*must be sent with Content-Length|200 plain)/s);
  });
});
