import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readIndexPoint } from "../../database/queries/head.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { ChainRecording } from "../support/chain-recording.js";
import { checkIndex } from "../support/checked-index.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { StateNode } from "../support/state-node.js";

interface Body {
  readonly transaction: Readonly<Record<string, unknown>>;
}

describe("a chain with odd bytes that a real node accepted", () => {
  const { config, network, blocks: recorded } = new ChainRecording("accepted");
  const blocks = recorded.map(({ bytes, statement }) => ({ block: bytes, statement }));
  let node: StateNode;
  let index: IndexedDatabase;

  beforeAll(async () => {
    node = await StateNode.startOf({ config, network }, blocks);
    index = await IndexedDatabase.create();
    await index.follow(node.address);
    await index.waitForHash(node.node.hashAt(blocks.length));
  });

  afterAll(async () => {
    await index?.drop();
    await node?.close();
  });

  async function transactionsAt(height: number): Promise<Body["transaction"][]> {
    const request = { pageNumber: 1, pageSize: 100, order: "asc" } as const;
    const { data } = await searchTransactions(index.db, { height, embedded: true }, request);
    return data.map(({ body }) => (JSON.parse(body) as Body).transaction);
  }

  test("is indexed to its end, and check finds no difference", async () => {
    const { found, checked, left } = await checkIndex({ databaseUrl: index.url, nodes: [node.address] });
    expect({ found, left }).toEqual({ found: [], left: [] });
    expect(checked.get("blocks")).toBe(806);
    expect((await readIndexPoint(index.db)).unknownEntities).toBe(0);
    expect(checked.get("state trees")).toBe(9);
  });

  test("keeps the bytes as the node sent them", async () => {
    const rows = await index.db.selectFrom("raw_blocks").select(["height", "block"]).orderBy("height").execute();
    expect(rows.filter(({ height, block }) => !block.equals(blocks[height - 1]!.block))).toEqual([]);
  });

  test("shows transfers with bytes in their reserved field as transfers", async () => {
    for (const height of [695, 722, 723, 733]) {
      const transfers = (await transactionsAt(height)).filter(({ type }) => type === 0x4154);
      expect(transfers.map(({ recipientAddress }) => String(recipientAddress).length)).toContain(48);
    }
  });

  test("stores the restriction of an alias without a target under the alias itself", async () => {
    const [restriction] = await transactionsAt(706);
    const target = Buffer.from(String(restriction!.targetAddress), "hex");
    expect(target[0]).toBe(0x99);
    const row = await index.db
      .selectFrom("mosaic_restrictions")
      .select("target_address")
      .where("target_address", "=", target)
      .executeTakeFirst();
    expect(row?.target_address).toEqual(target);
  });
});
