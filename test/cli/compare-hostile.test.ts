import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startProcess } from "../support/process.js";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const finalized = { height: "5", hash: "A", finalizationEpoch: 1, finalizationPoint: 1 };
const chain = JSON.stringify({ height: "10", scoreHigh: "0", scoreLow: "1", latestFinalizedBlock: finalized });
const json = (response: ServerResponse, body: string, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(body);

const servers: Server[] = [];
let url: string;
/** Requests that arrived where a redirect leads. */
const redirected: string[] = [];
let redirectTarget: string;

async function listen(serve: Serve): Promise<string> {
  const server = createServer(serve);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const none = (response: ServerResponse) => json(response, '{"code":"ResourceNotFound","message":"none"}', 404);

/** A gateway with one block, whose answers about the network are those of `serve`; it has nothing else. */
const gateway = (serve: Serve) =>
  listen((request, response) => {
    if (request.url === "/chain/info") json(response, chain);
    else if (request.url === "/blocks/1") json(response, '{"meta":{"hash":"A"},"block":{"height":"1"}}');
    else if (/^\/network(\/properties)?$/.test(request.url ?? "")) serve(request, response);
    else none(response);
  });

beforeAll(async () => {
  url = await gateway((_, response) => json(response, "{}"));
  redirectTarget = await listen((request, response) => {
    redirected.push(request.url ?? "");
    none(response);
  });
});

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function compare(reference: string): Promise<{ code: number | null; output: string }> {
  const program = startProcess(["compare", "--gateway", url, "--with", reference, "--sample", "1", "--seed", "1"]);
  const { code } = await program.exited;
  return { code, output: program.output };
}

/** What a terminal would not show as it is: control, format and other invisible characters. */
const INVISIBLE = /[^\P{C}\n]/u;
const ESCAPES = "\u001b[2J\u009b31m\u202e\u2028\u007f\n";

test("escapes of terminals in what the reference answers are not printed raw", async () => {
  const body = JSON.stringify({ [ESCAPES]: "name", code: ESCAPES, data: [ESCAPES] });
  const { code, output } = await compare(await gateway((_, response) => json(response, body)));
  expect(output).toContain("\\u{9b}31m\\u{202e}");
  expect(output).not.toMatch(INVISIBLE);
  expect(output).not.toContain("\u2028");
  expect(code).toBe(1);
  const rejecting = await listen((_, response) => json(response, JSON.stringify({ message: ESCAPES }), 400));
  const { output: message } = await compare(rejecting);
  expect(message).toContain("is not a gateway that serves a chain (GET /chain/info returned 400: \\u{1b}[2J\\u{9b}31m");
  expect(message).not.toMatch(INVISIBLE);
  const other = await listen((request, response) =>
    json(response, request.url === "/chain/info" ? chain : JSON.stringify({ meta: { hash: ESCAPES } })),
  );
  const { output: different } = await compare(other);
  expect(different).toContain("serve different networks: their first blocks are A and \\u{1b}[2J");
  expect(different).not.toMatch(INVISIBLE);
}, 120_000);

test("redirects to other hosts are not followed", async () => {
  const reference = await gateway((request, response) =>
    response.writeHead(302, { location: redirectTarget + request.url }).end(),
  );
  const { code, output } = await compare(reference);
  expect(output).toContain('theirs {"status":302}');
  expect(redirected).toEqual([]);
  expect(code).toBe(1);
}, 120_000);

test("an endless answer, and one that is nested endlessly, end in a sentence", async () => {
  const endless = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json" });
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "[")));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
  const reference = await gateway((request, response) => {
    if (request.url === "/network/properties") endless(response);
    else json(response, "[".repeat(100_000) + "]".repeat(100_000));
  });
  const { code, output } = await compare(reference);
  expect(output).toContain("GET /network/properties: the response has more than 33554432 bytes");
  expect(output).toContain("GET /network: the response is nested more than 100 times");
  expect(output).not.toMatch(/^ {4}at /m);
  expect(code).toBe(1);
  const all = await listen((_, response) => endless(response));
  const { code: allCode, output: allOutput } = await compare(all);
  expect(allOutput).toMatch(/ does not respond: the response has more than 33554432 bytes\.\n$/);
  expect(allCode).toBe(1);
}, 120_000);
