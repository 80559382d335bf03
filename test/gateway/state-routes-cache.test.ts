import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { GatewayFixture } from "./gateway-fixture.js";

const ofState = ["/accounts", "/mosaics", "/namespaces", "/metadata", "/lock/hash", "/restrictions/mosaic"];

let gateway: GatewayFixture;

beforeAll(async () => {
  gateway = await GatewayFixture.start(3);
});

afterAll(async () => {
  await gateway?.close();
});

const tagOf = async (path: string) => (await gateway.get(path)).headers.get("etag");
const ask = async (path: string, etag: string) => gateway.get(path, { headers: { "if-none-match": etag } });

test("lists of state have a tag, and are answered with 304 while they are the same", async () => {
  const ofBlocks = (await tagOf("/blocks")) as string;
  for (const path of ofState) {
    const tag = (await tagOf(path)) as string;
    expect((await ask(path, tag)).status).toBe(304);
    expect((await ask(path, ofBlocks)).status).toBe(200);
  }
});

test("state paths, which come from the node, have no tag", async () => {
  const { status, headers } = await gateway.get("/mosaics/72C0212E67A08BCE/merkle");
  expect({ status, tag: headers.get("etag") }).toEqual({ status: 200, tag: null });
});
