import { beforeAll, expect, test } from "@jest/globals";
import { type RawAnswer, RawClient, WEBSOCKET_HEADERS } from "../support/raw-client.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** Forms of requests that HTTP allows (RFC 9110 to 9112), and what it does not. */

const gateway = GatewayFixture.use(3);
let port: number;

beforeAll(() => {
  port = Number(new URL(gateway.url).port);
});

async function talk(...lines: readonly string[]): Promise<RawAnswer> {
  const client = await RawClient.open({ port });
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  await until(() => client.answers.length > 0, `an answer to ${lines[0]}`);
  client.reset();
  return client.answers[0]!;
}

const HOST = "Host: localhost";
const BODY = '{"hashes":[]}';
const posted = (type: string) => [
  "POST /transactionStatus HTTP/1.1",
  HOST,
  `Content-Type: ${type}`,
  `Content-Length: ${BODY.length}`,
  "",
  BODY,
];
const OTHERS = WEBSOCKET_HEADERS.filter((line) => !line.startsWith("Upgrade"));

test.each<[form: string, lines: readonly string[], status: number]>([
  ["needless escapes", ["GET /%63hain/%69nfo HTTP/1.1", HOST], 200],
  ["needless escapes in small digits", ["GET /b%6cocks/%31 HTTP/1.1", HOST], 200],
  ["an escaped slash, which is no separator", ["GET /blocks%2F1 HTTP/1.1", HOST], 404],
  ["a base URL with a slash at its end", ["GET //chain/info HTTP/1.1", HOST], 200],
  ["two slashes within a path", ["GET /chain//info HTTP/1.1", HOST], 404],
  ["the absolute form", ["GET http://other.example/blocks/1?x= HTTP/1.1", HOST], 200],
  ["the absolute form of HTTPS, without a path", ["GET https://other.example HTTP/1.1", HOST], 200],
  ["the absolute form with two slashes", ["GET http://other.example//chain/info HTTP/1.1", HOST], 200],
  ["the asterisk form", ["OPTIONS * HTTP/1.1", HOST], 204],
  ["no host in HTTP/1.0", ["GET /chain/info HTTP/1.0"], 200],
  ["no host", ["GET /chain/info HTTP/1.1"], 400],
  ["two hosts", ["GET /chain/info HTTP/1.1", HOST, "host: other"], 400],
  ["the same host twice", ["GET /chain/info HTTP/1.1", HOST, HOST], 400],
  ["JSON in utf8", posted("application/json;charset=utf8"), 200],
  ["JSON in UTF-8, quoted", posted('Application/JSON; charset="UTF-8"'), 200],
  ["JSON in another encoding", posted("application/json; charset=latin1"), 415],
  ["another type", posted("text/json"), 415],
  ["a type that begins like JSON's", posted("application/jsonp"), 415],
  ["no type", posted(""), 415],
  [
    "gzip by its other name, which this body is not",
    [...posted("application/json").slice(0, 3), "Content-Encoding: x-gzip", ...posted("").slice(3)],
    400,
  ],
  ["no WebSocket where there is nothing else", ["GET /ws HTTP/1.1", HOST], 426],
  ["an upgrade of /ws to another protocol", ["GET /ws HTTP/1.1", HOST, "Connection: Upgrade", "Upgrade: h2c"], 426],
  ["another method there", ["DELETE /ws HTTP/1.1", HOST], 405],
  ["a WebSocket", ["GET /ws HTTP/1.1", HOST, ...WEBSOCKET_HEADERS], 101],
  ["a WebSocket among other protocols", ["GET /ws HTTP/1.1", HOST, ...OTHERS, "Upgrade: foo/1, WebSocket"], 101],
  ["a WebSocket by the absolute form", ["GET http://other.example/ws HTTP/1.1", HOST, ...WEBSOCKET_HEADERS], 101],
  ["a WebSocket with a slash too many", ["GET //ws HTTP/1.1", HOST, ...WEBSOCKET_HEADERS], 101],
  ["a WebSocket with needless escapes", ["GET /%77s?sequence HTTP/1.1", HOST, ...WEBSOCKET_HEADERS], 101],
  ["a WebSocket with two hosts", ["GET /ws HTTP/1.1", HOST, HOST, ...WEBSOCKET_HEADERS], 400],
  ["a WebSocket where there is none", ["GET /blocks HTTP/1.1", HOST, ...WEBSOCKET_HEADERS], 404],
])("%s", async (_form, lines, status) => {
  const answer = await talk(...lines);
  expect({ status: answer.status, body: answer.status === status ? "" : answer.body }).toEqual({ status, body: "" });
  if (status >= 400) expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("what upgrade is required is said", async () => {
  const { headers, body } = await talk("GET /ws HTTP/1.1", HOST);
  expect([headers.get("upgrade"), headers.get("connection")]).toEqual(["websocket", "Upgrade, close"]);
  expect(JSON.parse(body)).toMatchObject({ code: "UpgradeRequired" });
});

test("the host of the absolute form counts", async () => {
  const { body } = await talk("GET http://other.example:81/asyncapi.json HTTP/1.1", HOST);
  expect(JSON.stringify(JSON.parse(body).servers)).toContain("other.example:81");
});

test("a preflight allows what browsers' libraries add, by name", async () => {
  const asked = ["Authorization", "traceparent", "Cache-Control", "X-Requested-With", "Content-Type", "If-None-Match"];
  const { status, headers } = await talk(
    "OPTIONS /transactions/confirmed HTTP/1.1",
    HOST,
    "Origin: https://wallet.example",
    "Access-Control-Request-Method: POST",
    `Access-Control-Request-Headers: ${asked.join(",").toLowerCase()}`,
  );
  const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
  expect(status).toBe(204);
  expect(allowed).toEqual(expect.arrayContaining(asked.map((name) => name.toLowerCase())));
});
