import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { ResponseCache } from "../../gateway/http/response-cache.js";
import { GatewayFixture } from "./gateway-fixture.js";

const BLOCKS = 60;

function answer(bytes: number) {
  return { body: Buffer.alloc(bytes, "x"), contentType: "application/json", headers: {} };
}

describe("a cache of answers", () => {
  test("keeps repeated requests of the same tag, and nothing of another", () => {
    const cache = new ResponseCache(1_000);
    expect(cache.wants("/a", "1")).toBe(false);
    expect(cache.wants("/a", "1")).toBe(true);
    cache.set("/a", "1", answer(10));
    expect(cache.get("/a", "1")?.answer.body.length).toBe(10);
    expect(cache.get("/a", "2")).toBeUndefined();
    expect(cache.has("/a")).toBe(false);
    cache.set("/a", "1", answer(10));
    expect(cache.size).toEqual({ bytes: 0, answers: 0 });
  });

  test("drops the least recently used when it is full, compressed forms included", async () => {
    const cache = new ResponseCache(200);
    for (const url of ["/a", "/b"]) cache.wants(url, "1");
    for (let index = 0; index < 16; index++) cache.set(`/${index}`, "1", answer(12));
    cache.get("/0", "1");
    cache.set("/16", "1", answer(12));
    expect(cache.has("/0")).toBe(true);
    expect(cache.has("/1")).toBe(false);
    expect(cache.size).toEqual({ bytes: 192, answers: 16 });
    const compressed = await cache.get("/0", "1")?.compressed("gzip");
    expect(cache.size.bytes).toBeLessThanOrEqual(200);
    expect(compressed).toBe(await cache.get("/0", "1")?.compressed("gzip"));
  });

  test("keeps nothing that is large beside it, and nothing at all when it has no room", () => {
    const cache = new ResponseCache(160);
    cache.wants("/a", "1");
    cache.set("/a", "1", answer(11));
    expect(cache.has("/a")).toBe(false);
    const none = new ResponseCache(0);
    none.wants("/a", "1");
    expect(none.wants("/a", "1")).toBe(false);
  });

  test("remembers no long URL, and at most 10,000 others", () => {
    const cache = new ResponseCache(1_000);
    for (const url of [`/?${"x".repeat(1_000)}`, ...Array.from({ length: 10_001 }, (_, index) => `/${index}`)]) {
      cache.wants(url, "1");
    }
    expect(cache.wants(`/?${"x".repeat(1_000)}`, "1")).toBe(false);
    expect(cache.wants("/9999", "1")).toBe(true);
    expect(cache.wants("/10000", "1")).toBe(false);
  });
});

describe("a gateway with a cache of answers", () => {
  let gateway: GatewayFixture;
  let database: pg.Client;

  beforeAll(async () => {
    // More connections than requests of one client that are worked on at one time.
    gateway = await GatewayFixture.start({ blocks: BLOCKS, seed: 1 }, () => ({ databasePoolSize: 8 }));
    database = new pg.Client({ connectionString: gateway.database.url });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await gateway?.close();
  });

  /** Requests until the answer comes from the cache, which shows when the database is changed without moving the head. */
  async function warm(path: string): Promise<string> {
    const texts = [];
    for (let time = 0; time < 4; time++) texts.push((await gateway.get(path)).text);
    expect(new Set(texts).size).toBe(1);
    return texts[0] as string;
  }

  test("sends the same answer, in every encoding, until the head moves; then the new one at once", async () => {
    const before = await warm("/blocks/7");
    await database.query("update blocks set total_fee = 7007 where height = 7");
    expect((await gateway.get("/blocks/7")).text).toBe(before);
    const plain = await gateway.get("/blocks/7", { headers: { "accept-encoding": "identity" } });
    expect(plain.text).toBe(before);
    expect(plain.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const etag = plain.headers.get("etag") ?? "";
    expect((await gateway.get("/blocks/7", { headers: { "if-none-match": etag } })).status).toBe(304);

    await database.query("update head set hash = sha256(hash)");
    const after = await gateway.get("/blocks/7");
    expect(JSON.parse(after.text).meta.totalFee).toBe("7007");
    expect(after.headers.get("etag")).not.toBe(etag);
  });

  test("errors are not cached", async () => {
    for (let time = 0; time < 4; time++) expect((await gateway.get("/blocks/900")).status).toBe(404);
    await database.query("update raw_blocks set height = 900 where height = 9");
    await database.query("update blocks set height = 900 where height = 9");
    expect((await gateway.get("/blocks/900")).status).toBe(200);
  });

  test("what is cached and small, or unchanged for the client, is answered while the client's other requests wait", async () => {
    const cached = await warm("/blocks/8");
    const large = await warm("/blocks?pageSize=60");
    expect(large.length).toBeGreaterThan(65_536);
    const etag = (await gateway.get("/blocks/8")).headers.get("etag") ?? "";
    await database.query("begin");
    await database.query("lock table transactions in access exclusive mode");
    const answered: string[] = [];
    // More than are worked on at one time for a client.
    const others = Array.from({ length: 8 }, async () => {
      const { status, text } = await gateway.get("/transactions/confirmed");
      answered.push(text);
      return status;
    });
    // Large ones could take much memory if the client does not read them.
    const largeAgain = gateway.get("/blocks?pageSize=60").then(({ text }) => {
      answered.push(text);
      return text;
    });
    expect((await gateway.get("/blocks/8")).text).toBe(cached);
    expect((await gateway.get("/blocks/8", { headers: { "if-none-match": etag } })).status).toBe(304);
    expect(answered).toEqual([]);
    await database.query("rollback");
    expect(await largeAgain).toBe(large);
    expect(await Promise.all(others)).toEqual(others.map(() => 200));
  });
});
