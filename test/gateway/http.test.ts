import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { get, RawClient } from "../support/raw-client.js";
import { pause, until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const gateway = GatewayFixture.use(120);

const followChain = [
  "/chain/info",
  "/blocks",
  "/blocks/7",
  "/transactions/confirmed",
  "/statements/transaction",
  "/statements/resolutions/mosaic",
];

describe("entity tags", () => {
  test.each(followChain)("%s has a tag, and is not sent again while the chain is unchanged", async (path) => {
    const first = await gateway.get(path);
    const etag = first.headers.get("etag") as string;
    expect(etag).toMatch(/^W\/"[\w.-]+"$/);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    for (const value of [etag, `"other", ${etag}`, "*"]) {
      const second = await gateway.get(path, { headers: { "if-none-match": value } });
      expect({ value, status: second.status, size: second.text.length }).toEqual({ value, status: 304, size: 0 });
      expect(second.headers.get("etag")).toBe(etag);
      expect(second.headers.get("vary")).toBe("Accept-Encoding");
    }
    const other = await gateway.get(path, { headers: { "if-none-match": '"other"' } });
    expect({ status: other.status, text: other.text }).toEqual({ status: 200, text: first.text });
  });

  test("is that of the content: it changes with it, and is the old one again after a fork that is undone", async () => {
    const path = "/blocks/7";
    const { headers } = await gateway.get(path);
    const before = headers.get("etag") as string;
    const ask = async (etag: string) => gateway.get(path, { headers: { "if-none-match": etag } });
    const { db } = gateway;
    const { total_fee: fee } = await db
      .selectFrom("blocks")
      .select("total_fee")
      .where("height", "=", 7)
      .executeTakeFirstOrThrow();
    const { hash } = await db.selectFrom("head").select("hash").executeTakeFirstOrThrow();
    /** A transaction that changes the block, with the head. */
    const change = (totalFee: bigint, head: Buffer) =>
      db.transaction().execute(async (trx) => {
        await trx.updateTable("blocks").set({ total_fee: totalFee }).where("height", "=", 7).execute();
        await trx.updateTable("head").set({ hash: head }).execute();
      });
    await change(7007n, Buffer.alloc(32, 1));
    await until(async () => (await ask(before)).status === 200, "it has changed");
    const after = (await ask(before)).headers.get("etag") as string;
    expect(after).not.toBe(before);
    expect((await ask(after)).status).toBe(304);
    await change(BigInt(fee), hash);
    await until(async () => (await ask(before)).status === 304, "it is the old one");
    expect((await ask(after)).status).toBe(200);
  });

  test("what does not exist is 404 whatever tag the client sends: any, or that of another URL", async () => {
    const etag = (await gateway.get("/blocks/7")).headers.get("etag") as string;
    for (const value of ["*", etag]) {
      const { status } = await gateway.get("/blocks/9999", { headers: { "if-none-match": value } });
      expect({ value, status }).toEqual({ value, status: 404 });
    }
    expect((await gateway.get("/blocks/8", { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("bad arguments are rejected whatever tag the client sends", async () => {
    expect((await gateway.get("/blocks?pageSize=x", { headers: { "if-none-match": "*" } })).status).toBe(400);
  });

  test.each(["/blocks/9999", "/node/info", "/node/health", "/ready", "/"])("%s has none", async (path) => {
    expect((await gateway.get(path)).headers.get("etag")).toBeNull();
  });
});

/** An answer that is not decompressed. */
async function rawGet(path: string, headers: Record<string, string>) {
  const client = await RawClient.open({ port: Number(new URL(gateway.url).port) });
  client.write(get(path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)));
  await until(() => client.answers.length > 0, `an answer to ${path}`);
  client.reset();
  const [answer] = client.answers;
  return { headers: answer!.headers, body: Buffer.from(answer!.body, "latin1") };
}

describe("compression", () => {
  test.each([
    ["gzip", "gzip", gunzipSync],
    ["br", "br", brotliDecompressSync],
    ["gzip, br;q=0.5", "gzip", gunzipSync],
    ["br, gzip, deflate", "br", brotliDecompressSync],
  ])("Accept-Encoding: %s", async (accept, encoding, decompress) => {
    const plain = await rawGet("/blocks?pageSize=100", {});
    const { headers, body } = await rawGet("/blocks?pageSize=100", { "accept-encoding": accept });
    expect(headers.get("content-encoding")).toBe(encoding);
    expect(headers.get("content-length")).toBe(String(body.length));
    expect(headers.get("vary")).toBe("Accept-Encoding");
    expect(body.length).toBeLessThan(plain.body.length / 2);
    expect(decompress(body).equals(plain.body)).toBe(true);
  });

  test.each([
    ["/blocks?pageSize=100", "identity"],
    ["/blocks?pageSize=100", "gzip;q=0"],
    ["/chain/info", "gzip"],
  ])("none for %s with %s", async (path, accept) => {
    const { headers, body } = await rawGet(path, { "accept-encoding": accept });
    expect(headers.get("content-encoding")).toBeUndefined();
    expect(() => JSON.parse(body.toString("utf8"))).not.toThrow();
  });
});

describe("methods", () => {
  test("HEAD is GET without the body", async () => {
    const whole = await gateway.get("/blocks/3", { headers: { "accept-encoding": "identity" } });
    const head = await gateway.get("/blocks/3", { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect(head.text).toBe("");
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(whole.text)));
    expect(head.headers.get("etag")).toBe(whole.headers.get("etag"));
    const missing = await gateway.get("/blocks/9999", { method: "HEAD" });
    expect({ status: missing.status, text: missing.text }).toEqual({ status: 404, text: "" });
  });

  test.each([
    ["DELETE", "/blocks", "GET, HEAD, OPTIONS"],
    ["POST", "/blocks/3", "GET, HEAD, OPTIONS"],
    ["PUT", "/transactions/confirmed", "GET, HEAD, POST, OPTIONS"],
    ["PATCH", "/", "GET, HEAD, OPTIONS"],
  ])("%s %s is not allowed", async (method, path, allow) => {
    const { status, body, headers } = await gateway.get(path, { method });
    expect({ status, code: body.code, allow: headers.get("allow") }).toEqual({
      status: 405,
      code: "MethodNotAllowed",
      allow,
    });
  });

  test("OPTIONS lists the allowed methods", async () => {
    const { status, headers } = await gateway.get("/transactions/confirmed", { method: "OPTIONS" });
    expect(status).toBe(204);
    expect(headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  });
});

describe("pages of other origins", () => {
  const origin = "https://explorer.example";

  test("may read answers and errors", async () => {
    for (const path of ["/blocks", "/blocks?pageSize=x", "/nothing"]) {
      const { headers } = await gateway.get(path, { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toContain("ETag");
    }
  });

  test("may read answers that a cache stored for a client that is no page", async () => {
    expect((await gateway.get("/blocks")).headers.get("access-control-allow-origin")).toBe("*");
  });

  test("may send JSON", async () => {
    const { status, headers } = await gateway.get("/transactions/confirmed", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    expect(headers.get("access-control-allow-methods")).toContain("PUT");
    expect(headers.get("access-control-allow-headers")).toContain("Content-Type");
  });

  test("may ask what they may send, whatever the path", async () => {
    const headers = { origin, "access-control-request-method": "PUT" };
    for (const path of ["/transactions", "/nothing", "/blocks/x"]) {
      const answer = await gateway.get(path, { method: "OPTIONS", headers });
      expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 204, "*"]);
    }
  });

  test.each(["/graphql?query={__typename}", "/metrics", "/ready"])("get nothing from %s", async (path) => {
    const { headers } = await gateway.get(path, { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    const asked = { origin, "access-control-request-method": "GET" };
    const { headers: own } = await gateway.get(path, { method: "OPTIONS", headers: asked });
    expect([own.get("access-control-allow-origin"), own.get("access-control-allow-methods")]).toEqual([null, null]);
  });
});

describe("every answer", () => {
  test("has a unique request id, is JSON, and names no software", async () => {
    const ids = new Set<string | null>();
    for (const path of ["/", "/blocks", "/blocks/x", "/nothing"]) {
      const { headers } = await gateway.get(path);
      ids.add(headers.get("x-request-id"));
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("x-powered-by")).toBeNull();
    }
    expect(ids.size).toBe(4);
    expect(ids).not.toContain(null);
  });

  test("is logged at debug with its request id", async () => {
    const { headers } = await gateway.get("/blocks/3?x=");
    const requestId = headers.get("x-request-id");
    const line = () => gateway.log.lines.find((entry) => entry.requestId === requestId);
    await until(() => line() !== undefined, "it is logged");
    expect(line()).toMatchObject({ level: 20, method: "GET", path: "/blocks/3", status: 200, msg: "request" });
  });
});

const BODY = JSON.stringify({ transactionIds: ["0".repeat(24)] });

test.each([
  ["with the headers", BODY, ""],
  ["behind them", "", BODY],
  ["in two pieces", BODY.slice(0, 5), BODY.slice(5)],
])("Java's client, which requests HTTP/2 every time, sends a body %s", async (_name, at, later) => {
  const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n";
  const headers = `Host: x\r\n${upgrade}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
  const client = await RawClient.open({ port: Number(new URL(gateway.url).port) });
  client.write(`POST /transactions/confirmed HTTP/1.1\r\n${headers}\r\n${at}`);
  await pause(later === "" ? 0 : 50);
  client.write(later);
  // Since Node 24.9 the connection stays open for the next request, as for any client.
  await until(() => client.answers.length > 0, "an answer");
  expect(client.answers).toMatchObject([{ status: 200, body: "[]" }]);
  client.reset();
});
