import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CountingRelay } from "../support/counting-relay.js";
import type { SyntheticBlock } from "../support/synthetic-chain.js";
import { GatewayFixture } from "./gateway-fixture.js";

const LEAST_TRANSACTIONS = 6_000;
/** The first block with transactions is a large one. */
const chain = { blocks: 1, transactionsPerBlock: 12_500, seed: 1 };
const MAX_BYTES_READ = 64 * 1024;

describe("a block with thousands of transactions", () => {
  let relay: CountingRelay;
  let gateway: GatewayFixture;
  let block: SyntheticBlock;

  beforeAll(async () => {
    gateway = await GatewayFixture.start(chain, async ({ url }) => {
      const { hostname, port } = new URL(url);
      relay = await CountingRelay.start({ host: hostname, port: Number(port) });
      return { databaseUrl: relay.urlOf(url), limits: { responseCacheBytes: 0 } };
    });
    block = gateway.blocks[0]!;
  });

  afterAll(async () => {
    await gateway?.close();
    await relay?.close();
  });

  /** Bytes that PostgreSQL sent for a request. */
  async function bytesReadFor(path: string): Promise<{ text: string; bytes: number }> {
    const before = relay.received;
    const { status, text } = await gateway.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return { text, bytes: relay.received - before };
  }

  const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

  test("is not read as a whole for one of its transactions", async () => {
    const top = block.transactions.filter(({ row }) => !row.embedded);
    expect(top.length).toBeGreaterThanOrEqual(LEAST_TRANSACTIONS);
    expect(top.reduce((sum, { row }) => sum + row.size, 0)).toBeGreaterThan(10 * MAX_BYTES_READ);
    for (const { row } of [0, 0.25, 0.5, 0.75, 0.999].map((share) => top[Math.floor(share * top.length)]!)) {
      const { text, bytes } = await bytesReadFor(`/transactions/confirmed/${hex(row.hash!)}`);
      expect(JSON.parse(text).meta.hash).toBe(hex(row.hash!));
      expect(bytes).toBeLessThan(MAX_BYTES_READ);
    }
  });

  test("is not read as a whole for one of its statements or its header", async () => {
    const { row } = block.statements.at(-1)!;
    const after = hex(block.statements.at(-2)!.row.id);
    const { text, bytes } = await bytesReadFor(`/statements/transaction?offset=${after}&order=asc&pageSize=10`);
    expect(text.startsWith(`{"data":[${row.document}]`)).toBe(true);
    expect(bytes).toBeLessThan(MAX_BYTES_READ);
    const header = await bytesReadFor("/blocks/1");
    expect(header.text).toBe(block.row.document);
    expect(header.bytes).toBeLessThan(MAX_BYTES_READ);
  });
});
