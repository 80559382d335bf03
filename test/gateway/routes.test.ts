import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { rawPublicKey } from "../../catapult/certificate/certificate-chain.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { blockScore } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { type TransactionEntry, topLevelOf, transactionsOf } from "../support/block-entries.js";
import { serverCredentials } from "../support/connection-fixtures.js";
import { executableAccount } from "../support/executable-chain.js";
import { publishedApi } from "../support/openapi.js";
import type { TestAnswer } from "../support/rest-client.js";
import { CHAIN_SEED } from "../support/served-chain.js";
import { GatewayFixture, NODE_AHEAD, NODE_INFO, NODE_TIME } from "./gateway-fixture.js";

const BLOCKS = 150;
/** Epochs have twenty blocks, and the last ten blocks are not final. */
const FINAL = BLOCKS - 10;
const busy = executableAccount(CHAIN_SEED, 0);
const description = publishedApi();

const gateway = GatewayFixture.use(BLOCKS);

type Top = ReturnType<typeof topLevelOf>[number];

/** The answer of a route of the published description, validated. */
async function get(path: string, status = 200): Promise<TestAnswer> {
  const answer = await gateway.get(path);
  expect({ path, status: answer.status, text: status === answer.status ? "" : answer.text }).toEqual({
    path,
    status,
    text: "",
  });
  if (status === 200) expectDescribed("GET", path, answer);
  return answer;
}

function expectDescribed(method: string, path: string, { status, body }: TestAnswer): void {
  expect(description.validateResponse(method, path, status, body)).toEqual([]);
}

const topLevel = () => gateway.blocks.flatMap(topLevelOf);
const embedded = () => gateway.blocks.flatMap(transactionsOf).filter((one) => one.embedded);

describe("chain", () => {
  test("/chain/info is the head of the index", async () => {
    const { body } = await get("/chain/info");
    const { blocks } = gateway;
    const score = blocks.slice(1).reduce((sum, block, before) => sum + blockScore(blocks[before]!, block), 1n);
    expect(body).toEqual({
      height: String(BLOCKS),
      scoreHigh: String(score >> 64n),
      scoreLow: String(score & (2n ** 64n - 1n)),
      latestFinalizedBlock: {
        finalizationEpoch: FINAL / 20 + 1,
        finalizationPoint: 1,
        height: String(FINAL),
        hash: hex(blocks[FINAL - 1]!.hash),
      },
    });
  });
});

describe("blocks", () => {
  test.each([
    ["orderBy=height&offset=140&order=asc", "141"],
    ["orderBy=height&offset=140", "139"],
    [`orderBy=id&offset=${"8C".padStart(10, "0")}00000000000000&order=asc`, "141"],
    ["offset=000000008C00000000000000&pageNumber=2", "129"],
    ["fromTimestamp=60000&toTimestamp=120000&order=asc", "2"],
    ["fromTimestamp=18446744073709551615", undefined],
  ])("?%s", async (query, height) => {
    const { body } = await get(`/blocks?${query}`);
    expect(body.data[0]?.block.height).toBe(height);
  });

  test("by signer and by beneficiary, in base32 and in hex", async () => {
    const [{ signerPublicKey: nemesis }] = gateway.blocks as [VerifiedBlock];
    const { body } = await get(`/blocks?signerPublicKey=${hex(nemesis).toLowerCase()}`);
    expect(body.pagination.totalEntries).toBe(1);
    const base32 = await get(`/blocks?beneficiaryAddress=${encodeAddress(busy.address)}&pageSize=100`);
    const inHex = await get(`/blocks?beneficiaryAddress=${hex(busy.address)}&pageSize=100`);
    expect(base32.text).toBe(inHex.text);
    expect(base32.body.data.length).toBeGreaterThan(0);
  });

  test.each([String(BLOCKS + 1), "1099511627775", "1099511627776", "18446744073709551615"])(
    "none at %s",
    async (height) => {
      const { body } = await get(`/blocks/${height}`, 404);
      expect(body).toEqual({ code: "ResourceNotFound", message: `no resource exists with id '${height}'` });
    },
  );
});

describe("merkle paths", () => {
  test.each(["transactions", "statements"])(
    "distinguish a hash that is not in the block from a missing block: %s",
    async (of) => {
      const hash = "0123456789ABCDEF".repeat(4);
      const unknownHash = await get(`/blocks/5/${of}/${hash}/merkle`, 409);
      expect(unknownHash.body).toEqual({
        code: "InvalidArgument",
        message: `hash '${hash}' not included in block height '5'`,
      });
      const unknownBlock = await get(`/blocks/${BLOCKS + 1}/${of}/${hash}/merkle`, 404);
      expect(unknownBlock.body.code).toBe("ResourceNotFound");
    },
  );
});

describe("transactions", () => {
  test.each(["00".repeat(32), "00".repeat(12)])("none with %s", async (id) => {
    const { body } = await get(`/transactions/confirmed/${id}`, 404);
    expect(body).toEqual({ code: "ResourceNotFound", message: `no resource exists with id '${id}'` });
  });

  test("several by ids and hashes, in the order of the request, each once, without those that do not exist", async () => {
    const [first, second, third] = topLevel() as [Top, Top, Top];
    const [inner] = embedded() as [TransactionEntry];
    const transactionIds = [third.id, second.hash, Buffer.alloc(32, 9), first.id, third.hash, inner.id].map(hex);
    const answer = await gateway.post("/transactions/confirmed", { transactionIds });
    expect(answer.status).toBe(200);
    expectDescribed("POST", "/transactions/confirmed", answer);
    const ids = answer.body.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([third, second, first, inner].map(({ id }) => hex(id)));
    for (const document of answer.body) {
      const alone = await get(`/transactions/confirmed/${document.id}`);
      expect(document).toEqual(alone.body);
    }
  });

  test("an aggregate together with an embedded transaction", async () => {
    const aggregate = topLevel().find(({ entity }) => entity.type === TRANSACTION_TYPE.aggregate_complete)!;
    const inside = Buffer.from(aggregate.id);
    inside[11] = 1;
    const transactionIds = [hex(aggregate.id), hex(inside)];
    const { body } = await gateway.post("/transactions/confirmed", { transactionIds });
    expect(body).toHaveLength(2);
    expect(body[0]).toEqual((await get(`/transactions/confirmed/${transactionIds[0]}`)).body);
  });
});

describe("finalization proofs", () => {
  test.each(["epoch/3", "epoch/4294967296", "epoch/18446744073709551615", "height/99", "height/18446744073709551615"])(
    "none at %s",
    async (place) => {
      const { body } = await get(`/finalization/proof/${place}`, 404);
      expect(body.message).toBe(`no resource exists with id '${place.split("/")[1]}'`);
    },
  );
});

describe("node", () => {
  test("/node/info, /node/peers and /node/time are the node's answers", async () => {
    const info = await get("/node/info");
    expect(info.body).toMatchObject({ ...NODE_INFO, version: 0x01000308, roles: 7, networkIdentifier: 152 });
    const { nodePublicKey, ...known } = info.body;
    const certificate = new X509Certificate(serverCredentials.certificatePem);
    expect(nodePublicKey).toBe(rawPublicKey(certificate.publicKey).toString("hex").toUpperCase());
    const peers = await get("/node/peers");
    expect(peers.body).toHaveLength(2);
    expect(peers.body[0]).toEqual(known);
    const time = await get("/node/time");
    expect(time.body.communicationTimestamps).toEqual({
      sendTimestamp: String(NODE_TIME.sendTimestamp),
      receiveTimestamp: String(NODE_TIME.receiveTimestamp),
    });
  });
});

describe("server", () => {
  test("/ names the interfaces, and each answers", async () => {
    const { body } = await gateway.get("/");
    expect(body).toMatchObject({ webSocket: "/ws", events: "/events", graphql: "/graphql" });
    for (const path of [body.rest.docs, body.rest.openapi, body.health, body.ready, body.metrics]) {
      expect({ path, status: (await gateway.get(path)).status }).toEqual({ path, status: 200 });
    }
  });

  test("/ready reports how far the index is behind the node", async () => {
    const { body } = await gateway.get("/ready");
    const newest = gateway.blocks.at(-1)!.timestamp;
    expect(body).toMatchObject({
      height: String(BLOCKS),
      finalizedHeight: expect.stringMatching(/^\d+$/),
      nodeHeight: String(BLOCKS + NODE_AHEAD),
      blocksBehind: NODE_AHEAD,
      secondsBehind: Math.max(0, Math.round((NODE_TIME.sendTimestamp - newest) / 1_000)),
      unknownEntities: 0,
      missingRule: null,
      stateDiffersSince: null,
      unprovenFinalization: null,
    });
  });

  test.each([
    [`maxBlocksBehind=${NODE_AHEAD}`, 200],
    [`maxBlocksBehind=${NODE_AHEAD - 1}`, 503],
    ["maxSecondsBehind=1000000000", 200],
    ["maxBlocksBehind=x", 400],
    ["maxBlocksBehind=-1", 409],
  ])("/ready?%s: %i", async (query, status) => {
    expect((await gateway.get(`/ready?${query}`)).status).toBe(status);
  });
});

test("a client that announced a thousand transactions may request all of them at once, and no more", async () => {
  const hashes = Array.from({ length: 1000 }, (_, n) => n.toString(16).padStart(64, "0"));
  expect(await gateway.post("/transactionStatus", { hashes })).toMatchObject({ status: 200, body: [] });
  const more = await gateway.post("/transactionStatus", { hashes: [...hashes, "A".repeat(64)] });
  expect(more).toMatchObject({ status: 409, body: { code: "InvalidArgument" } });
});
