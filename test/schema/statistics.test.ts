import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { encodeAddress } from "../../catapult/entity/address.js";
import { findHarvester } from "../../catapult/entity/harvester.js";
import { ACCOUNT_CODEC } from "../../catapult/state/account.js";
import { balanceChanges } from "../../catapult/state/balance-changes.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { balancesAt } from "../../database/balances/balance-changes.js";
import { countNewAccounts, readBlockIntervals, readChangesByInterval } from "../../database/queries/activity.js";
import { dividedByDays } from "../../database/queries/daily-sums.js";
import { type RankingField, readRanking } from "../../database/queries/ranking.js";
import {
  type ActivityFilter,
  readActivityDetails,
  readTransactionActivity,
} from "../../database/queries/transaction-activity.js";
import { addUpDays } from "../../indexer/chain/step/daily-sums.js";
import { noteEpoch } from "../../indexer/chain/step/network.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { type Fact, factsOf, recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";

const TRANSFER = 16724;
const AGGREGATES = [16705, 16961];
const [FROM, TO] = [50, 550];
/** Times are stretched, so that the blocks are of some days. */
const STRETCH = 400;
const DAY_MS = 86_400_000;

describeRecorded("statistics, compared with the recorded blocks", (chain) => {
  const recorded = recordedBlocks(chain);
  const begin = recorded[1]?.timestamp ?? 0;
  const stretched = (timestamp: number) => (timestamp < begin ? timestamp : begin + (timestamp - begin) * STRETCH);
  const blocks = recorded.map((block) => ({ ...block, timestamp: stretched(block.timestamp) }));
  const inSpan = blocks.filter(({ height }) => height >= FROM && height <= TO);
  const facts = factsOf(inSpan, 0);
  const currency = BigInt(`0x${chain.networkFile.currencyMosaicId}`);
  const currencyText = chain.networkFile.currencyMosaicId.toUpperCase();
  const epochMs = chain.networkFile.epochAdjustment * 1_000 + 1_234_567;
  const span = {
    fromTimestamp: blocks[FROM - 1]?.timestamp ?? 0,
    toTimestamp: (blocks[TO - 1]?.timestamp ?? 0) + 1,
  };
  const request = { ...span, intervalMs: 60_000 * STRETCH, shiftMs: 7_000 };
  /** Intervals of days of UTC. */
  const ofDays = (days: number) => {
    const intervalMs = days * DAY_MS;
    return { ...span, intervalMs, shiftMs: (intervalMs - (epochMs % intervalMs)) % intervalMs };
  };
  const account = facts.find(({ entity }) => entity.kind === "transfer")?.addresses[0] as Buffer;
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
    await sql`update blocks set timestamp = ${begin}::int8 + (timestamp - ${begin}::int8) * ${STRETCH}::int8
      where timestamp >= ${begin}`.execute(index.db);
    await noteEpoch(index.db, epochMs);
    await sql`update head set finalized_height = height`.execute(index.db);
    await addUpDays(index.db);
  });

  afterAll(() => index?.drop());

  const filters: readonly (readonly [string, ActivityFilter, (fact: Fact) => boolean])[] = [
    ["all", {}, () => true],
    ["types", { types: [TRANSFER, ...AGGREGATES] }, ({ entity }) => [TRANSFER, ...AGGREGATES].includes(entity.type)],
    ["an address", { address: account }, ({ addresses }) => addresses.some((one) => one.equals(account))],
    ["a mosaic", { mosaicId: currency }, ({ mosaics }) => mosaics.has(currencyText)],
    [
      "all of these",
      { types: [TRANSFER], address: account, mosaicId: currency },
      ({ addresses, mosaics }) => mosaics.has(currencyText) && addresses.some((one) => one.equals(account)),
    ],
  ];
  const intervals = { minutes: request, "a day": ofDays(1), "two days": ofDays(2) };

  test.each(
    Object.entries(intervals).flatMap(([name, spans]) =>
      filters.map(([ofWhat, filter, matches]) => [ofWhat, name, filter, matches, spans] as const),
    ),
  )(
    "activity of %s, by intervals of %s",
    async (_ofWhat, _name, filter, matches, { intervalMs, shiftMs, ...times }) => {
      const spans = { intervalMs, shiftMs, ...times };
      const expected = new Map<number, Fact[]>();
      for (const fact of facts.filter(matches)) {
        const start = Math.floor((fact.block.timestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
        expected.set(start, [...(expected.get(start) ?? []), fact]);
      }
      expect(expected.size).toBeGreaterThan(2);
      const found = (await readTransactionActivity(index.db, filter, spans)) ?? [];
      const details = await readActivityDetails(index.db, filter, spans);
      const feesOf = (some: readonly Fact[]) => some.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
      expect(found).toEqual(
        [...expected].map(([timestamp, some]) => ({
          timestamp,
          transactions: some.filter(({ fee }) => fee !== undefined).length,
          totalTransactions: some.length,
          transfers: some.filter(({ entity }) => entity.type === TRANSFER).length,
          fees: filter.mosaicId ? undefined : feesOf(some),
          volume: filter.mosaicId
            ? some.reduce((sum, { mosaics }) => sum + (mosaics.get(currencyText) ?? 0n), 0n)
            : undefined,
        })),
      );
      for (const [timestamp, some] of expected) {
        const { activeAccounts, fees } = details?.get(timestamp) ?? {};
        expect(activeAccounts).toBe(new Set(some.map(({ signer }) => signer)).size);
        if (filter.mosaicId) expect(fees).toBe(feesOf(some));
      }
    },
  );

  test("a span in which days are whole reads no transaction of these", async () => {
    const { fromDay, toDay, rest } = await dividedByDays(index.db, { first: FROM, last: TO });
    expect(toDay - fromDay).toBeGreaterThan(5);
    const dayOf = (height: number) => Math.floor(((blocks[height - 1]?.timestamp ?? 0) + epochMs) / DAY_MS);
    expect(rest.map(({ first, last }) => [first, dayOf(last) + 1, dayOf(last + 1)])).toEqual([
      [FROM, fromDay, fromDay],
      [blocks.find((_, place) => dayOf(place + 1) === toDay)?.height, toDay + 1, toDay],
    ]);
    // The newest day is open.
    const last = blocks.length;
    const open = blocks.find(({ height }) => dayOf(height) === dayOf(last))?.height;
    expect((await dividedByDays(index.db, { first: 1, last: 2 ** 31 - 2 })).rest).toEqual([{ first: open, last }]);
  });

  test.each(Object.entries(intervals))("new accounts, by intervals of %s", async (_name, spans) => {
    const found = await readBlockIntervals(index.db, spans);
    const bodies = await sql<{ value: Buffer }>`select value from accounts`.execute(index.db);
    const heights = bodies.rows.map(({ value }) => ACCOUNT_CODEC.decode(value).addressHeight);
    const expected = found.map(
      ({ firstHeight, lastHeight }) => heights.filter((height) => height >= firstHeight && height <= lastHeight).length,
    );
    expect(Math.max(...expected)).toBeGreaterThan(0);
    expect(await countNewAccounts(index.db, found)).toEqual(expected);
  });

  /** What each account's values are made of in the span. */
  const entries: Readonly<Record<Exclude<RankingField, "IMPORTANCE">, () => readonly (readonly [string, bigint])[]>> = {
    HARVESTED: () =>
      inSpan.flatMap((block) =>
        block.statement.transactionStatements.flatMap(({ receipts }) =>
          receipts.flatMap((receipt) =>
            receipt.type === RECEIPT_TYPE.harvest_fee &&
            receipt.kind === "balanceChange" &&
            receipt.targetAddress.equals(findHarvester(block))
              ? [[encodeAddress(receipt.targetAddress), receipt.amount] as const]
              : [],
          ),
        ),
      ),
    SENT: () => changes().flatMap(([name, change]) => (change < 0n ? [[name, -change] as const] : [])),
    RECEIVED: () => changes().filter(([, change]) => change > 0n),
    TRANSACTIONS: () => facts.flatMap(({ signer, fee }) => (fee === undefined ? [] : [[signer, 1n] as const])),
  };
  const changes = () =>
    inSpan.flatMap((block) =>
      balanceChanges(block).flatMap(({ address, mosaicId, change }) =>
        mosaicId === currency ? [[encodeAddress(address), change] as const] : [],
      ),
    );

  test.each(Object.keys(entries) as (keyof typeof entries)[])("ranking by %s", async (by) => {
    const values = new Map<string, bigint>();
    for (const [name, value] of entries[by]()) values.set(name, (values.get(name) ?? 0n) + value);
    const found = await readRanking(index.db, { by, fromHeight: FROM, toHeight: TO, mosaicId: currency, first: 10 });
    expect(found?.length).toBeGreaterThan(2);
    expect(found?.map(({ value }) => value)).toEqual(
      [...values.values()].toSorted((a, b) => Number(b - a)).slice(0, found?.length),
    );
    expect(found?.map(({ address }) => values.get(encodeAddress(address)))).toEqual(found?.map(({ value }) => value));
  });

  test("ranking by IMPORTANCE", async () => {
    const rows = await index.db
      .selectFrom("accounts")
      .select(["address", "importance"])
      .where("importance_height", ">", 0)
      .execute();
    const found = await readRanking(index.db, {
      by: "IMPORTANCE",
      fromHeight: 1,
      toHeight: 1,
      mosaicId: 0n,
      first: 100,
    });
    expect(found?.map(({ value }) => value)).toEqual(
      rows.map(({ importance }) => BigInt(importance)).toSorted((a, b) => Number(b - a)),
    );
    expect(found?.length).toBeGreaterThan(2);
  });

  test("changes of a balance by interval", async () => {
    const holding = { address: account, mosaicId: currency };
    const found = await readChangesByInterval(index.db, holding, request);
    expect([found.before]).toEqual(await balancesAt(index.db, [{ ...holding, height: FROM - 1 }]));
    const expected = new Map<number, bigint>();
    for (const block of inSpan) {
      for (const { address, mosaicId, change } of balanceChanges(block)) {
        if (mosaicId !== currency || !address.equals(account)) continue;
        const { intervalMs, shiftMs } = request;
        const start = Math.floor((block.timestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
        expected.set(start, (expected.get(start) ?? 0n) + change);
      }
    }
    expect(new Map([...found.changes].toSorted(([a], [b]) => a - b))).toEqual(expected);
    expect(expected.size).toBeGreaterThan(2);
  });
});
