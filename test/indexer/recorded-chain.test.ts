import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { models } from "symbol-sdk/symbol";
import { decodeBlock } from "../../catapult/entity/block.js";
import { EMBEDDED, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { BranchNode } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { executedIndex, RECORDED_FINALIZED } from "../support/recorded-index.js";
import { recordedForks, recordedNode } from "../support/recorded-node.js";
import { SeededRandom } from "../support/seeded-random.js";

describeRecorded("the recorded chain, over the node's protocol, in the database", (chain) => {
  const recording = recordedNode(chain);
  let node: BranchNode;
  let index: IndexedDatabase;

  beforeAll(async () => {
    node = await BranchNode.start(recording);
    node.finalize(RECORDED_FINALIZED);
    index = await executedIndex(chain);
  });

  afterAll(async () => {
    await index.drop();
    await node.close();
  });

  test("every check of every block was passed, its VRF proof included", async () => {
    expect((await readIndexPoint(index.db)).missingRule).toBeNull();
  });

  test("the score equals the node's", async () => {
    const statistics = Buffer.from(chain.packets().chainStatistics ?? "", "hex");
    const head = await index.waitFor(() => true);
    expect(head.score).toBe((statistics.readBigUInt64LE(16) << 64n) + statistics.readBigUInt64LE(24));
  });

  test("the number of rows of each kind equals counts.json", async () => {
    const counts = chain.counts();
    expect(await countRows(index, "blocks")).toBe(counts.blocks);
    expect(await countRows(index, "transactions where type % 2 = 0")).toBe(counts.topLevel);
    expect(await countRows(index, "transactions where type % 2 = 1")).toBe(counts.embedded);
    expect(await countRows(index, "transaction_statements")).toBe(counts.transactionStatements);
    expect(await countRows(index, "address_resolution_statements")).toBe(counts.addressResolutionStatements);
    expect(await countRows(index, "mosaic_resolution_statements")).toBe(counts.mosaicResolutionStatements);
    expect(await typeCounts(index, false)).toEqual(counts.byTypeTop);
    expect(await typeCounts(index, true)).toEqual(counts.byTypeEmbedded);
    expect(await receiptCounts(index)).toEqual(counts.receipts);
  });

  test("every counter and skip pointer matches the tables", async () => {
    for (const [collection, query] of Object.entries(COUNTED_BY_HAND)) {
      const first = sql.lit(Number(collection) * 2 ** 46);
      const ofCollection = sql`list >= ${first} and list < ${first} + (1::int8 << 46)`;
      const { rows } = await sql<{ wrong: number; keys: number }>`
        with numbered as (
          select key::int8, id, row_number() over (partition by key order by id) as ordinal from (${sql.raw(query)}) s),
        counted as (select key, count(*) as count from numbered group by key),
        pointers as (select key, id, ordinal from numbered where ordinal % 128 = 0),
        stored as (select list - ${first} as key, count from list_counters where ${ofCollection}),
        stored_pointers as (select list - ${first} as key, id, ordinal from skip_pointers where ${ofCollection})
        select (select count(*) from ((table counted except table stored) union all (table stored except table counted)) d)
             + (select count(*) from ((table pointers except table stored_pointers) union all (table stored_pointers except table pointers)) d) as wrong,
          (select count(*) from counted) as keys`.execute(index.db);
      expect({ collection, wrong: rows[0]?.wrong }).toEqual({ collection, wrong: 0 });
      expect(rows[0]?.keys).toBeGreaterThan(0);
    }
  });

  test("events are numbered without gaps", async () => {
    const { rows } = await sql<{ count: number; newest: number }>`
      select count(*) as count, max(sequence) as newest from events`.execute(index.db);
    const head = await index.waitFor(() => true);
    expect(rows[0]).toEqual({ count: head.eventSequence, newest: head.eventSequence });
    expect(head.eventSequence).toBeGreaterThan(recording.blocks.length);
  });

  const hashOf = (block: Buffer) => decodeBlock(block, recording.network).hash.toString("hex");

  test.each(new SeededRandom().sample(recordedForks(chain), 1))(
    "fork $fork: ends on the branch the node took",
    async (fork) => {
      const followed = await executedIndex(chain);
      const fresh = await executedIndex(chain);
      try {
        node.switchTo(fork.before);
        await followed.follow(node.address);
        await followed.waitForHash(node.hashAt(fork.before.length));
        const dropped = await hashesFrom(followed, fork.commonHeight + 1);
        expect(dropped).toHaveLength(fork.droppedBlocks);
        expect(dropped).toEqual(fork.before.slice(fork.commonHeight).map(({ block }) => hashOf(block)));

        node.switchTo(fork.after);
        await followed.waitForHash(node.hashAt(fork.after.length));
        await followed.waitFor((head) => head.finalization.height === 592);
        const events = await followed.db
          .selectFrom("events")
          .select(["channel", "height"])
          .where("channel", "in", ["droppedBlocks", "block"])
          .orderBy("sequence")
          .execute();
        expect(events.slice(fork.before.length)).toEqual([
          { channel: "droppedBlocks", height: fork.commonHeight },
          ...fork.after
            .slice(fork.commonHeight)
            .map((_, i) => ({ channel: "block", height: fork.commonHeight + 1 + i })),
        ]);
        const kept = await hashesFrom(followed, fork.commonHeight + 1);
        expect(kept.filter((hash) => dropped.includes(hash))).toEqual([]);

        await fresh.follow(node.address);
        await fresh.waitForHash(node.hashAt(fork.after.length));
        await fresh.waitFor((head) => head.finalization.height === 592);
        expect(await differences(followed.url, fresh.url)).toEqual([]);
      } finally {
        await followed.drop();
        await fresh.drop();
      }
    },
  );
});

/** Entries of each collection, by its number, straight from the tables. */
const COUNTED_BY_HAND: Record<string, string> = {
  1: "select 0 as key, height as id from blocks",
  2: "select signer as key, height as id from blocks",
  3: "select beneficiary as key, height as id from blocks",
  10: "select 0 as key, id from transactions where type % 2 = 0",
  11: "select 0 as key, id from transactions",
  12: "select signer / 2 as key, id from transactions where type % 2 = 0",
  14: "select recipient / 2 as key, id from transactions where type % 2 = 0 and recipient is not null",
  16: "select type / 2 as key, id from transactions where type % 2 = 0",
  18: "select account / 2 as key, id from transaction_addresses where id % 4096 = 0",
  20: "select (account / 2)::int8 * 65536 + type as key, id from transaction_addresses where id % 4096 = 0",
  22: "select mosaic / 2 as key, id from transaction_mosaics where id % 4096 = 0",
  24: "select signer / 2 as key, id from transactions where id % 4096 > 0",
  25: "select recipient / 2 as key, id from transactions where id % 4096 > 0 and recipient is not null",
  26: "select type / 2 as key, id from transactions where id % 4096 > 0",
  27: "select account / 2 as key, id from transaction_addresses where id % 4096 > 0",
  28: "select (account / 2)::int8 * 65536 + type as key, id from transaction_addresses where id % 4096 > 0",
  29: "select mosaic / 2 as key, id from transaction_mosaics where id % 4096 > 0",
  30: "select 0 as key, id from transaction_statements",
  31: "select distinct type as key, statement_id as id from receipts",
  32: "select distinct recipient as key, statement_id as id from receipts where recipient is not null",
  33: "select distinct sender as key, statement_id as id from receipts where sender is not null",
  34: "select distinct target as key, statement_id as id from receipts where target is not null",
  35: "select distinct artifact as key, statement_id as id from receipts where artifact is not null",
  40: "select 0 as key, id from address_resolution_statements",
  41: "select 0 as key, id from mosaic_resolution_statements",
};

async function countRows(index: IndexedDatabase, what: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.raw(what)}`.execute(index.db);
  return rows[0]?.count ?? -1;
}

/** Rows by the name of their type, as in `counts.json`. */
async function typeCounts(index: IndexedDatabase, embedded: boolean): Promise<Record<string, number>> {
  const at = embedded ? EMBEDDED : VERIFIABLE;
  const { rows } = await sql<{ type: number; version: number; count: number }>`
    select t.type / 2 as type, get_byte(r.block, t.position + ${sql.lit(at.version)}) as version, count(*) as count
    from transactions t join raw_blocks r on r.height = (t.id >> 32)
    where t.type % 2 = ${sql.lit(embedded ? 1 : 0)} group by 1, 2`.execute(index.db);
  return Object.fromEntries(
    rows.map(({ type, version, count }) => {
      const words = constantName(models.TransactionType.fromValue(type)).toLowerCase().split("_");
      const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
      return [`${embedded ? "Embedded" : ""}${name}TransactionV${version}`, count];
    }),
  );
}

async function receiptCounts(index: IndexedDatabase): Promise<Record<string, number>> {
  const { rows } = await sql<{ type: number; count: number }>`
    select type, count(*) as count from receipts group by type`.execute(index.db);
  return Object.fromEntries(rows.map(({ type, count }) => [constantName(models.ReceiptType.fromValue(type)), count]));
}

/** `TRANSFER` of `TransactionType.TRANSFER`. */
function constantName(value: { toString(): string }): string {
  return value.toString().split(".")[1] ?? value.toString();
}

async function hashesFrom(index: IndexedDatabase, height: number): Promise<string[]> {
  const rows = await index.db
    .selectFrom("blocks")
    .select("hash")
    .where("height", ">=", height)
    .orderBy("height")
    .execute();
  return rows.map(({ hash }) => hash.toString("hex"));
}
