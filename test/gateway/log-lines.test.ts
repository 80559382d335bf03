import { once } from "node:events";
import { mock } from "node:test";
import { afterEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { FairQueue } from "../../gateway/clients/fair-queue.js";
import { Inbox } from "../../gateway/sockets/inbox.js";
import { logLimited } from "../../schema/limits/limited-log.js";
import { until } from "../support/until.js";
import { GatewayFixture, TestLog } from "./gateway-fixture.js";

const TOKEN = "a-token-of-this-test";

const gateway = GatewayFixture.use(3, { graphqlTokens: [{ name: "one", token: TOKEN }] });

afterEach(() => mock.timers.reset());

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
  const socket = new WebSocket(`${gateway.socketUrl}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  const closed = once(socket, "close") as Promise<[number]>;
  socket.send(message);
  if (message.includes("complete")) socket.close(1000);
  const [code] = await closed;
  expect(code).not.toBe(1011);
  expect(gateway.log.loud()).toEqual([]);
});

test("a message that only servers send closes the connection as any other invalid one", async () => {
  const socket = new WebSocket(`${gateway.socketUrl}/graphql`, "graphql-transport-ws");
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
  const socket = new WebSocket(`${gateway.socketUrl}/ws`);
  await once(socket, "open");
  socket.send("nonsense");
  await once(socket, "close");
  const query = "query ($__proto__: SafeInt!) { block(height: $__proto__) { hash } }";
  await gateway.post("/graphql", { query, variables: { ["__proto__"]: 1 } }, { authorization: `Bearer ${TOKEN}` });
  expect(gateway.log.loud()).toEqual([]);
});

test("of one client there are ten lines, then ten a minute, which say that others are left out", () => {
  let now = 0;
  const clock = mock.method(performance, "now", () => now);
  const log = new TestLog();
  const report = (client: string, count: number) => {
    for (let n = 0; n < count; ++n) logLimited(log.logger, client, { n }, "Request failed");
    const loud = log.loud();
    log.lines.length = 0;
    return loud;
  };
  const lines = report("203.0.113.1", 25);
  expect(lines.map(({ othersLeftOutForSeconds: seconds }) => seconds)).toEqual([...Array(9).fill(undefined), 6]);
  expect(report("203.0.113.2", 1)).toMatchObject([{ cause: "203.0.113.2" }]);
  now += 12_000;
  expect(report("203.0.113.1", 25)).toHaveLength(2);
  now += 60_000;
  expect(report("203.0.113.1", 10)).toHaveLength(10);
  clock.mock.restore();
});

test("a fault in the handling of a message ends its connection, not the work of others", async () => {
  const rejections: unknown[] = [];
  const report = (error: unknown) => rejections.push(error);
  // The test's own handler fails the test.
  const others = process.rawListeners("unhandledRejection") as ((error: unknown) => void)[];
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", report);
  const turns = new FairQueue();
  const limits = { messagesPerSecond: 1_000, bytesPerSecond: 10_000 };
  const failed: string[] = [];
  const handled: string[] = [];
  const receive = (inbox: Inbox, client: string, ...messages: string[]) => {
    const connection = {
      isOpen: true,
      handle: (message: Buffer) => {
        if (String(message) === "fault") throw new Error("a fault");
        handled.push(`${client} ${message}`);
      },
      fail: () => void failed.push(client),
      pause: () => undefined,
      resume: () => undefined,
      onPaused: () => undefined,
    };
    for (const message of messages) inbox.receive(connection, Buffer.from(message));
  };
  try {
    const bad = new Inbox("bad", turns, limits);
    receive(bad, "bad", "fault");
    receive(bad, "same client", "1");
    receive(new Inbox("good", turns, limits), "good", "1", "2", "3");
    await until(() => rejections.length === 1 && handled.length === 4, "the others are handled, the fault is reported");
    expect(failed).toEqual(["bad"]);
    expect(handled).toEqual(["good 1", "same client 1", "good 2", "good 3"]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
});
