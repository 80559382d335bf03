import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { encodeEntityId } from "../../catapult/json/entity-id.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { BlockResponse, BlockTransactionResponse } from "../../mesh/standard/schemas.js";
import { CountingRelay } from "../support/counting-relay.js";
import { MeshClient } from "../support/mesh-client.js";
import { chainWithLargeBlock } from "../support/served-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const MIN_TRANSACTIONS = 6_000;
const SHOWN_BY_MESH = 100;
const MAX_BYTES_READ = 64 * 1024;

describe("a block with thousands of transactions", () => {
  let relay: CountingRelay;
  let block: VerifiedBlock;

  const gateway = GatewayFixture.use(chainWithLargeBlock(), async ({ url }) => {
    relay = await new CountingRelay(url).open();
    return {
      databaseUrl: relay.through(url),
      limits: { responseCacheBytes: 0 },
      extensions: makeExtensions({ MESH_PATH: "/mesh" }),
    };
  });

  beforeAll(() => {
    block = gateway.blocks[1]!;
  });

  afterAll(() => relay?.close());

  /** Bytes that PostgreSQL sent for a request. */
  async function bytesReadFor(path: string): Promise<{ text: string; bytes: number }> {
    const before = relay.received;
    const { status, text } = await gateway.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return { text, bytes: relay.received - before };
  }

  const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

  test("is not read as a whole for one of its transactions", async () => {
    const { transactions } = block;
    expect(transactions.length).toBeGreaterThanOrEqual(MIN_TRANSACTIONS);
    expect(block.bytes.length).toBeGreaterThan(10 * MAX_BYTES_READ);
    for (const share of [0, 0.25, 0.5, 0.75, 0.999]) {
      const { hash } = transactions[Math.floor(share * transactions.length)]!;
      const { text, bytes } = await bytesReadFor(`/transactions/confirmed/${hex(hash)}`);
      expect(JSON.parse(text).meta.hash).toBe(hex(hash));
      expect(bytes).toBeLessThan(MAX_BYTES_READ);
    }
  });

  test("is not read as a whole for one of its statements or its header", async () => {
    const after = hex(encodeEntityId(1, 0));
    const { text, bytes } = await bytesReadFor(`/statements/transaction?offset=${after}&order=asc&pageSize=10`);
    const statements = JSON.parse(text).data;
    expect(statements.length).toBeGreaterThan(0);
    for (const { statement } of statements) expect(statement.height).toBe("2");
    expect(bytes).toBeLessThan(MAX_BYTES_READ);
    const header = await bytesReadFor("/blocks/2");
    expect(JSON.parse(header.text).meta.hash).toBe(hex(block.hash));
    expect(header.bytes).toBeLessThan(MAX_BYTES_READ);
  });

  test("has its first ones in Mesh, which identifies all others, and does not read it as a whole for one of them", async () => {
    const mesh = new MeshClient(gateway);
    const hashes = block.transactions.map(({ hash }) => hex(hash));
    const found = await mesh.ask<BlockResponse>("/block", { block_identifier: { index: 2 } });
    const { block_identifier, transactions } = found.block!;
    const others = found.other_transactions ?? [];
    const shown = transactions.map(({ transaction_identifier: { hash } }) => hash);
    expect(shown.filter((one) => one !== block_identifier.hash)).toEqual(hashes.slice(0, SHOWN_BY_MESH));
    expect(others.map(({ hash }) => hash)).toEqual(hashes.slice(SHOWN_BY_MESH));
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
});
