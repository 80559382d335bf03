import { describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { NETWORK, type TestEvent } from "../support/event-writer.js";
import { until } from "../support/until.js";
import { MessageScene } from "./message-scene.js";
import { type Message, randomAddress, TestClient, type TestGateway } from "./websocket-fixture.js";

const scene = MessageScene.use();

const block = (n: number): TestEvent => ({ channel: "block", data: { n } });
const sequences = (messages: readonly Message[]) => messages.map(({ sequence }) => sequence);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** Writes this number of blocks, a few per transaction. */
async function writeBlocks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 50) await scene.writer.write(...range(n + 1, Math.min(n + 50, count)).map(block));
}

/** A gateway that starts after the oldest events were deleted: others have the newest ones in memory. */
async function startPruned(last: number): Promise<TestGateway> {
  await scene.writer.prune(last);
  return scene.start();
}

test("the newest events are read from memory: also while the database cannot be read", async () => {
  const gateway = await scene.start();
  await writeBlocks(3);
  await until(() => gateway.events.sequence === 3, "the gateway has read all events");
  await scene.writer.query("ALTER TABLE events RENAME TO hidden");
  const client = await TestClient.connect(gateway.url);
  client.resume(2, "block");
  expect(sequences(await client.received(2))).toEqual([2, 3]);
  await scene.writer.query("ALTER TABLE hidden RENAME TO events");
});

test("from may be the next event, and may be a text", async () => {
  const gateway = await scene.start();
  await writeBlocks(2);
  const client = await TestClient.connect(gateway.url);
  client.send({ uid: client.uid, subscribe: "block", from: "3" });
  await gateway.subscribed(1);
  await scene.writer.write(block(3));
  expect(sequences(await client.received(1))).toEqual([3]);
});

test("topics resumed together are delivered in the order of the events, each from its own start", async () => {
  const [one, other] = [randomAddress(), randomAddress()];
  const alias = encodeAliasAddress(0xc0fb8aa409916260n, NETWORK);
  const channels = ["block", "confirmedAdded", "status", "confirmedAdded", "unconfirmedRemoved"] as const;
  const events = range(1, 600).map((n): TestEvent => {
    const addresses = [[one.bytes], [one.bytes, other.bytes], [other.bytes], [alias]][n % 4]!;
    return { channel: channels[n % 5]!, data: { n }, addresses: n % 5 === 0 ? [] : addresses };
  });
  await scene.writer.write(...events);
  const starts: Record<string, number> = {
    block: 580,
    confirmedAdded: 301,
    [`confirmedAdded/${one.text}`]: 1,
    [`status/${other.text}`]: 222,
    "confirmedAdded/C0FB8AA409916260": 17,
    droppedBlocks: 601,
  };
  const belongs = (topic: string, { channel, addresses = [] }: TestEvent): boolean => {
    const [name, address] = topic.split("/");
    const bytes = address === one.text ? one.bytes : address === other.text ? other.bytes : alias;
    return channel === name && (address === undefined || addresses.some((each) => each.equals(bytes)));
  };
  const expected = events.flatMap((event, index) =>
    Object.entries(starts).flatMap(([topic, from]) =>
      index + 1 >= from && belongs(topic, event) ? [`${index + 1} ${topic}`] : [],
    ),
  );
  const gateway = await scene.start();
  const client = await TestClient.connect(gateway.url);
  for (const [topic, from] of Object.entries(starts)) client.resume(from, topic);
  const messages = await client.received(expected.length);
  expect(sequences(messages)).toEqual([...sequences(messages)].sort((a, b) => a - b));
  expect(messages.map(({ topic, sequence }) => `${sequence} ${topic}`).sort()).toEqual([...expected].sort());
  await scene.writer.write({ channel: "droppedBlocks", data: { n: 601 } }, block(602));
  expect(sequences((await client.received(expected.length + 2)).slice(-2))).toEqual([601, 602]);
});

test("the greeting contains the newest sequence on request: a start without a first message", async () => {
  const gateway = await scene.start();
  await writeBlocks(4);
  await until(() => gateway.events.sequence === 4, "the gateway knows");
  const greeting = await new Promise((resolve) => {
    const socket = new WebSocket(`${gateway.url}?sequence`);
    socket.once("message", (data) => {
      resolve(JSON.parse(data.toString()));
      socket.close();
    });
  });
  expect(greeting).toEqual({ uid: expect.any(String), sequence: 4 });
});

test("unsubscribing ends the delivery of missed events, and the client can start again", async () => {
  const gateway = await scene.start();
  await writeBlocks(900);
  const client = await TestClient.connect(gateway.url);
  client.resume(1, "block");
  client.unsubscribe("block");
  client.resume(890, "block");
  expect(sequences(await client.received(11))).toEqual(range(890, 900));
  await scene.writer.write(block(901));
  expect(sequences(await client.received(12))).toEqual(range(890, 901));
  expect(gateway.stats.subscriptions).toBe(1);
});

test("a client that does not read its missed events is waited for, and others are not affected", async () => {
  const gateway = await scene.start({ limits: { bufferedBytes: 1024 * 1024 } });
  const padding = "x".repeat(64 * 1024);
  for (const n of range(1, 200)) await scene.writer.write({ channel: "block", data: { n, padding } });
  const slow = await TestClient.connect(gateway.url);
  slow.socket.pause();
  slow.resume(1, "block");
  const quick = await TestClient.connect(gateway.url);
  quick.resume(195, "block");
  expect(sequences(await quick.received(6))).toEqual(range(195, 200));
  // At the pace of the client that reads: events that are read at one time may exceed what may wait for it.
  for (const n of range(201, 230)) {
    await scene.writer.write({ channel: "block", data: { n, padding } });
    await quick.received(n - 194);
  }
  expect(sequences(quick.messages)).toEqual(range(195, 230));
  slow.socket.resume();
  expect(sequences(await slow.received(230))).toEqual(range(1, 230));
  expect(gateway.stats.slowClosed).toBe(0);
});

describe("an impossible start is rejected, and the error names a possible one", () => {
  test.each([
    ["older than what is kept", 20],
    ["the first event ever", 1],
    ["zero", 0],
  ])("%s", async (_what, from) => {
    await writeBlocks(40);
    const gateway = await startPruned(30);
    const client = await TestClient.connect(gateway.url);
    client.resume(from, "block");
    const error = await client.error();
    expect(error).toEqual({
      code: "InvalidArgument",
      message: expect.any(String),
      oldest: 31,
      next: 41,
      request: { subscribe: "block" },
    });
    expect(error.message).toContain("from 31 to 41");
    await gateway.subscribed(0);
    client.resume(error.oldest!, "block");
    expect(sequences(await client.received(10))).toEqual(range(31, 40));
  });

  test("in the future, as after the index was rebuilt", async () => {
    const gateway = await scene.start();
    await writeBlocks(3);
    const client = await TestClient.connect(gateway.url);
    client.resume(5, "block");
    expect(await client.error()).toMatchObject({ code: "InvalidArgument", oldest: 1, next: 4 });
    await gateway.subscribed(0);
  });

  test("of several topics, only those with an invalid start", async () => {
    await writeBlocks(20);
    const gateway = await startPruned(10);
    const client = await TestClient.connect(gateway.url);
    client.resume(3, "confirmedAdded");
    client.resume(15, "block");
    client.resume(99, "finalizedBlock");
    const messages = await client.received(8);
    expect(messages.filter(({ topic }) => topic === "error")).toHaveLength(2);
    expect(sequences(messages.filter(({ topic }) => topic === "block"))).toEqual(range(15, 20));
    await gateway.subscribed(1);
  });

  test("if no events are stored, the next one is the start", async () => {
    await writeBlocks(5);
    const gateway = await startPruned(5);
    const client = await TestClient.connect(gateway.url);
    client.resume(5, "block");
    expect(await client.error()).toMatchObject({ oldest: 6, next: 6 });
    client.resume(6, "block");
    await gateway.subscribed(1);
    await scene.writer.write(block(6));
    expect(sequences(await client.received(1))).toEqual([6]);
  });

  test.each([
    ["a word", "soon"],
    ["a fraction", 1.5],
    ["a negative number", -1],
    ["a list", [1]],
  ])("%s", async (_what, from) => {
    const gateway = await scene.start();
    const client = await TestClient.connect(gateway.url);
    client.send({ uid: client.uid, subscribe: "block", from });
    expect(await client.error()).toEqual({
      code: "InvalidContent",
      message: "from must be the sequence of an event, an integer from 0 to 2^53 - 1",
      request: { subscribe: "block", from },
    });
    expect(gateway.stats.subscriptions).toBe(0);
  });

  test("while the database cannot be read", async () => {
    await writeBlocks(1);
    const gateway = await scene.start();
    const client = await TestClient.connect(gateway.url);
    await scene.writer.query("ALTER TABLE events RENAME TO hidden");
    client.resume(1, "block");
    expect(await client.error()).toEqual({
      code: "InternalServiceError",
      message: "the gateway failed",
      request: { subscribe: "block" },
    });
    await scene.writer.query("ALTER TABLE hidden RENAME TO events");
    await gateway.subscribed(0);
    client.resume(1, "block");
    await scene.writer.write(block(2));
    expect(sequences(await client.received(2))).toEqual([1, 2]);
  });
});
