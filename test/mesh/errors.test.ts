import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { BODY_BYTES } from "../../gateway/http/json-body.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { checkMeshPath } from "../../mesh/mesh.js";
import { type MeshErrorName, meshErrors } from "../../mesh/standard/errors.js";
import { OPERATION_TYPES } from "../../mesh/standard/operation-types.js";
import type { Allow, ErrorBody } from "../../mesh/standard/schemas.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { MeshClient } from "../support/mesh-client.js";

const UNKNOWN = "AB".repeat(32);

const extensions = makeExtensions({ MESH_PATH: "/mesh" });
const [served, broken] = [1, 2].map(() => GatewayFixture.use(3, { extensions })) as [GatewayFixture, GatewayFixture];
const limited = GatewayFixture.use(3, { extensions, rateLimit: { perSecond: 0.001, burst: 1 } });
const empty = GatewayFixture.use(undefined, { extensions });
const plain = GatewayFixture.use(3);
const mesh = new MeshClient(served);
let url: string;
let address: string;
let block: { index: number; hash: string };

beforeAll(async () => {
  url = `${served.url}/mesh`;
  const { hash, beneficiaryAddress } = served.blocks[2]!;
  block = { index: 3, hash: hash.toString("hex").toUpperCase() };
  address = encodeAddress(beneficiaryAddress);
});

const seen = new Set<number>();

/** The error of a request about the network; it has to be in the table as it is. */
async function failure(path: string, request: object, entry: MeshErrorName): Promise<ErrorBody> {
  const body = await mesh.fail(path, { ...request });
  expectEntry(body, entry);
  return body;
}

function expectEntry({ details, ...body }: ErrorBody, entry: MeshErrorName): void {
  const { code, message, description, retriable } = meshErrors[entry];
  expect(body).toEqual({ code, message, description, retriable });
  seen.add(code);
}

describe("requests that are not as the standard requires", () => {
  test.each([
    ["/block", {}, "block_identifier"],
    ["/block", { block_identifier: { index: "3x" } }, "block_identifier.index"],
    ["/block", { block_identifier: { index: 1.5 } }, "block_identifier.index"],
    ["/block", { block_identifier: { index: -1 } }, "block_identifier.index"],
    ["/block", { block_identifier: { hash: "AB" } }, "block_identifier.hash"],
    ["/block/transaction", { block_identifier: { index: 3 } }, "block_identifier.hash"],
    ["/account/balance", { account_identifier: {} }, "account_identifier.address"],
    ["/events/blocks", { offset: -1 }, "offset"],
    ["/search/transactions", { operator: "xor" }, "operator"],
    ["/search/transactions", { transaction_identifier: { hash: "1" } }, "transaction_identifier.hash"],
    ["/search/transactions", { currency: { symbol: "x", decimals: 0 } }, "currency.symbol"],
    ["/mempool/transaction", { transaction_identifier: { hash: 5 } }, "transaction_identifier.hash"],
  ])("%s %j is rejected, and the error names %s", async (path, request, member) => {
    const { details } = await failure(path, request, "invalidRequest");
    expect(details).toMatchObject({ member, problem: expect.any(String) });
  });

  test("neither a body that is no JSON object, nor another media type, nor sub-accounts and unknown mosaics", async () => {
    for (const body of ["{", "[]", "5", "null"]) {
      const { status, body: error } = await mesh.send<ErrorBody>("/network/list", body);
      expect(status).toBe(500);
      expectEntry(error, "invalidRequest");
    }
    const text = await mesh.send<ErrorBody>("/network/list", {}, { headers: { "content-type": "text/plain" } });
    expectEntry(text.body, "invalidRequest");
    const account_identifier = { address, sub_account: { address: "staking" } };
    await failure("/account/balance", { account_identifier }, "invalidRequest");
    for (const currency of [
      { symbol: "00000000000000AB", decimals: 0 },
      { symbol: "symbol", decimals: 6 },
    ]) {
      await failure("/account/balance", { account_identifier: { address }, currencies: [currency] }, "invalidRequest");
    }
  });
});

test("other networks, unknown blocks and transactions, and malformed addresses have errors of their own", async () => {
  for (const network_identifier of [
    { blockchain: "Symbol", network: "mainnet" },
    { blockchain: "Bitcoin", network: (await mesh.network()).network },
    { ...(await mesh.network()), sub_network_identifier: { network: "shard" } },
  ]) {
    await failure("/network/status", { network_identifier }, "unsupportedNetwork");
  }
  for (const block_identifier of [{ index: 0 }, { index: 4 }, { hash: UNKNOWN }, { index: 2, hash: block.hash }]) {
    await failure("/block", { block_identifier }, "blockNotFound");
    await failure("/account/balance", { block_identifier, account_identifier: { address } }, "blockNotFound");
  }
  const ofBlock = { block_identifier: block, transaction_identifier: { hash: UNKNOWN } };
  await failure("/block/transaction", ofBlock, "transactionNotFound");
  const ofOther = { block_identifier: { index: 2, hash: UNKNOWN }, transaction_identifier: { hash: UNKNOWN } };
  await failure("/block/transaction", ofOther, "blockNotFound");
  await failure("/mempool/transaction", { transaction_identifier: { hash: UNKNOWN } }, "transactionNotFound");
  const wrong = [
    `${address.slice(0, -1)}${address.endsWith("A") ? "Q" : "A"}`,
    "",
    address.toLowerCase(),
    "A".repeat(5_00),
  ];
  for (const invalid of [...wrong, `N${address.slice(1)}`]) {
    await failure("/account/balance", { account_identifier: { address: invalid } }, "invalidAddress");
    // There it may be left out, and so be empty.
    if (invalid !== "") await failure("/search/transactions", { address: invalid }, "invalidAddress");
  }
});

test("what does not apply to Symbol is not implemented", async () => {
  const coins = { account_identifier: { address }, include_mempool: false };
  await failure("/account/coins", coins, "notImplemented");
  await failure("/call", { method: "any", parameters: {} }, "notImplemented");
});

test("bodies beyond the limit, other paths and methods, and too many requests are rejected", async () => {
  await failure("/network/status", { metadata: { text: "x".repeat(BODY_BYTES) } }, "requestTooLarge");
  for (const [path, method, status] of [
    ["/block/other", "POST", 404],
    ["", "GET", 404],
    ["/block", "GET", 404],
    ["/block", "PUT", 404],
  ] as const) {
    const response = await fetch(url + path, { method });
    expect({ path, method, status: response.status }).toEqual({ path, method, status });
    expectEntry((await response.json()) as ErrorBody, "noSuchEndpoint");
  }
  const allowed = await fetch(`${url}/block`, { method: "OPTIONS" });
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);

  const client = new MeshClient(limited);
  await client.network();
  const { status, headers, body } = await client.send<ErrorBody>("/network/list", {});
  expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
  expectEntry(body, "tooManyRequests");
});

test("without an index, and without a node, the errors are retriable; internal ones name the request", async () => {
  const { status, body } = await new MeshClient(empty).send<ErrorBody>("/network/list", {});
  expect(status).toBe(500);
  expectEntry(body, "unavailable");
  expect(body.retriable).toBe(true);
  const client = new MeshClient(broken);
  await client.network();
  await broken.node.close();
  expectEntry(await client.fail("/network/options"), "unavailable");
  await client.ask("/network/status");
  await broken.query("alter table blocks rename to elsewhere");
  const { details, ...error } = await client.fail("/block", { block_identifier: {} });
  expectEntry({ details, ...error }, "internalError");
  expect(broken.log.lines.map(({ requestId }) => requestId)).toContain(details?.request);
});

test("every error of the table that these endpoints can answer was shown, and /network/options lists them all", async () => {
  const { allow } = await mesh.ask<{ allow: Allow }>("/network/options");
  expect(allow.errors.map(({ code }) => code)).toEqual(Object.values(meshErrors).map(({ code }) => code));
  // Those of construction, and of a server that is offline, have tests of their own.
  const ofConstruction = (code: number) => [2, 3, 13].includes(code) || (code >= 20 && code < 99);
  const answered = Object.values(meshErrors).filter(({ code }) => !ofConstruction(code));
  expect([...seen].sort((a, b) => a - b)).toEqual(answered.map(({ code }) => code).sort((a, b) => a - b));
});

test("docs/mesh.md lists every type of operations", () => {
  const text = readFileSync(new URL("../../../docs/mesh.md", import.meta.url), "utf8");
  for (const type of OPERATION_TYPES) expect(text).toContain(`\`${type}\``);
});

test("Mesh is disabled by default", async () => {
  for (const path of ["/mesh", "/mesh/network/list", "/network/list"]) {
    expect((await plain.post(path, {})).status).toBe(404);
  }
});

test.each(["/blocks", "/events", "/network"])("Mesh is not served at %s", (path) => {
  const others = routes.map((route) => route.path);
  expect(() => checkMeshPath(path, others)).toThrow(`MESH_PATH must not be ${path}`);
  checkMeshPath("/mesh", others);
});
