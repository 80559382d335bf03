import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { BlockResponse, BlockTransactionResponse } from "../../mesh/standard/schemas.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { CountingRelay } from "../support/counting-relay.js";
import { MeshClient } from "../support/mesh-client.js";
import { chainWithLargeBlock } from "../support/served-chain.js";

const MIN_TRANSACTIONS = 6_000;
const FIRST_TRANSACTIONS = 100;
const MAX_BYTES_READ = 64 * 1024;

let relay: CountingRelay;
let served: GatewayFixture;
let mesh: MeshClient;

beforeAll(async () => {
  served = await GatewayFixture.start(chainWithLargeBlock(), async ({ url }) => {
    const { hostname, port } = new URL(url);
    relay = await CountingRelay.start({ host: hostname, port: Number(port) });
    return { databaseUrl: relay.urlOf(url), extensions: makeExtensions({ MESH_PATH: "/mesh" }) };
  });
  mesh = new MeshClient(`${served.url}/mesh`);
});

afterAll(async () => {
  await served?.close();
  await relay?.close();
});

test("a block with thousands of transactions has its first ones, and identifies all others", async () => {
  const { transactions } = served.blocks[1]!;
  expect(transactions.length).toBeGreaterThanOrEqual(MIN_TRANSACTIONS);
  const hashes = transactions.map(({ hash }) => hash.toString("hex").toUpperCase());
  const { block, other_transactions: others } = await mesh.ask<BlockResponse>("/block", {
    block_identifier: { index: 2 },
  });
  const { hash } = block!.block_identifier;
  const shown = block!.transactions.map(({ transaction_identifier: { hash: one } }) => one);
  expect(shown.filter((one) => one !== hash)).toEqual(hashes.slice(0, FIRST_TRANSACTIONS));
  expect(others?.map((one) => one.hash)).toEqual(hashes.slice(FIRST_TRANSACTIONS));
});

test("for one of its transactions, the block is not read as a whole", async () => {
  const { block, other_transactions: others = [] } = await mesh.ask<BlockResponse>("/block", { block_identifier: {} });
  const { block_identifier } = block!;
  for (const share of [0, 0.5, 0.999]) {
    const transaction_identifier = others[Math.floor(share * others.length)]!;
    const before = relay.received;
    const request = { block_identifier, transaction_identifier };
    const { transaction } = await mesh.ask<BlockTransactionResponse>("/block/transaction", request);
    expect(transaction.transaction_identifier).toEqual(transaction_identifier);
    expect(transaction.operations.length).toBeGreaterThan(0);
    expect(relay.received - before).toBeLessThan(MAX_BYTES_READ);
  }
});
