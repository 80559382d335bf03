import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { RECEIPT_TYPE } from "../../catapult/entity/receipt.js";
import { balanceChanges } from "../../catapult/state/balance-changes.js";
import { balancesAt } from "../../database/balances/balance-changes.js";
import { readChangesByInterval } from "../../database/queries/activity.js";
import { type RankingField, readRanking } from "../../database/queries/ranking.js";
import { type ActivityFilter, readTransactionActivity } from "../../database/queries/transaction-activity.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { type Fact, factsOf, recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";

const TRANSFER = 16724;
const AGGREGATES = [16705, 16961];
const [FROM, TO] = [50, 550];
const INTERVAL_MS = 60_000;
const SHIFT_MS = 7_000;

describeRecorded("statistics, compared with the recorded blocks", (chain) => {
  const blocks = recordedBlocks(chain);
  const inSpan = blocks.filter(({ height }) => height >= FROM && height <= TO);
  const facts = factsOf(inSpan, 0);
  const currency = BigInt(`0x${chain.networkFile.currencyMosaicId}`);
  const currencyText = chain.networkFile.currencyMosaicId.toUpperCase();
  const request = {
    fromTimestamp: blocks[FROM - 1]?.timestamp ?? 0,
    toTimestamp: (blocks[TO - 1]?.timestamp ?? 0) + 1,
    intervalMs: INTERVAL_MS,
    shiftMs: SHIFT_MS,
  };
  const account = facts.find(({ entity }) => entity.kind === "transfer")?.addresses[0] as Buffer;
  const startOf = (timestamp: number) => Math.floor((timestamp - SHIFT_MS) / INTERVAL_MS) * INTERVAL_MS + SHIFT_MS;
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
  });

  afterAll(() => index?.drop());

  const cases: readonly (readonly [string, ActivityFilter, (fact: Fact) => boolean])[] = [
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

  test.each(cases)("activity of %s", async (_name, filter, matches) => {
    const expected = new Map<number, Fact[]>();
    for (const fact of facts.filter(matches)) {
      const start = startOf(fact.block.timestamp);
      expected.set(start, [...(expected.get(start) ?? []), fact]);
    }
    expect(expected.size).toBeGreaterThan(2);
    expect(await readTransactionActivity(index.db, filter, request)).toEqual(
      [...expected].map(([timestamp, some]) => ({
        timestamp,
        firstHeight: some[0]?.block.height,
        lastHeight: some.at(-1)?.block.height,
        blocks: new Set(some.map(({ block }) => block.height)).size,
        transactions: some.filter(({ fee }) => fee !== undefined).length,
        totalTransactions: some.length,
        transfers: some.filter(({ entity }) => entity.type === TRANSFER).length,
        activeAccounts: new Set(some.map(({ signer }) => signer)).size,
        fees: some.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n),
        volume: filter.mosaicId ? some.reduce((sum, { mosaics }) => sum + (mosaics.get(currencyText) ?? 0n), 0n) : 0n,
      })),
    );
  });

  /** What each account's values are made of in the span. */
  const entries: Readonly<Record<Exclude<RankingField, "IMPORTANCE">, () => readonly (readonly [string, bigint])[]>> = {
    HARVESTED: () =>
      inSpan.flatMap(({ statement }) =>
        statement.transactionStatements.flatMap(({ receipts }) =>
          receipts.flatMap((receipt) =>
            receipt.type === RECEIPT_TYPE.harvestFee && receipt.kind === "balanceChange"
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
        expected.set(startOf(block.timestamp), (expected.get(startOf(block.timestamp)) ?? 0n) + change);
      }
    }
    expect(new Map([...found.changes].toSorted(([a], [b]) => a - b))).toEqual(expected);
    expect(expected.size).toBeGreaterThan(2);
  });
});
