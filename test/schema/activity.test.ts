import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { totalFee } from "../../catapult/entity/block.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { idText } from "../../catapult/json/format.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { countTypes } from "../../database/queries/activity.js";
import { forOperation } from "../../database/statement.js";
import type { Context } from "../../schema/graph/context.js";
import { timeOf as timeOfBlock } from "../../schema/network/time.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";
import { feeOf, topLevelOf as top, transactionsOf } from "../support/block-entries.js";
import { CHAIN_NETWORK } from "../support/served-chain.js";
import { vacuum } from "../support/vacuum.js";

const BLOCKS = 400;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const STRETCH = 6;

let gateway: GatewayFixture;
let db: Db;

beforeAll(async () => {
  gateway = await GatewayFixture.start(BLOCKS);
  db = openDatabase({ url: gateway.database.url, poolSize: 1 });
});

afterAll(async () => {
  await db?.destroy();
  await gateway?.close();
});

async function ask(query: string) {
  const { body } = await gateway.post("/graphql", { query });
  return body;
}

/** In hex. */
async function busiestHarvester(): Promise<string> {
  const { rows } = await sql<{ address: string }>`
    select encode(k.key, 'hex') as address from receipts r join keys k on k.id = r.target
    where r.type = 8515 group by 1 order by count(*) desc limit 1`.execute(db);
  return rows[0]?.address ?? "";
}

const timeOf = ({ timestamp }: VerifiedBlock) => timestamp;

function grouped<T>(all: readonly T[], keyOf: (one: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** The same sums, computed from the blocks. */
function summedUp(blocks: readonly VerifiedBlock[], intervalMs: number, shiftMs: number) {
  const intervals = grouped(
    blocks,
    (block) => Math.floor((timeOf(block) - shiftMs) / intervalMs) * intervalMs + shiftMs,
  );
  return [...intervals].map(([timestamp, ofInterval]) => ({
    timestamp,
    firstHeight: ofInterval[0]?.height,
    lastHeight: ofInterval.at(-1)?.height,
    blocks: ofInterval.length,
    transactions: ofInterval.reduce((sum, block) => sum + top(block).length, 0),
    totalTransactions: ofInterval.reduce((sum, block) => sum + transactionsOf(block).length, 0),
    fees: String(ofInterval.reduce((sum, block) => sum + totalFee(block), 0n)),
  }));
}

describe("activity", () => {
  const fields = "timestamp firstHeight lastHeight blocks transactions totalTransactions fees";

  test.each([
    [3600, 0],
    [3600, 1_234_567],
    [86_400, 0],
    [60, 0],
  ])("by intervals of %i s, shifted by %i ms, equals the sums over the blocks", async (intervalSeconds, shift) => {
    const intervalMs = intervalSeconds * 1_000;
    const to = timeOf(gateway.blocks.at(-1)!) + 1;
    const from = Math.max(0, to - 100 * intervalMs);
    const { data } = await ask(`{ activity(intervalSeconds: ${intervalSeconds}, shift: ${shift}) { ${fields} } }`);
    const inSpan = gateway.blocks.filter((block) => timeOf(block) >= from);
    expect(data.activity).toEqual(summedUp(inSpan, intervalMs, shift));
    expect(data.activity.length).toBeGreaterThan(0);
  });

  test("by type, in one query, equals the sums over the transactions of each interval", async () => {
    const { data } = await ask(
      "{ activity(intervalSeconds: 3600, shift: 0) { timestamp types { type transactions totalTransactions fees } } }",
    );
    const intervals = grouped(gateway.blocks, (block) => Math.floor(timeOf(block) / HOUR_MS) * HOUR_MS);
    for (const { timestamp, types } of data.activity) {
      const rows = (intervals.get(timestamp) ?? []).flatMap((block) =>
        transactionsOf(block).map((one) => ({ ...one, type: one.entity.type, fee: feeOf(block, one) })),
      );
      const sums = [...grouped(rows, ({ type }) => type)].map(([type, ofType]) => ({
        type,
        transactions: ofType.filter(({ embedded }) => !embedded).length,
        totalTransactions: ofType.length,
        fees: String(ofType.reduce((sum, { fee }) => sum + BigInt(fee), 0n)),
      }));
      expect(types).toEqual(sums.sort((a, b) => b.totalTransactions - a.totalTransactions || a.type - b.type));
    }
    expect(data.activity.some(({ types }: { types: unknown[] }) => types.length > 1)).toBe(true);
  });

  test("by type is not of a filter", async () => {
    const { errors } = await ask("{ activity(intervalSeconds: 3600, type: [16724]) { types { type } } }");
    expect(errors[0].message).toBe("types cannot be requested with type, address or mosaicId");
  });

  test("of a given range", async () => {
    const { data } = await ask(
      `{ activity(intervalSeconds: 3600, shift: 0, fromTimestamp: ${HOUR_MS}, toTimestamp: ${2 * HOUR_MS}) { ${fields} } }`,
    );
    const inSpan = gateway.blocks.filter((block) => timeOf(block) >= HOUR_MS && timeOf(block) < 2 * HOUR_MS);
    expect(data.activity).toEqual(summedUp(inSpan, HOUR_MS, 0));
    expect(data.activity).toHaveLength(1);
  });

  test.each([
    ["intervalSeconds: 59", "intervalSeconds must be from 60 to 2678400, not 59"],
    [
      "intervalSeconds: 60, toTimestamp: 60060000, fromTimestamp: 0",
      "must not have more than 1000 intervals, not 1001",
    ],
    ["intervalSeconds: 60, pageNumber: 0", "pageNumber must be at least 1, not 0"],
    ["intervalSeconds: 60, shift: 60000", "shift must be from 0 to 59999, not 60000"],
    ["intervalSeconds: 60, fromTimestamp: 5, toTimestamp: 4", "fromTimestamp (5) must not be above toTimestamp (4)"],
    ['intervalSeconds: 60, fromTime: "2026-01-01", fromTimestamp: 4', "fromTime and fromTimestamp exclude each other"],
  ])("is rejected with %s", async (args, message) => {
    const { errors } = await ask(`{ activity(${args}) { blocks } }`);
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: "InvalidArgument" },
    });
  });

  test("of more than 1,000 intervals is in pages without a gap, as a balance is", async () => {
    // 20 hours instead of 3.3: a page ends between blocks, and no whole day begins.
    await sql`update blocks set timestamp = ${STRETCH}::int8 * timestamp`.execute(db);
    try {
      const span = `shift: 0, fromTimestamp: 0, toTimestamp: ${1_500 * 60_000}`;
      const stretched = gateway.blocks.map((block) => ({
        ...block,
        timestamp: STRETCH * timeOf(block),
      }));
      const expected = summedUp(stretched, 60_000, 0);
      const address = await busiestHarvester();
      const currency = idText(CHAIN_NETWORK.currencyMosaicId);
      const lengths: number[] = [];
      const types = [
        ...new Set(gateway.blocks.flatMap((block) => transactionsOf(block).map(({ entity }) => entity.type))),
      ];
      const found = { activity: [] as unknown[], transactions: [] as unknown[], income: [] as unknown[] };
      for (const pageNumber of [1, 2, 3]) {
        const { data } = await ask(`{
          activity(intervalSeconds: 60, ${span}, pageNumber: ${pageNumber}) { ${fields} }
          ofTypes: activity(intervalSeconds: 60, ${span}, pageNumber: ${pageNumber}, type: [${types}]) { ${fields} }
          harvestIncome(address: "${address}", intervalSeconds: 60, ${span}, pageNumber: ${pageNumber}) { timestamp }
          balanceSeries(address: "${address}", mosaicId: "${currency}", intervalSeconds: 60, ${span}, pageNumber: ${pageNumber}) { amount }
        }`);
        found.activity.push(...data.activity);
        found.transactions.push(...data.ofTypes);
        found.income.push(...data.harvestIncome);
        lengths.push(data.balanceSeries.length);
      }
      expect(lengths).toEqual([1_000, 500, 0]);
      expect(found.activity).toEqual(expected);
      expect(expected.at(-1)?.timestamp).toBeGreaterThan(1_100 * 60_000);
      expect(found.transactions).toEqual(expected);
      const { rows } = await sql<{ timestamp: number }>`
        select distinct timestamp / 60000 * 60000 as timestamp from receipts r join keys k on k.id = r.target
        join blocks b on b.height = r.statement_id >> 32
        where r.type = 8515 and k.key = ${Buffer.from(address, "hex")} order by 1`.execute(db);
      expect(found.income).toEqual(rows);
    } finally {
      await sql`update blocks set timestamp = timestamp / ${STRETCH}::int8`.execute(db);
    }
  });

  test("asks once when the network's time begins, for all its intervals", async () => {
    await sql`update head set epoch_adjustment = null`.execute(db);
    const resources = { network: async () => ({ section: () => ({ milliseconds: () => 5 }) }) };
    let statements = 0;
    const watched = forOperation(db, {
      onStatement: () => {
        statements += 1;
      },
      onRows: () => undefined,
    });
    const context = { db: watched, resources } as unknown as Context;
    const times = await Promise.all(Array.from({ length: 600 }, (_, timestamp) => timeOfBlock(context, timestamp)));
    expect(times[599]).toBe("1970-01-01T00:00:00.604Z");
    expect(statements).toBe(1);
  });

  test("of whole days, read from sums by day, equals the sums over the blocks", async () => {
    await sql`update head set epoch_adjustment = 0`.execute(db);
    const args = `fromTimestamp: 0, toTimestamp: ${40 * DAY_MS}`;
    const { data } = await ask(`{
      all: activity(intervalSeconds: 86400, shift: 0, ${args}) { ${fields} types { type } }
      none: activity(intervalSeconds: 86400, ${args}, type: [1]) { ${fields} }
    }`);
    expect(data.all.map(({ types: _, ...one }: { types: unknown }) => one)).toEqual(
      summedUp(gateway.blocks, DAY_MS, 0),
    );
    expect(data.all[0].types.length).toBeGreaterThan(1);
    expect(data.none).toEqual(
      data.all.map(({ types: _, ...one }: { types: unknown }) => ({
        ...one,
        ...{ transactions: 0, totalTransactions: 0, fees: "0" },
      })),
    );
  });

  test("is read from an index alone", async () => {
    await vacuum(db);
    await sql`set enable_seqscan = off`.execute(db);
    const { rows } = await sql<{ "QUERY PLAN": string }>`
      explain select min(height), sum(transactions_count), sum(total_transactions_count), sum(total_fee)
      from blocks where timestamp >= 0 and timestamp < ${HOUR_MS}`.execute(db);
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain(
      "Index Only Scan using blocks_activity on blocks",
    );
  });
});

describe("types of transactions", () => {
  function counted(blocks: readonly VerifiedBlock[], embedded: boolean) {
    const transactions = blocks.flatMap((block) => (embedded ? transactionsOf(block) : top(block)));
    const byType = grouped(transactions, ({ entity }) => entity.type);
    return [...byType].map(([type, rows]) => ({ type, count: rows.length }));
  }
  const sorted = (counts: readonly { readonly type: number; readonly count: number }[]) =>
    counts.toSorted((a, b) => b.count - a.count || a.type - b.type);

  test.each([false, true])("are counted over the whole chain, including embedded ones: %s", async (embedded) => {
    const { data } = await ask(`{ transactionTypes(embedded: ${embedded}) { type count } }`);
    expect(data.transactionTypes).toEqual(sorted(counted(gateway.blocks, embedded)));
    expect(data.transactionTypes.length).toBeGreaterThan(1);
  });

  test.each([
    [100, 250],
    [1, 1],
    [390, 1_000],
    [1_000, 1_001],
  ])("are counted from height %i to %i", async (fromHeight, toHeight) => {
    const inSpan = gateway.blocks.filter(({ height }) => height >= fromHeight && height <= toHeight);
    for (const embedded of [false, true]) {
      expect(await countTypes(db, { fromHeight, toHeight }, embedded)).toEqual(sorted(counted(inSpan, embedded)));
    }
  });

  test("are rejected for a reversed range", async () => {
    const { errors } = await ask("{ transactionTypes(fromHeight: 5, toHeight: 4) { type } }");
    expect(errors[0].message).toBe("fromHeight (5) must not be above toHeight (4)");
  });
});

describe("times in ISO 8601", () => {
  const iso = (epoch: number, timestamp: number) => new Date(epoch + timestamp).toISOString();

  test("limit lists, and name intervals of full hours", async () => {
    const { data: range } = await ask("{ heightRange { epochAdjustment } }");
    const epoch = range.heightRange.epochAdjustment as number;
    const some = gateway.blocks.slice(99, 200);
    const [from, to] = [iso(epoch, timeOf(some[0]!)), iso(epoch, timeOf(some.at(-1)!) + 1)];
    const span = `fromTime: "${from}", toTime: "${to}"`;
    const { data } = await ask(`{
      blocks(${span}) { pagination { totalEntries } }
      transactions(${span}, first: 1) { data { time timestamp } pagination { totalEntries } }
      later: transactions(fromTime: "2999-01-01") { pagination { totalEntries } }
      activity(intervalSeconds: 3600, ${span}) { time timestamp blocks }
      transfers: activity(intervalSeconds: 3600, ${span}, type: [16724]) { time totalTransactions transfers volume }
    }`);
    const transactions = some.flatMap(transactionsOf);
    expect(data.blocks.pagination.totalEntries).toBe(some.length);
    expect(data.transactions.pagination.totalEntries).toBe(some.flatMap(top).length);
    expect(data.later.pagination.totalEntries).toBe(0);
    const [first] = data.transactions.data;
    expect(first.time).toBe(iso(epoch, first.timestamp));
    for (const { time, timestamp } of data.activity) {
      expect(time).toBe(iso(epoch, timestamp));
      expect(time).toMatch(/:00:00\.000Z$/);
    }
    const count = (list: { blocks?: number; totalTransactions?: number }[], name: "blocks" | "totalTransactions") =>
      list.reduce((sum, one) => sum + (one[name] ?? 0), 0);
    expect(count(data.activity, "blocks")).toBe(some.length);
    const transfers = transactions.filter(({ entity }) => entity.type === 16724);
    expect(count(data.transfers, "totalTransactions")).toBe(transfers.length);
    expect(data.transfers.map(({ time }: { time: string }) => time)).toEqual(
      data.activity.map(({ time }: { time: string }) => time),
    );
    for (const { totalTransactions, transfers: counted, volume } of data.transfers)
      expect([counted, volume]).toEqual([totalTransactions, null]);
  });
});

describe("income of harvesters", () => {
  test("is the sum of their harvest fees per interval", async () => {
    const address = await busiestHarvester();
    const { data } = await ask(
      `{ harvestIncome(address: "${address}", intervalSeconds: 3600, shift: 0) { timestamp blocks amount } }`,
    );
    const expected = new Map<number, { blocks: Set<number>; amount: number }>();
    for (const block of gateway.blocks) {
      for (const { receipts } of block.statement.transactionStatements) {
        for (const receipt of receipts) {
          if (receipt.kind !== "balanceChange" || receipt.type !== 8515) continue;
          if (receipt.targetAddress.toString("hex") !== address) continue;
          const interval = Math.floor(timeOf(block) / HOUR_MS) * HOUR_MS;
          const sum = expected.get(interval) ?? { blocks: new Set(), amount: 0 };
          sum.blocks.add(block.height);
          sum.amount += Number(receipt.amount);
          expected.set(interval, sum);
        }
      }
    }
    expect(data.harvestIncome.length).toBeGreaterThan(1);
    expect(data.harvestIncome).toEqual(
      [...expected].map(([timestamp, { blocks, amount }]) => ({
        timestamp,
        blocks: blocks.size,
        amount: String(amount),
      })),
    );
  });
});

test("the lag of finalization", async () => {
  const { data } = await ask(
    "{ finalizationLag { height finalizedHeight blocks seconds } chain { latestFinalizedBlock { height } } }",
  );
  const finalizedHeight = data.chain.latestFinalizedBlock.height;
  const [newest, finalized] = [gateway.blocks.at(-1)!, gateway.blocks[finalizedHeight - 1]];
  expect(data.finalizationLag).toEqual({
    height: BLOCKS,
    finalizedHeight,
    blocks: BLOCKS - finalizedHeight,
    seconds: Math.round((timeOf(newest) - (finalized ? timeOf(finalized) : 0)) / 1_000),
  });
});
