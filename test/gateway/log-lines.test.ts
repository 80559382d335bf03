import { once } from "node:events";
import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { FairQueue } from "../../gateway/clients/fair-queue.js";
import { ReceiveLimit } from "../../gateway/clients/receive-limit.js";
import { RequestQueue } from "../../gateway/clients/request-queue.js";
import { logLimited } from "../../schema/errors/limited-log.js";
import { until } from "../support/until.js";
import { GatewayFixture, TestLog } from "./gateway-fixture.js";

const WARN = 40;
const TOKEN = "a-token-of-this-test";

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await GatewayFixture.start(3, { graphqlTokens: [{ name: "one", token: TOKEN }] });
});

afterAll(() => gateway?.close());

afterEach(() => mock.timers.reset());

const loud = () => gateway.log.lines.filter(({ level }) => Number(level) >= WARN);

/** Messages that no client may send, or not now. */
const WRONG_MESSAGES = [
  '{"type":"next"}',
  '{"type":"next","id":"1","payload":{}}',
  '{"type":"error","id":"1","payload":[{"message":"x"}]}',
  '{"type":"connection_ack"}',
  '{"type":"complete","id":"__proto__"}',
  '{"type":"ping","payload":5}',
  '{"type":"subscribe","id":"1","payload":{"query":"{ __typename }"}}',
  '{"type":"connection_init","payload":{"Authorization":{"toString":1}}}',
  '{"type":"connection_init","payload":{"Authorization":5}}',
  "[]",
  "nonsense",
  "null",
  '{"type":{}}',
];

test.each(WRONG_MESSAGES)("%s to /graphql without a token is no error of ours", async (message) => {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  const closed = once(socket, "close") as Promise<[number]>;
  socket.send(message);
  if (message.includes("complete")) socket.close(1000);
  const [code] = await closed;
  expect(code).not.toBe(1011);
  expect(loud()).toEqual([]);
});

test("a message that only servers send closes the connection as any other invalid one", async () => {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  socket.send('{"type":"connection_ack"}');
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  expect([code, String(reason)]).toEqual([4400, "Invalid message received"]);
});

test("what clients do wrong over HTTP and /ws is no error either", async () => {
  for (const path of [
    "/nothing",
    "/blocks/x",
    "/blocks?pageSize=x",
    "/%zz",
    "/graphql",
    "/explorer/data?page=//",
    "/blocks/99999",
  ])
    await gateway.get(path);
  for (const body of ["", "{", "[]", "null", '{"query":5}', `{"query":"{ ${"a".repeat(1_000)} }"}`])
    await gateway.post("/graphql", body, { authorization: `Bearer ${TOKEN}` });
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  socket.send("nonsense");
  await once(socket, "close");
  const query = "query ($__proto__: SafeInt!) { block(height: $__proto__) { hash } }";
  await gateway.post("/graphql", { query, variables: { ["__proto__"]: 1 } }, { authorization: `Bearer ${TOKEN}` });
  expect(loud()).toEqual([]);
});

test("of one client there are ten lines a minute, and one that says how many were left out", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const log = new TestLog();
  const minute = (client: string, count: number) => {
    for (let n = 0; n < count; ++n) logLimited(log.logger, client, { n }, "Request failed");
  };
  const lines = () => log.lines.filter(({ level }) => Number(level) >= WARN).splice(0);
  minute("203.0.113.1", 25);
  minute("203.0.113.2", 1);
  expect(lines()).toHaveLength(11);
  mock.timers.tick(60_000);
  expect(lines().slice(11)).toMatchObject([{ cause: "203.0.113.1", leftOut: 15 }]);
  minute("203.0.113.1", 10);
  mock.timers.tick(60_000);
  expect(lines()).toHaveLength(22);
});

test("a fault in the handling of a message ends its connection, not the work of others", async () => {
  const rejections: unknown[] = [];
  const report = (error: unknown) => rejections.push(error);
  // The test's own handler fails the test.
  const others = process.rawListeners("unhandledRejection") as ((error: unknown) => void)[];
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", report);
  const steps = new FairQueue();
  const receiveLimit = new ReceiveLimit({ messagesPerSecond: 1_000, bytesPerSecond: 10_000 });
  const failed: string[] = [];
  const handled: string[] = [];
  const owner = (clientKey: string) => ({
    clientKey,
    isOpen: true,
    handle: (request: Buffer) => {
      if (String(request) === "fault") throw new Error("a fault");
      handled.push(`${clientKey} ${request}`);
    },
    fail: () => void failed.push(clientKey),
    pause: () => undefined,
    resume: () => undefined,
    onPaused: () => undefined,
  });
  try {
    const [bad, good] = ["bad", "good"].map((key) => new RequestQueue(owner(key), steps, receiveLimit)) as [
      RequestQueue,
      RequestQueue,
    ];
    bad.add(Buffer.from("fault"));
    for (const n of [1, 2, 3]) good.add(Buffer.from(String(n)));
    await until(() => rejections.length === 1 && handled.length === 3, "the others are handled, the fault is reported");
    expect(failed).toEqual(["bad"]);
    expect(handled).toEqual(["good 1", "good 2", "good 3"]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
    steps.close();
  }
});
