import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, describe, expect, test } from "@jest/globals";
import express, { type Request, type Response } from "express";
import { ClientLimits } from "../../gateway/clients/client-limit.js";
import { Clients } from "../../gateway/clients/clients.js";
import { ConnectionLimit } from "../../gateway/http/connection-limit.js";
import { failureHandler } from "../../gateway/http/errors.js";
import { exchanges, takeSlot } from "../../gateway/http/exchange.js";
import { HttpPort } from "../../gateway/http/http-port.js";
import { Metrics } from "../../gateway/http/metrics.js";
import { silentLog } from "../support/connection-fixtures.js";
import { isWithin, until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const servers: Server[] = [];
const ports: HttpPort[] = [];
const sockets: Socket[] = [];

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await Promise.all(ports.map((port) => port.close()));
});

const PER_CLIENT = 2;
const TOO_MANY = "more than 3 requests from your address wait";

/** A port whose requests are pending until the test answers them. */
async function startPort(clients = new Clients()) {
  const inWork: { readonly request: Request; readonly response: Response }[] = [];
  const limits = new ClientLimits();
  const begin = exchanges(silentLog, new Metrics("test"), (request) => clients.keyOf(request));
  const limitsOfRequests = { perClient: PER_CLIENT, waiting: 3, tooMany: TOO_MANY };
  const app = express();
  app.use((request, response, next) => {
    begin(request, response);
    next();
  });
  app.use(
    takeSlot({
      requests: limits.create("requests", limitsOfRequests),
      largeBodies: limits.create("largeBodies", { perClient: 1 }),
      connections: limits.create("connections", { perClient: 1 }),
    }),
  );
  app.use((request, response) => void inWork.push({ request, response }));
  app.use(failureHandler(silentLog));
  const http = { rateLimit: undefined, streamsPerClient: 1, tls: undefined, requestTimeoutMs: 30_000 };
  const httpPort = new HttpPort({ app, log: silentLog, clients, ...http });
  ports.push(httpPort);
  const port = await httpPort.listen("127.0.0.1", 0);
  const held = () => limits.held().reduce((sum, [, count]) => sum + count, 0);
  return { inWork, port, held };
}

/** A connection, with everything received over it. */
function open(port: number) {
  const socket = connect(port, "127.0.0.1");
  const state = { socket, text: "", isClosed: false };
  socket.on("data", (data) => {
    state.text += data.toString();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    state.isClosed = true;
  });
  sockets.push(socket);
  return state;
}

const get = (path = "/", headers = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe("requests of one client", () => {
  test("are processed a few at a time; some are queued in order, more are answered with 429", async () => {
    const { inWork, port, held } = await startPort();
    const clients = Array.from({ length: 6 }, () => open(port));
    for (const [n, { socket }] of clients.entries()) {
      const before = held();
      socket.write(get(`/${n}`));
      if (n < 5) await until(() => held() > before, "it is in work or queued");
    }
    expect(inWork.map(({ request }) => request.url)).toEqual(["/0", "/1"]);
    await until(() => clients[5]!.text.includes("HTTP/1.1 429 "), "the last one is rejected");
    expect(clients[5]!.text).toContain(
      '{"code":"TooManyRequests","message":"more than 3 requests from your address wait',
    );
    for (let n = 0; n < 5; n++) {
      await until(() => inWork.length > n, "the next one is in work");
      inWork[n]!.response.end("done");
    }
    await until(() => clients.slice(0, 5).every(({ text }) => text.includes("HTTP/1.1 200 ")), "all are answered");
    expect(inWork.map(({ request }) => request.url)).toEqual(["/0", "/1", "/2", "/3", "/4"]);
  });

  test("that follow another on a connection are worked on after it", async () => {
    const { inWork, port } = await startPort();
    // Two later ones must not take the turns that the first one needs.
    const pipelining = open(port);
    pipelining.socket.write(get("/1") + get("/2") + get("/3"));
    for (const [place, path] of ["/1", "/2", "/3"].entries()) {
      await until(() => inWork.length > place, "the next one is in work");
      expect(await isWithin(20, () => inWork.length > place + 1)).toBe(false);
      expect(inWork[place]!.request.url).toBe(path);
      inWork[place]!.response.end(path);
    }
    await until(() => pipelining.text.endsWith("/3"), "all are answered");
    expect(pipelining.text.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(["/1", "/2", "/3"]);
  });

  test("that follow another on a connection that closes leave their slots to others", async () => {
    const { inWork, port, held } = await startPort();
    let closed = 0;
    for (let round = 1; round <= 3; round++) {
      const pipelining = open(port);
      pipelining.socket.write(get("/first") + get("/second"));
      await until(() => inWork.length === round, "the first one is in work");
      inWork.at(-1)!.response.on("close", () => closed++);
      pipelining.socket.destroy();
    }
    const later = open(port);
    later.socket.write(get("/later"));
    await until(() => inWork.length === 4, "the next request is in work");
    inWork[3]!.response.end("done");
    await until(() => later.text.includes("HTTP/1.1 200 "), "it is answered");
    expect(inWork.map(({ request }) => request.url)).toEqual(["/first", "/first", "/first", "/later"]);
    expect(closed).toBe(3);
    inWork[0]!.response.end("too late");
    await until(() => held() === 0, "all slots are given back");
  });

  test("of others are processed meanwhile", async () => {
    const { inWork, port } = await startPort(new Clients(["127.0.0.1"]));
    const from = (address: string) => get(`/${address}`, `X-Forwarded-For: ${address}\r\n`);
    for (let n = 0; n < 4; n++) open(port).socket.write(from("203.0.113.1"));
    await until(() => inWork.length === 2, "the first client's are in work");
    open(port).socket.write(from("203.0.113.2"));
    await until(() => inWork.length === 3, "the other's too");
    expect(inWork[2]!.request.url).toBe("/203.0.113.2");
    for (const { response } of inWork) response.end();
  });

  test.each([
    ["hundreds of them in one piece", get().repeat(500)],
    ["one with more header fields than anybody needs", get("/", "a: b\r\n".repeat(300))],
  ])(
    "%s: the client's connections are closed, nothing after it is processed, and the client is locked out for a moment",
    async (_what, bytes) => {
      const { inWork, port } = await startPort();
      /** Whether the client may not connect after an attack: on a machine that stands still meanwhile, it may again. */
      const isLockedOut = async () => {
        const [greedy, idle] = [open(port), open(port)];
        await until(() => !greedy.socket.connecting && !idle.socket.connecting, "both are open");
        const before = inWork.length;
        greedy.socket.write(bytes);
        await until(() => greedy.isClosed, "its connection is closed");
        expect(inWork.length - before).toBeLessThanOrEqual(PER_CLIENT);
        // Since Node 22.23, 24.21 and 26.10, Node itself rejects such a request before it is read.
        if (greedy.text.startsWith("HTTP/1.1 431 ")) return inWork.length === before;
        await until(() => idle.isClosed, "the others are closed too");
        const again = open(port);
        return (await isWithin(1_000, () => again.isClosed)) && again.text === "";
      };
      await until(isLockedOut, "it may not connect");
      await until(async () => {
        const later = open(port);
        const before = inWork.length;
        later.socket.write(get("/later"));
        await until(() => later.isClosed || inWork.length > before, "it is closed or in work");
        inWork[before]?.response.end("done");
        return !later.isClosed && isWithin(1_000, () => later.text.includes("done"));
      }, "it may again, and is answered");
    },
  );
});

test("connections of one client beyond the limit get 429, those of a trusted proxy are not counted", async () => {
  const listen = async (clients: Clients) => {
    const server = createServer();
    new ConnectionLimit({ clients, limit: 2, isTls: false }).watch(server);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(new Clients());
  const held = [open(port), open(port)];
  await until(() => held.every(({ socket }) => !socket.connecting), "they are connected");
  const rejected = open(port);
  await until(() => rejected.isClosed, "it is rejected");
  expect(rejected.text).toContain("HTTP/1.1 429 ");
  expect(rejected.text).toContain('"code":"TooManyRequests"');
  expect(held.some(({ isClosed }) => isClosed)).toBe(false);
  const proxied = await listen(new Clients(["127.0.0.0/8"]));
  const many = Array.from({ length: 5 }, () => open(proxied));
  expect(await isWithin(100, () => many.some(({ isClosed }) => isClosed))).toBe(false);
});

describe("bodies", () => {
  const gateway = GatewayFixture.use(20);

  test.each([
    ["a long list", `{"transactionIds":[${'"a",'.repeat(20_000)}"a"]}`],
    ["lists inside each other", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["objects inside each other", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
  ])("with more values than any valid request are not parsed: %s", async (_what, body) => {
    const { status, body: answer } = await gateway.post("/transactions/confirmed", body);
    expect({ status, answer }).toEqual({
      status: 413,
      answer: { code: "PayloadTooLarge", message: "the body has more than 10000 values" },
    });
  });

  test("look-ups and pages of many whole aggregates are sent in parts, and equal the single ones", async () => {
    const { body: page } = await gateway.get("/transactions/confirmed?pageSize=100&order=asc");
    const entries = page.data as { id: string; meta: { hash: string } }[];
    expect(entries.length).toBeGreaterThan(12);
    const whole = await Promise.all(
      entries.map(async ({ id }) => (await gateway.get(`/transactions/confirmed/${id}`)).body as { id: string }),
    );
    const first = whole.slice(0, 12);
    // By id and by hash, some twice, one that does not exist.
    const transactionIds = [
      ...first.map(({ id }) => id),
      "0".repeat(64),
      ...entries.slice(0, 12).map(({ meta }) => meta.hash),
    ];
    const looked = await gateway.post("/transactions/confirmed", { transactionIds }, { "accept-encoding": "gzip" });
    expect({ status: looked.status, body: looked.body }).toEqual({ status: 200, body: first });
    const none = await gateway.post("/transactions/confirmed", { transactionIds: Array(10).fill("0".repeat(64)) });
    expect(none.body).toEqual([]);
    const searched = await gateway.get("/transactions/confirmed?pageSize=100&order=asc&include=transactions");
    expect(searched.body).toEqual({ data: whole, pagination: page.pagination });
    const head = await gateway.get("/transactions/confirmed?pageSize=100&include=transactions", { method: "HEAD" });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" });
  });
});
