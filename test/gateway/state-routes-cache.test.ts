import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const ofState = ["/accounts", "/mosaics", "/namespaces", "/metadata", "/lock/hash", "/restrictions/mosaic"];

let gateway: GatewayFixture;
let db: Db;

beforeAll(async () => {
  gateway = await GatewayFixture.start({ blocks: 3, seed: 8 });
  db = openDatabase({ url: gateway.database.url, poolSize: 1 });
});

afterAll(async () => {
  await db?.destroy();
  await gateway?.close();
});

const tagOf = async (path: string) => (await gateway.get(path)).headers.get("etag");
const ask = async (path: string, etag: string) => gateway.get(path, { headers: { "if-none-match": etag } });

test("lists of state have a tag of the chain and the URL, and are answered with 304 while neither changes", async () => {
  // The URL's part has 16 digits.
  const chain = (tag: string) => tag.replace(/[\w-]{16}"$/, "");
  const ofBlocks = (await tagOf("/blocks")) as string;
  for (const path of ofState) {
    const tag = (await tagOf(path)) as string;
    expect({ path, chain: chain(tag) }).toEqual({ path, chain: chain(ofBlocks) });
    expect((await ask(path, tag)).status).toBe(304);
    expect((await ask(path, ofBlocks)).status).toBe(200);
  }
});

test("while the state is behind the head, it has no tag, and older tags are invalid; blocks keep theirs", async () => {
  const tag = (await tagOf("/accounts")) as string;
  const ofBlocks = (await tagOf("/blocks")) as string;
  await db
    .insertInto("pending_states")
    .values({ kind: 0, key: Buffer.alloc(24), height: 3 })
    .execute();
  for (const path of ofState) expect({ path, status: (await ask(path, tag)).status }).toEqual({ path, status: 200 });
  await until(async () => (await tagOf("/accounts")) === null, "accounts have no tag");
  expect((await ask("/accounts", tag)).headers.get("etag")).toBeNull();
  expect((await ask("/blocks", ofBlocks)).status).toBe(304);
  await db.deleteFrom("pending_states").execute();
  expect((await ask("/accounts", tag)).status).toBe(304);
});

test("state paths, which come from the node, have no tag", async () => {
  const { status, headers } = await gateway.get("/mosaics/72C0212E67A08BCE/merkle");
  expect({ status, tag: headers.get("etag") }).toEqual({ status: 200, tag: null });
});
