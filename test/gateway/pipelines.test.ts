import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { withoutCache } from "../bench/gateway-program.js";
import { get, post, type RawAnswer, type RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
import { isWithin, pause, until } from "../support/until.js";
import { LONGEST_WAIT_MS, ProgramFixture } from "./program-fixture.js";

/**
 * Several requests over one connection, of which the first is in work when the others arrive. Every request that was
 * read completely gets its answer, in order, or the connection is closed before any later answer is sent.
 */

const H2C = ["Connection: Upgrade", "Upgrade: h2c"];
const CONNECT = "CONNECT node.example:7900 HTTP/1.1\r\nHost: node.example:7900\r\n\r\n";
const GARBAGE = "garbage\r\n\r\n";

/** A request, and what its answer is, if there is one. */
interface Expected {
  readonly request: string;
  readonly isAnswer: (answer: RawAnswer) => boolean;
}

const block = (height: number, ...headers: readonly string[]): Expected => ({
  request: get(`/blocks/${height}`, ...headers),
  isAnswer: ({ status, body }) => status === 200 && body.includes(`"height":"${height}"`),
});
const accounts = (...headers: readonly string[]): Expected => ({
  request: post("/accounts", { publicKeys: ["A".repeat(64)] }, ...headers),
  isAnswer: ({ status, body }) => status === 200 && body === "[]",
});
const rejected = (request: string): Expected => ({ request, isAnswer: ({ status }) => status >= 400 });
const webSocket: Expected = {
  request: get("/ws", ...WEBSOCKET_HEADERS),
  isAnswer: ({ status }) => status === 101 || status >= 400,
};

let gateway: ProgramFixture;
let secure: ProgramFixture;

beforeAll(async () => {
  // Otherwise what is kept would be answered although the database cannot be read.
  gateway = await ProgramFixture.start({}, false, withoutCache);
  secure = await ProgramFixture.start({}, true, withoutCache);
});

afterAll(async () => {
  await gateway?.close();
  await secure?.close();
});

/** Sends requests in one segment while the first of them has to wait for the database. */
async function sendTogether(to: ProgramFixture, sent: readonly Expected[], afterwards?: (client: RawClient) => void) {
  const client = await to.open();
  await to.whileLocked(["blocks"], async () => {
    client.write(...sent.map(({ request }) => request));
    afterwards?.(client);
    // Long enough for an answer that does not wait for its predecessors.
    await pause(200);
  });
  return client;
}

/** Fails unless each request has its answer, or the connection is closed after the answers to the first ones. */
async function expectAnswersInOrder(client: RawClient, sent: readonly Expected[]): Promise<void> {
  await isWithin(LONGEST_WAIT_MS, () => client.isClosed || client.answers.length >= sent.length);
  const { answers, rest, isClosed } = client;
  const places = answers.map((answer) => sent.findIndex(({ isAnswer }) => isAnswer(answer)));
  expect({ places, answers }).toEqual({ places: answers.map((_, place) => place), answers });
  if (answers.length < sent.length) expect({ isClosed, answers }).toEqual({ isClosed: true, answers });
  expect(rest).not.toContain("HTTP/1.1 ");
  client.reset();
}

/** Fails unless the process lives, and serves the same client at once. */
async function expectUnharmed(of: ProgramFixture): Promise<void> {
  expect(of.isAlive).toBe(true);
  expect((await of.ask(get("/blocks?pageSize=10")))?.status).toBe(200);
  await of.hasNoHeldSlots();
}

describe("over one connection, in one segment:", () => {
  test("ordinary requests are all answered", async () => {
    const sent = [block(11), accounts(), block(13)];
    const client = await sendTogether(gateway, sent);
    await until(() => client.answers.length === sent.length, "all requests are answered");
    await expectAnswersInOrder(client, sent);
    await expectUnharmed(gateway);
  });

  // Without a rule for it, the second one got no answer on an open connection: Node 22.23, 24.21, 26.
  test.each([
    ["GET", [block(11, ...H2C), block(12)]],
    ["POST", [accounts(...H2C), block(12)]],
  ])("a request after one that asks for HTTP/2: %s", async (_what, sent) => {
    await expectAnswersInOrder(await sendTogether(gateway, sent), sent);
    await expectUnharmed(gateway);
  });

  test.each([
    ["a WebSocket", [block(11), webSocket]],
    ["a WebSocket after two requests", [block(11), block(12), webSocket]],
    ["CONNECT", [block(11), rejected(CONNECT)]],
    ["CONNECT after two requests", [block(11), block(12), rejected(CONNECT)]],
    ["no HTTP", [block(11), rejected(GARBAGE)]],
    ["no HTTP after two requests", [block(11), block(12), rejected(GARBAGE)]],
    ["nonsense to expect", [block(11), rejected(get("/blocks/12", "Expect: nonsense")), block(13)]],
    ["a target without a path", [block(11), rejected("GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n"), block(13)]],
    ["no host", [block(11), rejected("GET /blocks/12 HTTP/1.1\r\n\r\n"), block(13)]],
    ["a body with an invalid chunk", [block(11), rejected(chunked("zz\r\n")), block(13)]],
    [
      "two lengths",
      [block(11), rejected(`POST /accounts HTTP/1.1\r\nHost: x\r\n${"Content-Length: 2\r\n".repeat(2)}\r\n{}`)],
    ],
  ] as const)("a request, then %s", async (_what, sent) => {
    await expectAnswersInOrder(await sendTogether(gateway, sent), sent);
    await expectUnharmed(gateway);
  });

  test.each([
    ["HTTP", () => gateway],
    ["HTTPS", () => secure],
  ])("requests of a client that has closed its sending side, over %s", async (_what, of) => {
    const sent = [block(11), block(12)];
    const client = await sendTogether(of(), sent, ({ socket }) => socket.end());
    await expectAnswersInOrder(client, sent);
    await expectUnharmed(of());
  });
});

test("a client that has closed its sending side gets over HTTPS what it gets over HTTP", async () => {
  const answersOf = async (to: ProgramFixture) => {
    const client = await sendTogether(to, [block(11)], ({ socket }) => socket.end());
    await until(() => client.isClosed, "the connection is closed");
    return client.answers.map(({ status, body }) => ({ status, body }));
  };
  expect(await answersOf(secure)).toEqual(await answersOf(gateway));
});

test("the body of a request is read although its client has closed its sending side, and it has to wait", async () => {
  const sent = [accounts()];
  const client = await gateway.whileLocked(["blocks", "accounts"], async (lock) => {
    const before = await Promise.all(Array.from({ length: 4 }, () => gateway.open()));
    for (const [place, each] of before.entries()) each.write(get(`/blocks/${place + 1}`));
    await lock.isAwaitedBy(before.length);
    const closing = await gateway.open();
    closing.socket.end(sent[0]!.request);
    await pause(200);
    return closing;
  });
  await expectAnswersInOrder(client, sent);
  await expectUnharmed(gateway);
});

// Without a rule for it, the process ended: Node 20, 22.20, 24.8. Last, because the tests after it would fail too.
test.each([
  ["another one", [block(11), block(12, ...H2C)]],
  ["another one, and before a third", [block(11), block(12, ...H2C), block(13)]],
])("a request that asks for HTTP/2 in one segment, after %s", async (_what, sent) => {
  await expectAnswersInOrder(await sendTogether(gateway, sent), sent);
  await expectUnharmed(gateway);
});

/** A POST request whose body comes in chunks. */
function chunked(chunks: string): string {
  const lines = ["Host: localhost", "Content-Type: application/json", "Transfer-Encoding: chunked"];
  return ["POST /accounts HTTP/1.1", ...lines, `\r\n${chunks}`].join("\r\n");
}
