import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import type { BackfillOptions } from "../../indexer/backfill.js";
import { COPY_COLUMNS } from "../../indexer/chain/step/copy-tables.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";

const BLOCKS = 120;
const BAD = 81;

const chain = new RecordedChain();
const recording = recordedNode(chain);

/** A valid chain, and a liar's versions of its block BAD. */
const good: readonly ServedBlock[] = recording.blocks.slice(0, BLOCKS);

function changed(offset: number): ServedBlock[] {
  return good.map((served, index) => {
    if (index !== BAD - 1) return served;
    const block = Buffer.from(served.block);
    const at = offset < 0 ? block.length + offset : offset;
    block.writeUInt8(block.readUInt8(at) ^ 1, at);
    return { ...served, block };
  });
}

describe("filling the index", () => {
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await IndexedDatabase.create();
  });
  afterAll(async () => {
    await index.drop();
  });

  async function run(blocks: readonly ServedBlock[], options: Partial<BackfillOptions>) {
    const node = await BranchNode.start({ ...recording, blocks: good });
    try {
      node.serve(blocks);
      const fixed = { nodes: [node.address], verify: "hashes" } as const;
      return await fillExecuted(index, recordedConfig(chain), { ...fixed, ...options });
    } finally {
      await node.close();
    }
  }

  const heightOf = async () => (await index.db.selectFrom("head").select("height").executeTakeFirst())?.height ?? 0;

  test("rejects another byte of a transaction, by hashes alone, and keeps the blocks before it", async () => {
    const message = new RegExp(`^block ${BAD}: transactionsHash is `);
    await expect(run(changed(-1), {})).rejects.toThrow(message);
    expect(await heightOf()).toBeLessThan(BAD + 1);
  });

  test("hashes alone accept a forged signature of the last block, all signatures do not", async () => {
    const forged = changed(VERIFIABLE.signature);
    await expect(run(forged, { to: BAD, verify: "full" })).rejects.toThrow(
      new RegExp(`^block ${BAD}: signature is invalid: `),
    );
    expect(await run(forged, { to: BAD })).toMatchObject({ height: BAD });
    // The next block does not follow the forged one.
    await expect(run(good, {})).rejects.toThrow(/The node has left the chain of the index after height 80/);
  });

  test("names the block whose bytes the database lacks, and keeps the blocks before it", async () => {
    await index.db.deleteFrom("raw_blocks").where("height", "=", 50).execute();
    await expect(run(good, { source: "raw" })).rejects.toThrow(/^The database lacks the bytes of block 50$/);
    expect(await heightOf()).toBeLessThan(50);
  });

  test("copies every column of its tables, by the types of the database", async () => {
    const { rows } = await sql<{ table: string; column: string; type: string }>`
      select table_name as table, column_name as column, udt_name as type
      from information_schema.columns where table_schema = current_schema()`.execute(index.db);
    const columnsOf = (name: string) =>
      rows.filter(({ table }) => table === name).map(({ column, type }) => [column, type]);
    for (const [table, copied] of Object.entries(COPY_COLUMNS)) {
      const columns = Object.fromEntries(Object.entries(copied).map(([name, { sql: type }]) => [name, type]));
      expect({ table, columns }).toEqual({ table, columns: Object.fromEntries(columnsOf(table)) });
    }
  });
});
