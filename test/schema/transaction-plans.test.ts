import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { encodeEntityId } from "../../catapult/json/entity-id.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import { readBlockMovements } from "../../database/balances/balance-movements.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { idKey, SKIP_POINTER_STEP } from "../../database/lists/collections.js";
import type { Order, PageRequest } from "../../database/lists/list.js";
import type { HeightFilter } from "../../database/lists/page.js";
import {
  encodePendingId,
  findPendingTransactionsByHashes,
  findPendingTransactionsByIds,
  findWholePending,
  type PendingTransactionFilter,
  searchPendingTransactions,
} from "../../database/mempool/pending-transactions.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
import { readTypeActivity } from "../../database/queries/activity.js";
import { readRanking } from "../../database/queries/ranking.js";
import { findStatementsOfSources } from "../../database/queries/statements.js";
import { readActivityDetails, readTransactionActivity } from "../../database/queries/transaction-activity.js";
import {
  findEmbedded,
  findTransactionsByHashes,
  findTransactionsByIds,
  searchTransactions,
  type TransactionFilter,
} from "../../database/queries/transactions.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import {
  AGGREGATE,
  BUSY,
  COMMON_MOSAIC,
  EARLY,
  manyAddress,
  manyKey,
  ORDINARY,
  RARE_MOSAIC,
  TRANSFER,
  writeManyAccounts,
  writeManyPending,
  writeManyTransactions,
} from "../support/many-transactions.js";
import { maxRows, QueryPlans, scannedTables, usedIndexes } from "../support/query-plans.js";
import { sqlQuestions, withValues } from "../support/sql-questions.js";
import { vacuum } from "../support/vacuum.js";

/** Half of them are of the busiest account: as many as 10,000 pages have. */
const TRANSACTIONS = 240_000;
const PENDING = 20_000;
const PAGE_SIZE = 100;
/** A page costs its own rows, and those after the skip pointer before it: of each joined list. */
const MAX_ROWS = 2 * (SKIP_POINTER_STEP + PAGE_SIZE);
const MIDDLE = 6_000;
/** Twenty transactions a block. */
const BLOCKS_OF_CHAIN = TRANSACTIONS / 20;

let database: TestDatabase;
let db: Db;
let plans: QueryPlans;

beforeAll(async () => {
  database = await createMigratedDatabase();
  db = openDatabase({ url: database.url, poolSize: 1, statementTimeoutMs: 0, plansOnce: true });
  plans = new QueryPlans(database.url);
  await writeManyTransactions(db, TRANSACTIONS);
  await writeManyPending(db, PENDING);
});

afterAll(async () => {
  await plans?.close();
  await db?.destroy();
  await database?.drop();
});

/** Filters with counters, each alone except address and type, which are counted together. */
const COUNTED: readonly (readonly [string, TransactionFilter])[] = [
  ["none", {}],
  ["a busy address", { address: manyAddress(BUSY) }],
  ["an ordinary address", { address: manyAddress(ORDINARY) }],
  ["a busy signer", { signerPublicKey: manyKey(BUSY) }],
  ["a signer who was busy once", { signerPublicKey: manyKey(EARLY) }],
  ["a recipient who was busy once", { recipientAddress: manyAddress(EARLY) }],
  ["an address that was busy once", { address: manyAddress(EARLY) }],
  ["an ordinary signer", { signerPublicKey: manyKey(ORDINARY) }],
  ["a busy recipient", { recipientAddress: manyAddress(BUSY) }],
  ["a type", { types: [AGGREGATE] }],
  ["types", { types: [AGGREGATE, 1, 2] }],
  ["a busy address and a type", { address: manyAddress(BUSY), types: [AGGREGATE] }],
  ["a mosaic in most", { transferMosaicId: COMMON_MOSAIC }],
  ["a mosaic in few", { transferMosaicId: RARE_MOSAIC }],
];

/** Filters that are counted over an index. */
const COMBINED: readonly (readonly [string, TransactionFilter])[] = [
  ["amounts of a mosaic in few", { transferMosaicId: RARE_MOSAIC, fromTransferAmount: 100n, toTransferAmount: 200n }],
  ["least amount of a mosaic in most", { transferMosaicId: COMMON_MOSAIC, fromTransferAmount: 65_000n }],
  ["signer and recipient", { signerPublicKey: manyKey(ORDINARY), recipientAddress: manyAddress(BUSY) }],
  ["signer and type", { signerPublicKey: manyKey(ORDINARY), types: [TRANSFER, AGGREGATE] }],
  ["address and mosaic", { address: manyAddress(ORDINARY), transferMosaicId: COMMON_MOSAIC }],
  ["signer, type, mosaic", { signerPublicKey: manyKey(ORDINARY), types: [TRANSFER], transferMosaicId: COMMON_MOSAIC }],
];

const HEIGHTS: readonly HeightFilter[] = [
  {},
  { height: MIDDLE },
  { fromHeight: MIDDLE },
  { toHeight: MIDDLE },
  { fromHeight: MIDDLE, toHeight: MIDDLE + 1000 },
];

/** Lists that are merged: of each type, and of embedded transactions by themselves if there is a key. */
function listsOf({ types, embedded, ...keys }: TransactionFilter): number {
  const isKeyed = types !== undefined || Object.keys(keys).length > 0;
  return (types?.length ?? 1) * (embedded && isKeyed ? 2 : 1);
}

const ORDERS: readonly Order[] = ["asc", "desc"];

/** The first page, one after an entry, and a distant one. */
const PAGES: readonly Omit<PageRequest, "order">[] = [
  { pageNumber: 1, pageSize: PAGE_SIZE },
  { pageNumber: 1, pageSize: PAGE_SIZE, offset: encodeEntityId(MIDDLE, 3) },
  { pageNumber: 10_000, pageSize: 10 },
];

describe(`${TRANSACTIONS} transactions: an index for every filter and order`, () => {
  const cases = [false, true].flatMap((embedded) =>
    COUNTED.map(
      ([name, filter]) => [`${name}${embedded ? " with embedded ones" : ""}`, { ...filter, embedded }] as const,
    ),
  );

  test.each(cases)("filter: %s, no page costs more than the rows around it", async (_name, filter) => {
    for (const order of ORDERS) {
      for (const heights of HEIGHTS) {
        for (const page of PAGES) {
          const nodes = await plans.of((one) => searchTransactions(one, { ...filter, ...heights }, { ...page, order }));
          const shown = { order, heights, page };
          expect({ ...shown, scanned: scannedTables(nodes) }).toEqual({ ...shown, scanned: [] });
          const rows = maxRows(nodes);
          const isCheap = rows <= MAX_ROWS * listsOf(filter);
          expect({ ...shown, rows, isCheap }).toEqual({ ...shown, rows, isCheap: true });
        }
      }
    }
  });

  test.each(COMBINED)("filters: %s", async (_name, filter) => {
    for (const embedded of [false, true]) {
      for (const order of ORDERS) {
        const request = { pageNumber: 2, pageSize: PAGE_SIZE, order };
        const nodes = await plans.of((one) => searchTransactions(one, { ...filter, embedded }, request));
        expect({ embedded, order, scanned: scannedTables(nodes) }).toEqual({ embedded, order, scanned: [] });
        // Not all transactions of the chain.
        expect(usedIndexes(nodes)).not.toContain("transactions_top");
        expect(usedIndexes(nodes)).not.toEqual([]);
      }
    }
  });

  test("look-ups", async () => {
    const ids = Array.from({ length: 100 }, (_, index) => encodeEntityId(1 + index * 100, 2));
    for (const work of [
      (one: Db) => findTransactionsByIds(one, ids),
      (one: Db) => findTransactionsByHashes(one, hashes(100)),
      (one: Db) => findEmbedded(one, ids),
      (one: Db) => findTransactionStatuses(one, hashes(100)),
    ]) {
      const nodes = await plans.of(work);
      // Small tables; of the first, the newest rows alone are read.
      const small = ["rejected_announcements", "awaited_transactions", "announcements"];
      expect(scannedTables(nodes).filter((name) => !small.includes(name))).toEqual([]);
      expect(maxRows(nodes)).toBeLessThanOrEqual(500);
    }
  });

  test("counts by type read the transactions of their ranges, and no others", async () => {
    const spans = [0, 1, 2].map((n) => ({ firstHeight: MIDDLE + 300 * n, lastHeight: MIDDLE + 300 * n + 99 }));
    const nodes = await plans.of((one) => readTypeActivity(one, spans));
    expect(scannedTables(nodes)).toEqual([]);
    const found = (await readTypeActivity(db, spans)).flat();
    const count = found.reduce((sum, { totalTransactions }) => sum + totalTransactions, 0);
    expect(count).toBeGreaterThan(300);
    expect(maxRows(nodes)).toBeLessThanOrEqual(2 * count);
  });

  test("pages of a list share one plan, whatever their size and position", async () => {
    const pages: readonly Partial<PageRequest>[] = [
      { pageSize: 10 },
      { pageSize: 100 },
      { pageSize: 10, pageNumber: 7 },
      { pageSize: 10, offset: encodeEntityId(2) },
      { pageSize: 10, offset: encodeEntityId(MIDDLE) },
      { pageSize: 10, pageNumber: 90 },
    ];
    for (const [, filter] of COUNTED) {
      for (const page of pages) {
        for (let time = 0; time < 9; time += 1)
          await searchTransactions(db, filter, { pageNumber: 1, pageSize: 10, order: "desc", ...page });
      }
    }
    // PostgreSQL plans a statement anew for the first five values, to compare.
    const { rows } = await sql<{ statement: string; custom: number; generic: number }>`
      select statement, custom_plans::int4 as custom, generic_plans::int4 as generic from pg_prepared_statements
      where statement like '%raw_blocks%'`.execute(db);
    expect(rows.length).toBeGreaterThan(COUNTED.length);
    expect(rows.filter(({ custom }) => custom > 5)).toEqual([]);
  });
});

describe("statements of docs/sql.md", () => {
  /** Tables that grow with the chain, and those of state that grow with its use. */
  const LARGE = ["transactions", "transaction_mosaics", "raw_blocks", "blocks", "receipts", "balance_changes", "keys"];
  const BLOCKS = 500;

  beforeAll(async () => {
    await writeManyAccounts(db);
  });

  test.each(sqlQuestions())("question $number: $title", async ({ statement }) => {
    const { rows } = await sql<Record<string, string>>`
      select analytics.address(${manyAddress(ORDINARY)}) as account, upper(encode(${idKey(COMMON_MOSAIC)}, 'hex')) as mosaic,
        'word' as word, (select time from analytics.blocks where height = ${MIDDLE})::text as "from",
        (select time from analytics.blocks where height = ${MIDDLE + BLOCKS})::text as "to"`.execute(db);
    const text = withValues(statement, rows[0] ?? {});
    const nodes = await plans.of((one) => sql.raw(text.replace(/;\s*$/, "")).execute(one));
    // A period has a third of the receipts, and half of the keys are accounts: reading such small tables is cheaper.
    const large = LARGE.filter((table) => table !== "keys" && table !== "receipts");
    expect(scannedTables(nodes).filter((table) => large.includes(table))).toEqual([]);
  });

  const DAY_MS = 86_400_000;
  const span = { fromTimestamp: 40_000_000, toTimestamp: 300_000_000, intervalMs: DAY_MS, shiftMs: 86_015_000 };
  const heights = { fromHeight: 1_000, toHeight: 11_000, mosaicId: COMMON_MOSAIC, first: 10 };

  test.each<readonly [string, (one: Db) => Promise<unknown>]>([
    ["activity", (one) => readTransactionActivity(one, {}, span)],
    ["activity of a type", (one) => readTransactionActivity(one, { types: [TRANSFER] }, span)],
    ["activity of a mosaic", (one) => readTransactionActivity(one, { mosaicId: COMMON_MOSAIC }, span)],
    ["active accounts", (one) => readActivityDetails(one, {}, span)],
    ["harvesters", (one) => readRanking(one, { by: "HARVESTED", ...heights })],
    ["senders", (one) => readRanking(one, { by: "SENT", ...heights })],
    ["recipients", (one) => readRanking(one, { by: "RECEIVED", ...heights })],
    ["signers", (one) => readRanking(one, { by: "TRANSACTIONS", ...heights })],
  ])("%s of some days: from sums by day, and from indexes at the ends", async (_name, work) => {
    const nodes = await plans.of(work);
    expect(scannedTables(nodes).filter((table) => LARGE.includes(table) && table !== "keys")).toEqual([]);
    // At the ends of the span are parts of two of its three days.
    expect(maxRows(nodes)).toBeLessThan(TRANSACTIONS / 2);
  });

  const places = [7, 1_007, 2_007].map((height) => ({ height, primaryId: 3 }));

  test.each<readonly [string, (one: Db) => Promise<unknown>]>([
    // The statements of this chain are empty.
    ["movements", (one) => readBlockMovements(one, [7, 1_007, 2_007]).catch(() => undefined)],
    ["statements of sources", (one) => findStatementsOfSources(one, places)],
    ["types", (one) => readTypeActivity(one, [{ firstHeight: 7, lastHeight: 8 }])],
  ])("%s of some blocks are read from indexes", async (_name, work) => {
    for (const values of ["generic", "custom"] as const) {
      const scanned = scannedTables(await plans.of(work, values));
      expect(scanned.filter((table) => [...LARGE, "transaction_statements"].includes(table))).toEqual([]);
    }
  });

  test.each([
    ["signer", "transactions", `signer = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`],
    ["recipient", "transactions", `recipient = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`],
    ["sender", "transfers", `sender = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`],
    [
      "mosaic",
      "transfers",
      `mosaic_id = upper(encode('\\x${idKey(RARE_MOSAIC).toString("hex")}', 'hex')) and height = 77`,
    ],
    ["height", "transactions", "height = 77"],
    ["hash", "transactions", "id = analytics.transaction_id(repeat('0', 16) || repeat('AB', 24))"],
    ["receipts of an account", "receipts", "target = 'NONE'"],
    ["balances of an account", "balance_changes", "address = 'NONE'"],
    ["height of changes", "balance_changes", "height between 77 and 78"],
    ["harvester", "harvests", "address = 'NONE'"],
    ["height of blocks", "blocks", "height between 77 and 78"],
    ["recipient", "transfers", `recipient = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`],
    [
      "balances of an account",
      "balances",
      `address = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`,
    ],
    ["holders of a mosaic", "balances", "mosaic_id = 'NONE'"],
    ["network", "network", "true"],
    ["an account", "accounts", `address = analytics.address('\\x${manyAddress(ORDINARY).toString("hex")}')`],
  ])("a condition on the %s reaches an index", async (_name, view, condition) => {
    const nodes = await plans.of((one) =>
      sql.raw(`select * from analytics.${view} where ${condition} limit 10`).execute(one),
    );
    const large = [...LARGE, "accounts", "account_balances"];
    expect(scannedTables(nodes).filter((table) => large.includes(table))).toEqual([]);
  });

  test.each(["blocks", "transactions", "transfers", "balance_changes"])(
    "a time of %s reaches an index",
    async (view) => {
      const nodes = await plans.of((one) =>
        sql
          .raw(`select * from analytics.${view} where height >= (select analytics.height_at(now())) limit 10`)
          .execute(one),
      );
      const small = ["keys", "receipts"];
      expect(scannedTables(nodes).filter((table) => LARGE.includes(table) && !small.includes(table))).toEqual([]);
    },
  );

  describe("in every view that has a time, the newest minutes", () => {
    const [AFTER, MINUTES] = [BLOCKS_OF_CHAIN - 10, 5];

    beforeAll(async () => {
      // Tables that are larger than the ranges of ten blocks; the newest block is of now.
      await sql`insert into receipts (statement_id, amount, target, type)
        select b.height::int8 << 32, n, 1 + n, 8515 from blocks b, generate_series(1, 20) n order by 1`.execute(db);
      await sql`insert into balance_changes (change, mosaic, account, height)
        select n, 8193, 1 + n, b.height from blocks b, generate_series(1, 20) n order by 4`.execute(db);
      await sql`insert into finalized_blocks (epoch, point, height, hash)
        select height, 1, height, hash from blocks on conflict do nothing`.execute(db);
      await sql`insert into keys (id, height, kind, key)
        select 10000 + 10 * height + n, height, 1, decode(repeat('97', 16), 'hex') || int4send(height) || int4send(n)
        from blocks, generate_series(1, 8) n order by 2`.execute(db);
      await sql`update head set epoch_adjustment = (extract(epoch from now()) * 1000)::int8 - (select max(timestamp) from blocks)`.execute(
        db,
      );
      await vacuum(db);
    });

    test("are found by an index", async () => {
      const { rows } = await sql<{ view: string }>`
        select c.relname as view from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'time'
        where c.relnamespace = 'analytics'::regnamespace and c.relkind = 'v' order by 1`.execute(db);
      expect(rows.length).toBeGreaterThan(7);
      for (const { view } of rows) {
        const nodes = await plans.of((one) =>
          sql.raw(`select * from analytics.${view} where time > now() - interval '${MINUTES} minutes'`).execute(one),
        );
        const large = [...LARGE, "finalized_blocks", "transaction_statements"];
        expect({ view, scanned: scannedTables(nodes).filter((table) => large.includes(table)) }).toEqual({
          view,
          scanned: [],
        });
        expect({ view, indexes: usedIndexes(nodes) }).toEqual({
          view,
          indexes: expect.arrayContaining(["blocks_time"]),
        });
        const count = async (condition: string) =>
          (
            await sql<{
              count: string;
            }>`select count(*) from ${sql.table(`analytics.${view}`)} where ${sql.raw(condition)}`.execute(db)
          ).rows[0]?.count;
        const found = await count(`time > (select max(time) from analytics.blocks) - interval '${MINUTES} minutes'`);
        expect({ view, found }).toEqual({ view, found: await count(`height > ${AFTER}`) });
        expect(Number(found)).toBeGreaterThan(0);
      }
    });
  });
});

/** Hashes of top-level transactions, and the same number of unknown ones. */
function hashes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const hash = Buffer.alloc(32, index % 2 === 0 ? 0xab : 0xcd);
    hash.writeBigInt64BE(BigInt(index * 5), 0);
    return hash;
  });
}

describe.each(["unconfirmed", "partial"] as const)(
  `${PENDING} ${"%s"} transactions: an index for every filter and order`,
  (group: PendingGroup) => {
    const filters: readonly (readonly [string, PendingTransactionFilter])[] = [
      ["none", {}],
      ["address", { address: manyAddress(ORDINARY) }],
      ["signer", { signerPublicKey: manyKey(ORDINARY) }],
      ["recipient", { recipientAddress: manyAddress(ORDINARY) }],
      ["type", { types: [AGGREGATE] }],
      ["mosaic", { transferMosaicId: 7n }],
      ["amounts of a mosaic", { transferMosaicId: 7n, fromTransferAmount: 100n, toTransferAmount: 900n }],
      ["address and type", { address: manyAddress(ORDINARY), types: [AGGREGATE, TRANSFER] }],
    ];

    test.each(filters)("%s", async (name, filter) => {
      // Counting all means reading all, which PostgreSQL may do in the table itself if its pages changed recently.
      const mayBeScanned = name === "none" ? ["pending_transactions"] : [];
      for (const embedded of [false, true]) {
        for (const order of ORDERS) {
          for (const pageNumber of [1, 9]) {
            const request = { pageNumber, pageSize: PAGE_SIZE, order };
            const nodes = await plans.of((one) =>
              searchPendingTransactions(one, group, { ...filter, embedded }, request),
            );
            const shown = { embedded, order, pageNumber };
            const scanned = scannedTables(nodes).filter((table) => !mayBeScanned.includes(table));
            expect({ ...shown, scanned }).toEqual({ ...shown, scanned: [] });
          }
        }
      }
    });

    test("look-ups", async () => {
      const ids = Array.from({ length: 100 }, (_, index) => encodePendingId(index * 30));
      for (const work of [
        (one: Db) => findPendingTransactionsByIds(one, group, ids),
        (one: Db) => findPendingTransactionsByHashes(one, group, hashes(100)),
        (one: Db) => findWholePending(one, ids),
      ]) {
        const nodes = await plans.of(work);
        expect(scannedTables(nodes)).toEqual([]);
        expect(maxRows(nodes)).toBeLessThanOrEqual(500);
      }
    });
  },
);
