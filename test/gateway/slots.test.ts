import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { get, type RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
import { LARGE_LOOK_UP, requestKinds } from "../support/request-kinds.js";
import { isWithin, pause, until } from "../support/until.js";
import { ProgramFixture } from "./program-fixture.js";

/**
 * What a client holds, whatever it does: the slots of its requests are given back, so that it is served again at once
 * when it behaves.
 */

/** More than one client has. */
const AT_ONCE = 6;
/** A busy machine has seen by then what clients do. */
const SEEN_MS = 300;
/** So long after the first of several requests all of them have been read, and the end of their connections. */
const READ_MS = 60;
/** What different steps of a request read. */
const TABLES = [["head"], ["blocks", "transactions", "accounts", "announcements"]];
const TOKEN = "a-token-for-tests";
const KINDS = requestKinds(TOKEN, 60);

let gateway: ProgramFixture;

beforeAll(async () => {
  gateway = await ProgramFixture.start({ GRAPHQL_TOKEN: TOKEN });
  // The first request of a process takes longer than clients stay here.
  for (const [, request] of KINDS) await gateway.ask(request(0), SEEN_MS);
});

afterAll(async () => {
  await gateway?.close();
});

/** Fails unless the same client is served at once: a page, a look-up and what has few slots. */
async function expectSlotsBack(): Promise<void> {
  // A busy machine has to read first what was sent.
  await until(async () => (await gateway.ask(get("/chain/info"))) !== undefined, "the head is answered");
  for (const request of [get("/blocks?pageSize=11"), LARGE_LOOK_UP]) {
    expect((await gateway.ask(request))?.status).toBe(200);
  }
  await gateway.hasNoHeldSlots();
}

async function connected(to: ProgramFixture, count: number): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => to.open()));
}

describe("slots are given back when clients leave", () => {
  test.each(KINDS)("while the database is slow: %s", async (_kind, request) => {
    for (const tables of TABLES) {
      await gateway.whileLocked(tables, async (lock) => {
        const clients = await connected(gateway, AT_ONCE);
        for (const [n, client] of clients.entries()) client.write(request(n));
        const isAnswered = () => clients.every(({ answers }) => answers.length > 0);
        await isWithin(SEEN_MS, async () => isAnswered() || (await lock.waiting()) > 0);
        await pause(READ_MS);
        for (const client of clients) client.reset();
        await pause(READ_MS);
      });
      await expectSlotsBack();
    }
  });
});

// Without the abort of what waits, the slot was given to a response that had closed.
test("a client that leaves while it waits for the slot of a large answer does not keep it", async () => {
  const first = await gateway.whileLocked(TABLES.flat(), async (lock) => {
    const [holding, leaving] = (await connected(gateway, 2)) as [RawClient, RawClient];
    holding.write(LARGE_LOOK_UP);
    await lock.isAwaitedBy(1);
    leaving.write(LARGE_LOOK_UP);
    await pause(SEEN_MS);
    leaving.reset();
    await pause(SEEN_MS);
    return holding;
  });
  await until(() => first.answers.length > 0, "the first one is answered");
  await expectSlotsBack();
});

// A stack for each took most of its processor time.
test("clients that leave are no error of GraphQL", () => {
  expect(gateway.output).not.toContain("GraphQL operation failed");
});

describe("the rate limit", () => {
  const BURST = 5;
  let limited: ProgramFixture;
  let clients = 0;

  beforeAll(async () => {
    limited = await ProgramFixture.start({
      RATE_LIMIT: "1",
      RATE_LIMIT_BURST: String(BURST),
      TRUSTED_PROXIES: "127.0.0.1",
    });
  });

  afterAll(() => limited?.close());

  test.each([
    ["nothing unusual", get("/blocks/1")],
    ["nonsense to expect", get("/blocks/1", "Expect: nonsense")],
    ["an invalid host", "GET /blocks/1 HTTP/1.1\r\nHost: a b/c?\r\n\r\n"],
    ["no host", "GET /blocks/1 HTTP/1.1\r\n\r\n"],
    ["all of the server", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a preflight", "OPTIONS /blocks HTTP/1.1\r\nHost: x\r\nOrigin: http://x.example\r\n\r\n"],
    ["HTTP/2", get("/blocks/1", "Connection: Upgrade", "Upgrade: h2c")],
    ["a WebSocket where there is none", get("/nothing", ...WEBSOCKET_HEADERS)],
    ["an unusual method", "PROPFIND /blocks HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["HTTP/1.0", "GET /blocks/1 HTTP/1.0\r\n\r\n"],
    ["an invalid body", `POST /accounts HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\n{`],
  ])("counts requests with or for %s", async (_what, request) => {
    const forwarded = request.replace("\r\n", `\r\nX-Forwarded-For: 203.0.113.${++clients}\r\n`);
    const statuses: (number | undefined)[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < 2 * BURST; n++) statuses.push((await limited.ask(forwarded))?.status);
    // One more is allowed every second.
    const later = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(statuses.slice(0, BURST)).not.toContain(429);
    expect(statuses.slice(BURST).filter((status) => status === 429).length).toBeGreaterThanOrEqual(BURST - later);
  });
});
