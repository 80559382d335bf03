import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { METADATA_TYPE, metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import { stateId } from "../../database/queries/state-entries.js";
import { MAX_METAL_CHUNKS } from "../../schema/state/metal.js";
import { executableAccount } from "../support/executable-chain.js";
import { type MetalPart, metalParts } from "../support/metal-chunks.js";
import { formatMetalId } from "../support/metal-id.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const owner = executableAccount(CHAIN_SEED, 0).address;
const other = executableAccount(CHAIN_SEED, 1).address;
const picture = createHash("shake256", { outputLength: 5_000 }).update("picture").digest();

const gateway = GatewayFixture.use(3);
let rows = 0;

/** Writes parts as metadata of an account by another, as the indexer does, and returns the Metal id of the first one. */
async function store(parts: readonly MetalPart[], source = owner, target = owner): Promise<string> {
  const entries = parts.map(({ key, value }) => {
    const identity = {
      sourceAddress: source,
      targetAddress: target,
      scopedMetadataKey: key,
      targetId: 0n,
      metadataType: METADATA_TYPE.account,
    };
    rows += 1;
    const state = Buffer.concat([number(1n, 2), source, target, number(key, 8), number(0n, 8), number(0n, 1)]);
    return {
      id: stateId(rows),
      composite_hash: metadataCompositeHash(identity),
      value: Buffer.concat([state, number(BigInt(value.length), 2), value]),
      source_address: source,
      target_address: target,
      scoped_metadata_key: number(key, 8).reverse(),
      target_id: Buffer.alloc(8),
      metadata_type: METADATA_TYPE.account,
    };
  });
  for (let start = 0; start < entries.length; start += 1000) {
    await gateway.db
      .insertInto("metadata")
      .values(entries.slice(start, start + 1000))
      .execute();
  }
  // As autovacuum does in time: with statistics of a small table, each part of a file would be found by reading all.
  await gateway.query("analyze metadata");
  return formatMetalId(entries[0]?.composite_hash as Buffer);
}

/** Little-endian bytes of a number. */
function number(value: bigint, bytes: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer.subarray(0, bytes);
}

async function get(id: string, query = "", init: RequestInit = {}) {
  const response = await fetch(`${gateway.url}/metadata/metal/${id}${query}`, init);
  const body = Buffer.from(await response.arrayBuffer());
  const header = (name: string) => response.headers.get(name);
  return { status: response.status, header, body };
}

const seal = (...words: unknown[]) => JSON.stringify(["seal1", ...words]);

describe("a Metal file", () => {
  test("has the type and name stored with it", async () => {
    const text = seal(picture.length, "image/png", "a picture.png", "of nothing");
    const { status, header, body } = await get(await store(metalParts(picture, text)));
    expect(status).toBe(200);
    expect(body.equals(picture)).toBe(true);
    expect(header("content-type")).toBe("image/png");
    expect(header("content-disposition")).toBe('inline; filename="a picture.png"');
    expect(header("content-metaltext")).toBe(text);
    expect(header("content-length")).toBe(`${picture.length}`);
    expect(header("content-encoding")).toBeNull();
    expect(header("etag")).toMatch(/^W\//);
  });

  test("has the requested type and name", async () => {
    const file = Buffer.from("words");
    const id = await store(metalParts(file, seal(5, "text/plain", "words.txt")));
    const named = await get(id, "?mimeType=text/markdown;%20charset=utf-8&fileName=other.md");
    expect(named.header("content-type")).toBe("text/markdown; charset=utf-8");
    expect(named.header("content-disposition")).toBe('inline; filename="other.md"');
    const saved = await get(id, "?download=true");
    expect(saved.header("content-disposition")).toBe('attachment; filename="words.txt"');
    expect((await get(id, "?download=false")).header("content-disposition")).toBe('inline; filename="words.txt"');
  });

  test("of unknown type is saved", async () => {
    const { header, body } = await get(await store(metalParts(Buffer.from([0, 1, 2]))));
    expect(header("content-type")).toBe("application/octet-stream");
    expect(header("content-disposition")).toBe("attachment");
    expect(header("content-metaltext")).toBeNull();
    expect(body).toEqual(Buffer.from([0, 1, 2]));
  });

  test("with a text that is not a seal has that text", async () => {
    const { header, body } = await get(await store(metalParts(Buffer.from([9]), "just words")));
    expect(header("content-type")).toBe("application/octet-stream");
    expect(header("content-metaltext")).toBe("just words");
    expect(body).toEqual(Buffer.from([9]));
  });

  test("with a text that spans several parts is joined", async () => {
    const text = seal(3, "text/plain", "long.txt", "x".repeat(2_500));
    const { header, body } = await get(await store(metalParts(Buffer.from("abc"), text)));
    expect(header("content-metaltext")).toBe(text);
    expect(body.toString()).toBe("abc");
  });

  test.each([
    ["quotes", 'a"b\\c.txt', 'inline; filename="a\\"b\\\\c.txt"'],
    ["other letters", "Bäume 木.txt", "inline; filename=\"B_ume _.txt\"; filename*=UTF-8''B%C3%A4ume%20%E6%9C%A8.txt"],
    ["a line end", "a\r\nSet-Cookie: b", "inline"],
    ["half a character", "a\ud800", "inline"],
    ["too many letters", "a".repeat(256), "inline"],
  ])("whose name has %s breaks no header", async (_what, name, expected) => {
    const text = seal(1, "text/plain", name);
    const { status, header } = await get(await store(metalParts(Buffer.from(`x${name}`), text)));
    expect(status).toBe(200);
    expect(header("content-disposition")).toBe(expected);
  });

  test.each([
    ["with letters beyond ASCII comes as UTF-8", seal(1, "text/plain", "木.txt"), true],
    ["with a control character is left out", "a\nb", false],
    ["that is too long for a header is left out", "y".repeat(5_000), false],
  ])("a text beside a file %s", async (_what, text, isThere) => {
    const { status, header } = await get(await store(metalParts(Buffer.from(text.slice(0, 9)), text)));
    expect(status).toBe(200);
    expect(header("content-metaltext")).toBe(isThere ? Buffer.from(text).toString("latin1") : null);
  });

  test("is no page of this server, whatever its type says", async () => {
    const page = Buffer.from("<script>alert(1)</script>");
    const { header } = await get(await store(metalParts(page, seal(page.length, "text/html"))));
    expect(header("content-type")).toBe("text/html");
    expect(header("content-security-policy")).toContain("sandbox");
    expect(header("x-content-type-options")).toBe("nosniff");
  });

  test("with an invalid type has an unknown type", async () => {
    const { header } = await get(await store(metalParts(Buffer.from("z"), seal(1, "a type\r\nX: y"))));
    expect(header("content-type")).toBe("application/octet-stream");
  });

  test("is compressed if it is text, and HEAD returns no bytes", async () => {
    const file = Buffer.from("again and again\n".repeat(400));
    const id = await store(metalParts(file, seal(file.length, "text/plain")));
    const compressed = await get(id, "", { headers: { "accept-encoding": "gzip" } });
    expect(compressed.header("content-encoding")).toBe("gzip");
    expect(compressed.body.equals(file)).toBe(true);
    const head = await get(id, "", { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([head.status, head.body.length, head.header("content-length")]).toEqual([200, 0, `${file.length}`]);
  });

  test("with the same bytes by another account is another file", async () => {
    const parts = metalParts(Buffer.from("q".repeat(3_000)), seal(3_000, "text/plain"));
    const ids = [await store(parts), await store(parts, other, owner), await store(parts.slice(0, 1), other, other)];
    const statuses = await Promise.all(ids.map(async (id) => (await get(id)).status));
    expect(statuses).toEqual([200, 200, 404]);
  });
});

describe("incomplete files are not found", () => {
  async function expectBroken(id: string, ...words: string[]): Promise<void> {
    const { status, body } = await get(id);
    const { code, message } = JSON.parse(body.toString());
    expect({ status, code }).toEqual({ status: 404, code: "ResourceNotFound" });
    for (const word of [id, ...words]) expect(message).toContain(word);
  }

  test("an unknown id", async () => {
    await expectBroken(formatMetalId(Buffer.alloc(32, 7)), "no resource exists");
  });

  test("a missing part", async () => {
    const parts = metalParts(Buffer.from("m".repeat(4_000)));
    await expectBroken(await store([...parts.slice(0, 2), ...parts.slice(3)]), "part 2 is missing");
  });

  test("a part with another hash", async () => {
    const parts = metalParts(Buffer.from("n".repeat(4_000)));
    const changed = parts.map(({ key, value }, place) =>
      place === 2 ? { key, value: Buffer.concat([value.subarray(0, -1), Buffer.from("!")]) } : { key, value },
    );
    await expectBroken(await store(changed), "hash");
  });

  test("a metadata entry that is no part of a file", async () => {
    await expectBroken(await store([{ key: 5n, value: Buffer.from("just a value of metadata") }]), "hash");
    await expectBroken(await store([{ key: 6n, value: Buffer.from("short") }]), "bytes");
  });

  test("more parts than are served", async () => {
    const id = await store(metalParts(Buffer.alloc(2 * (MAX_METAL_CHUNKS + 1), "0123456789"), "", 2));
    const { status, body } = await get(id);
    expect(status).toBe(409);
    expect(JSON.parse(body.toString()).message).toContain(`${MAX_METAL_CHUNKS}`);
  });
});
