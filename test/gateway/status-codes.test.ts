import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "@jest/globals";
import { errorCodes } from "../../schema/errors/errors.js";
import { DevnetFixture } from "../support/devnet.js";
import { transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { whileLocked } from "./table-lock.js";

let node: DevnetFixture;

const gateway = GatewayFixture.use(undefined, async () => {
  node = await DevnetFixture.start();
  return { nodes: [node.devnet], resourcesDirectory: node.devnet.resourcesDirectory };
});
const limited = GatewayFixture.use(3, { rateLimit: { perSecond: 0.001, burst: 1 } });
const impatient = GatewayFixture.use(3, { limits: { requestTimeoutMs: 1_500 } });

afterAll(() => node?.stop());

interface Answer {
  readonly status: number;
  /** Header lines in lower case. */
  readonly head: string;
  readonly body: string;
}

/** The last answer on a connection after these bytes were sent. @param isHalfClosed whether our side is closed then */
function talk(bytes: string, isHalfClosed = false, to = gateway): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(to.url).port), host: "127.0.0.1", allowHalfOpen: true });
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", reject);
    socket.on("end", () => {
      socket.destroy();
      const answer = received.slice(Math.max(0, received.lastIndexOf("HTTP/1.1 ")));
      const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
      resolve({ status: Number(head.split(" ")[1]), head: head.toLowerCase(), body });
    });
    if (isHalfClosed) socket.end(bytes, "latin1");
    else socket.write(bytes, "latin1");
  });
}

const POST = "POST /transactions/confirmed";
const QUERY = "/graphql?query={__typename}";
const SUBSCRIPTION = `/graphql?query=${encodeURIComponent("subscription { block { sequence } }")}`;
const HEADERS = "Host: x\r\nConnection: close\r\n";
const JSON_HEADERS = `${HEADERS}Content-Type: application/json\r\n`;
const request = (line: string, headers = HEADERS, body = "") => `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
const host = (value: string) => request(`GET ${QUERY}`, `Host: ${value}\r\nConnection: close\r\n`);
/** Requests that callers on this machine may send. */
const local = (line: string, headers = "") => request(line, `Host: localhost\r\nConnection: close\r\n${headers}`);
const post = (body: string, headers = "") =>
  request(POST, `${JSON_HEADERS}Content-Length: ${body.length}\r\n${headers}`, body);
const accept = (type: string) => `Accept: ${type}\r\n`;
const corrupt = gzipSync("{}").fill(0, 4).toString("latin1");

/** Every error has a code and a message, and reveals no internals. */
function expectError({ status, head, body }: Answer, code: keyof typeof errorCodes): void {
  const told = { status, body: body === "" ? undefined : JSON.parse(body) };
  expect(told).toEqual({ status: errorCodes[code].status, body: { code, message: expect.stringMatching(/\w/) } });
  expect(head).toContain("content-type: application/json; charset=utf-8");
  expect(body).not.toMatch(/node_modules|\.[jt]s\b|file:|\/dist\/|\bat \w+ \(/);
}

const cases: readonly (readonly [what: string, code: keyof typeof errorCodes, bytes: string, words: string])[] = [
  ["a long URL", "UriTooLong", request(`GET /blocks?${"x".repeat(3_000)}`), "the limit is 2048"],
  ["a Host with an invalid port", "InvalidContent", host("localhost:99999"), "Host"],
  ["a Host with an invalid address", "InvalidContent", host("127.999.1.1"), "Host"],
  ["a Host with a space", "InvalidContent", host("a b"), "Host"],
  ["a Host with a path", "InvalidContent", host("a/b"), "Host"],
  ["no Host", "InvalidContent", request("GET /blocks", "Connection: close\r\n"), "Host"],
  ["a whole URL as target of /graphql", "Forbidden", request(`GET http://x${QUERY}`), ""],
  ["a whole URL as target of /explorer", "Forbidden", request("GET http://x/explorer"), ""],
  ["a whole URL with an invalid host", "InvalidContent", request("GET http://["), "Host"],
  ["/ws without an upgrade", "UpgradeRequired", request("GET /ws"), "WebSocket"],
  ["variables that are no JSON", "InvalidContent", local(`GET ${QUERY}&variables={`), "variables"],
  ["variables that are no object", "InvalidContent", local(`GET ${QUERY}&variables=[]`), "variables"],
  ["a path that is not encoded", "InvalidContent", request("GET /blocks/%ff"), "path"],
  ["what is no HTTP", "InvalidContent", "hello\r\n\r\n", "HTTP"],
  ["a body that is not compressed", "InvalidContent", post(corrupt, "Content-Encoding: gzip\r\n"), "the body"],
  ["a body that is no JSON", "InvalidContent", post("{"), "the body"],
  ["a caller that looks foreign", "Forbidden", host("evil.example"), "/graphql"],
  ["an unknown path", "ResourceNotFound", request("GET /nothing"), "/nothing"],
  ["a method of a route", "MethodNotAllowed", request("DELETE /blocks"), "DELETE"],
  ["a method of /graphql", "MethodNotAllowed", local("DELETE /graphql"), "DELETE"],
  ["a subscription for JSON only", "NotAcceptable", local(`GET ${SUBSCRIPTION}`, accept("application/json")), "Accept"],
  ["unsupported media types", "NotAcceptable", local(`GET ${QUERY}`, accept("image/png")), "Accept"],
  ["a question that is missing", "InvalidArgument", local("GET /graphql"), "query"],
  ["a page size of 20 digits", "InvalidArgument", request(`GET /blocks?pageSize=${"9".repeat(20)}`), "pageSize"],
  ["a page size of 44 digits", "InvalidArgument", request(`GET /blocks?pageSize=${"9".repeat(44)}`), "pageSize"],
  ["a body that is too large", "PayloadTooLarge", post("x".repeat(2_000_000)), "body"],
  ["a body without a type", "UnsupportedMediaType", request(POST, `${HEADERS}Content-Length: 2\r\n`, "{}"), "json"],
  ["an expectation", "ExpectationFailed", request("GET /blocks", `${HEADERS}Expect: miracles\r\n`), "Expect"],
  ["headers too long", "RequestHeaderFieldsTooLarge", request("GET /", `X: ${"x".repeat(20_000)}\r\n`), "headers"],
  ["nothing indexed", "ServiceUnavailable", request("GET /chain/info"), "indexed"],
];

const begun = "Content-Type: application/json\r\nContent-Length: 100\r\n";
const slow: readonly (readonly [what: string, bytes: string])[] = [
  ["a body that comes too slowly", request(POST, HEADERS + begun, '{"tr')],
  [
    "a body that arrives too slowly, of a client that requests HTTP/2",
    request(POST, `Host: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${begun}`, '{"tr'),
  ],
  ["headers that come too slowly", "GET /blocks HTTP/1.1\r\nHost:"],
];

describe("every error has its status, and a body with code and message", () => {
  test.each(cases)("%s: %s", async (_what, code, bytes, words) => {
    const answer = await talk(bytes);
    expectError(answer, code);
    expect(JSON.parse(answer.body).message).toContain(words);
  });

  test("what comes too slowly: RequestTimeout", async () => {
    const answers = await Promise.all(slow.map(([, bytes]) => talk(bytes, false, impatient)));
    for (const [n, [what]] of slow.entries()) {
      expectError(answers[n]!, "RequestTimeout");
      expect({ what, message: JSON.parse(answers[n]!.body).message }).toEqual({
        what,
        message: expect.stringContaining("in time"),
      });
    }
  });

  test("too many requests: TooManyRequests", async () => {
    const answers = await Promise.all([
      talk(request("GET /blocks"), false, limited),
      talk(request("GET /"), false, limited),
    ]);
    expectError(answers.find(({ status }) => status !== 200) as Answer, "TooManyRequests");
  });

  test("an internal failure: InternalServiceError", async () => {
    await gateway.query("alter table blocks rename column header_size to renamed");
    expectError(await talk(request("GET /blocks/1")), "InternalServiceError");
    await gateway.query("alter table blocks rename column renamed to header_size");
  });

  test.each(["foo://?x"])("a target without a path closes the connection: %s", async (target) => {
    expect(await talk(request(`GET ${target}`, "Host: x\r\n") + request("GET /node/server"))).toMatchObject({
      head: "",
      body: "",
    });
  });

  test("no code is missing", () => {
    const proved = new Set([
      ...cases.map(([, code]) => code),
      "RequestTimeout",
      "TooManyRequests",
      "InternalServiceError",
    ]);
    // Only with COMPATIBILITY=catapult-rest: test/end-to-end/reference-answers.
    proved.add("NotFound");
    expect(Object.keys(errorCodes).filter((code) => !proved.has(code))).toEqual([]);
  });
});

describe("successful requests", () => {
  test("200 and 202, and OPTIONS for the whole server", async () => {
    expect((await talk(request("GET /node/server"))).status).toBe(200);
    const [alice, bob] = node.devnet.accounts;
    const payload = transferPayload(node.devnet, alice!, bob!.address, 7n).toString("hex").toUpperCase();
    const announced = await gateway.send("PUT", "/transactions", { payload });
    expect({ status: announced.status, body: announced.body }).toMatchObject({ status: 202, body: expect.anything() });
    const options = await talk(request("OPTIONS *"));
    expect({ status: options.status, body: options.body }).toEqual({ status: 204, body: "" });
    expect(options.head).toContain("allow: get, head, post, put, options");
  });

  test("a client that closes its side has left: its connection is closed, and it gives back its place", async () => {
    await whileLocked(gateway.database.url, ["blocks"], async () => {
      const requests = Array.from({ length: 6 }, (_, n) => talk(request(`GET /blocks?pageNumber=${n + 1}`), true));
      for (const answer of await Promise.all(requests)) expect(answer.head).toBe("");
    });
    // The request for the metrics holds one itself.
    const metric = 'symbol_gateway_slots_held{limit="requests"} 1\n';
    await until(async () => (await gateway.get("/metrics")).text.includes(metric), "all places are given back");
  });

  test("a client that closes its side in the middle of the body gets an error", async () => {
    expectError(await talk(request(POST, `${JSON_HEADERS}Content-Length: 100\r\n`, "{"), true), "InvalidContent");
  });
});
