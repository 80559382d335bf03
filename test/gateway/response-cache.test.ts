import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { ResponseCache } from "../../gateway/http/response-cache.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { whileLocked } from "./table-lock.js";

const BLOCKS = 60;

const answer = (bytes: number) => ({ body: Buffer.alloc(bytes, "x"), headers: {}, route: "/a" });

const get = (url: string, headers = {}) => ({ method: "GET", url, headers }) as IncomingMessage;

/** Keeps answers of a process that follows the database. */
function startCache(bytes: number): ResponseCache {
  const cache = new ResponseCache(bytes);
  cache.renew(true);
  return cache;
}

describe("cached responses", () => {
  test("are those of repeated requests, by what they depend on, until the database changes", () => {
    const cache = startCache(1_000);
    expect(cache.wants(get("/a"))).toBe(false);
    expect(cache.wants(get("/a"))).toBe(true);
    const before = cache.version as number;
    cache.keep(get("/a"), before, answer(10));
    expect(cache.find(get("/a"))?.body.length).toBe(10);
    expect(cache.find(get("/a", { "accept-encoding": "gzip" }))).toBeUndefined();
    expect(cache.find({ ...get("/a"), method: "HEAD" } as IncomingMessage)).toBeUndefined();
    cache.renew(true);
    expect(cache.find(get("/a"))).toBeUndefined();
    // It was read before the change.
    cache.keep(get("/a"), before, answer(10));
    expect(cache.find(get("/a"))).toBeUndefined();
  });

  test("are none while the database is not followed", () => {
    const cache = new ResponseCache(1_000);
    expect(cache.version).toBeUndefined();
    cache.renew(true);
    const { version } = cache;
    cache.keep(get("/a"), version as number, answer(10));
    cache.renew(false);
    expect(cache.version).toBeUndefined();
    expect(cache.find(get("/a"))).toBeUndefined();
    cache.keep(get("/a"), version as number, answer(10));
    expect(cache.find(get("/a"))).toBeUndefined();
  });

  test("are dropped when there are too many, the least recently used first", () => {
    const cache = startCache(192);
    const version = cache.version as number;
    for (let index = 0; index < 16; index++) cache.keep(get(`/${index}`), version, answer(12));
    cache.find(get("/0"));
    cache.keep(get("/16"), version, answer(12));
    expect(cache.find(get("/0"))).toBeDefined();
    expect(cache.find(get("/1"))).toBeUndefined();
  });

  test("are not large beside the memory for all, and none without memory", () => {
    const cache = startCache(160);
    cache.keep(get("/a"), cache.version as number, answer(11));
    expect(cache.find(get("/a"))).toBeUndefined();
    const none = startCache(0);
    expect([none.wants(get("/a")), none.wants(get("/a"))]).toEqual([false, false]);
  });

  test("have no long URL", () => {
    const cache = startCache(1_000);
    const long = get(`/?${"x".repeat(1_000)}`);
    cache.wants(long);
    expect(cache.wants(long)).toBe(false);
  });
});

describe("a gateway with a cache of answers", () => {
  // More connections than requests of one client that are worked on at one time.
  const gateway = GatewayFixture.use(BLOCKS, { databasePoolSize: 8 });

  /** Requests until the answer comes from the cache, which shows when the database is changed without moving the head. */
  async function warm(path: string, headers: Record<string, string> = {}): Promise<string> {
    const texts = [];
    for (let time = 0; time < 4; time++) texts.push((await gateway.get(path, { headers })).text);
    expect(new Set(texts).size).toBe(1);
    return texts[0] as string;
  }

  test("sends the same answer, in every encoding, until the head moves", async () => {
    const before = await warm("/blocks/7");
    expect(await warm("/blocks/7", { "accept-encoding": "identity" })).toBe(before);
    await gateway.query("update blocks set total_fee = 7007 where height = 7");
    expect((await gateway.get("/blocks/7")).text).toBe(before);
    const plain = await gateway.get("/blocks/7", { headers: { "accept-encoding": "identity" } });
    expect(plain.text).toBe(before);
    expect(plain.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const etag = plain.headers.get("etag") ?? "";
    expect((await gateway.get("/blocks/7", { headers: { "if-none-match": etag } })).status).toBe(304);

    await gateway.query("update head set hash = sha256(hash)");
    await until(async () => (await gateway.get("/blocks/7")).body.meta.totalFee === "7007", "the new one is sent");
    const after = await gateway.get("/blocks/7");
    expect(after.headers.get("etag")).not.toBe(etag);
  });

  test("a large body has the tag of the last change, a small one that of its bytes", async () => {
    const again = async (path: string, etag: string) =>
      (await gateway.get(path, { headers: { "if-none-match": etag } })).status;
    const tags = async () => {
      const large = await gateway.get("/blocks?pageSize=60&order=asc");
      expect(large.text.length).toBeGreaterThan(32_768);
      const small = await gateway.get("/blocks?pageSize=10&order=asc");
      return [large, small].map(({ headers }) => headers.get("etag") as string) as [string, string];
    };
    const [large, small] = await tags();
    expect(await again("/blocks?pageSize=60&order=asc", large)).toBe(304);
    expect(await again("/blocks?pageSize=60&order=asc", small)).toBe(200);
    expect(await again("/blocks?pageSize=10&order=asc", small)).toBe(304);
    await gateway.query("update head set hash = sha256(hash)");
    await until(async () => (await tags())[0] !== large, "the tag of a large body changes");
    expect(await again("/blocks?pageSize=60&order=asc", large)).toBe(200);
    expect(await again("/blocks?pageSize=10&order=asc", small)).toBe(304);
  });

  test("errors are not cached", async () => {
    for (let time = 0; time < 4; time++) expect((await gateway.get("/blocks/900")).status).toBe(404);
    await gateway.query("update raw_blocks set height = 900 where height = 9");
    await gateway.query("update blocks set height = 900 where height = 9");
    expect((await gateway.get("/blocks/900")).status).toBe(200);
  });

  test("what is cached and small, or unchanged for the client, is answered while the client's other requests wait", async () => {
    const cached = await warm("/blocks/8");
    const large = await warm("/blocks?pageSize=60");
    expect(large.length).toBeGreaterThan(65_536);
    const etag = (await gateway.get("/blocks/8")).headers.get("etag") ?? "";
    const answered: string[] = [];
    const ask = async (path: string) => {
      const { status, text } = await gateway.get(path);
      answered.push(text);
      return { status, text };
    };
    const waiting = await whileLocked(gateway.database.url, ["transactions"], async () => {
      // More than are worked on at one time for a client.
      const others = Array.from({ length: 8 }, () => ask("/transactions/confirmed"));
      // Large ones could take much memory if the client does not read them.
      const largeAgain = ask("/blocks?pageSize=60");
      expect((await gateway.get("/blocks/8")).text).toBe(cached);
      expect((await gateway.get("/blocks/8", { headers: { "if-none-match": etag } })).status).toBe(304);
      expect(answered).toEqual([]);
      return { others, largeAgain };
    });
    expect((await waiting.largeAgain).text).toBe(large);
    for (const { status } of await Promise.all(waiting.others)) expect(status).toBe(200);
  });
});
