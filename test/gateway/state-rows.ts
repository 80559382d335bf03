import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RawBuilder, sql } from "kysely";
import { formatEntityId } from "../../catapult/json/entity-id.js";
import { stateKeySize } from "../../catapult/state/key.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";
import type { Order, PageRequest } from "../../database/lists/list.js";
import type { Entry, Page } from "../../database/lists/page.js";
import {
  type AccountOrder,
  countAccounts,
  findAccounts,
  readBalance,
  searchAccounts,
} from "../../database/queries/accounts.js";
import { findMultisigGraph } from "../../database/queries/multisigs.js";
import { findAccountNames, findMosaicNames, findNamespaceNames } from "../../database/queries/namespace-names.js";
import { stateId } from "../../database/queries/state-entries.js";
import * as queries from "../../database/queries/state-lists.js";
import { STATE_LISTS } from "../../indexer/check/state-lists.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { maxRows, QueryPlans, scannedTables } from "../support/query-plans.js";
import { SeededRandom } from "../support/seeded-random.js";
import {
  accountAddress,
  COMMON_MOSAIC,
  PEOPLE,
  person,
  RARE_MOSAIC,
  writeSyntheticState,
} from "../support/synthetic-state.js";

const ROWS = 12_000;
/**
 * The cost of a page beyond its entries: a bucket or a bucket of a histogram of balances, and at most as many buckets.
 */
const MAX_ROWS = 3_000;
const random = new SeededRandom();

let database: TestDatabase;
let db: Db;
let plans: QueryPlans;

/** The values of a condition by its name. */
type Given = Readonly<Record<string, Buffer | number>>;

interface Search {
  readonly name: string;
  readonly table: string;
  /** Its conditions: a name and a column each. */
  readonly set: readonly { readonly name: string; readonly column: string }[];
  /** Of a search whose conditions are fixed: the matching rows, in SQL. */
  readonly where?: RawBuilder<unknown>;
  readonly run: (db: Db, given: Given, request: PageRequest) => Promise<Page<Entry>>;
  /** Whether it has at most one condition, and costs the same at any depth. */
  readonly isCounted: boolean;
}

const { STATE_TABLES, ...listed } = queries;

/** The searches of every kind that has a list: without a filter, with each one, and with each pair. */
const idSearches: Search[] = Object.values(listed).flatMap(({ kind, search }) => {
  const { table, lists } = STATE_TABLES[kind];
  const sets = [[], ...lists.flatMap((one, place) => [[one], ...lists.slice(place + 1).map((other) => [one, other])])];
  return sets.map((set) => ({
    name: `${table} by ${set.map(({ name }) => name).join(" and ") || "nothing"}`,
    ...{ table, set },
    run: (one, given, request) => search(one, given as never, request),
    isCounted: set.length === 0 || (set.length === 1 && set[0]?.counted !== undefined),
  }));
});

/**
 * The values of a search: alone that which most rows have, together with another one a value that few have, because no
 * counter covers both, and the rows of both are scanned.
 */
async function valuesFor({ table, set }: Search): Promise<Given> {
  const values = set.map(async ({ name, column }) => {
    const { rows } = await sql<{ value: Buffer | number }>`
      select ${sql.ref(column)} as value from ${sql.table(table)} where ${sql.ref(column)} is not null
      group by 1 order by count(*) desc, 1`.execute(db);
    const place = set.length === 1 ? 0 : Math.floor(rows.length / 2);
    return [name, rows[place]!.value] as const;
  });
  return Object.fromEntries(await Promise.all(values));
}

function whereOf({ set, where }: Search, given: Given): RawBuilder<unknown> {
  const rules = set.map(({ name, column }) => sql`${sql.ref(column)} = ${given[name]}`);
  return where ?? sql.join([sql`true`, ...rules], sql` and `);
}

/** Holders of mosaics by id, and by balance. */
function holderSearch(mosaicId: bigint, orderBy: AccountOrder, address?: Buffer): Search {
  const ofAddress = address ? sql`and id = (select id from accounts where address = ${address})` : sql``;
  return {
    name: `holders of mosaic ${mosaicId}${address ? " at an address" : ""} by ${orderBy}`,
    table: "account_balances",
    where: sql`mosaic_id = ${idKey(mosaicId)} ${ofAddress}`,
    set: [],
    run: (db, _given, request) => searchAccounts(db, { mosaicId, address }, request, orderBy),
    isCounted: address === undefined,
  };
}

const balanceSearches = [COMMON_MOSAIC, RARE_MOSAIC, 99n].map((mosaicId) => holderSearch(mosaicId, "balance"));
const holderSearches = [
  ...[COMMON_MOSAIC, RARE_MOSAIC, 99n].map((mosaicId) => holderSearch(mosaicId, "id")),
  holderSearch(COMMON_MOSAIC, "id", accountAddress(12)),
  holderSearch(COMMON_MOSAIC, "balance", accountAddress(12)),
];

/** Ids of the matching rows, ascending in an order. */
async function idsOf(search: Search, given: Given = {}, orderBy = sql`id`): Promise<Buffer[]> {
  const { rows } = await sql<{ id: Buffer }>`
    select id from ${sql.table(search.table)} where ${whereOf(search, given)} order by ${orderBy}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Pages at both ends, around buckets, and elsewhere. */
function somePages(entries: number, pageSize: number): number[] {
  const last = Math.ceil(entries / pageSize);
  const near = [1, 13, 14, 102, 103, last - 1, last, last + 1];
  return [...near, ...Array.from({ length: 2 }, () => 1 + random.below(last + 1))].filter((page) => page >= 1);
}

async function expectPage(search: Search, given: Given, ids: readonly Buffer[], request: PageRequest): Promise<void> {
  const { order, offset, pageNumber, pageSize } = request;
  const ordered = order === "asc" ? ids : ids.toReversed();
  const behind = offset ? ordered.slice(placeBehind(ordered, offset, order)) : ordered;
  const { data, pagination } = await search.run(db, given, request);
  const start = (pageNumber - 1) * pageSize;
  expect({ request, ids: data.map(({ id }) => id.toString("hex")) }).toEqual({
    request,
    ids: behind.slice(start, start + pageSize).map((id) => id.toString("hex")),
  });
  const totalEntries = ids.length;
  expect(pagination).toEqual({ pageNumber, pageSize, totalEntries, totalPages: Math.ceil(totalEntries / pageSize) });
  const hasOtherId = ({ id, body }: Entry) => body.startsWith('{"id":') && !body.includes(formatEntityId(id));
  expect(data.filter(hasOtherId)).toEqual([]);
}

/** Where an order continues after an offset, which is an entry or, in the order of ids, a position without one. */
function placeBehind(ordered: readonly Buffer[], offset: Buffer, order: Order): number {
  const at = ordered.findIndex((id) => id.equals(offset));
  if (at >= 0) return at + 1;
  const next = ordered.findIndex((id) => (order === "asc" ? id.compare(offset) > 0 : id.compare(offset) < 0));
  return next < 0 ? ordered.length : next;
}

async function expectAllPages(search: Search, orderBy: RawBuilder<unknown>, strangeOffsets: readonly Buffer[]) {
  const given = await valuesFor(search);
  const ids = await idsOf(search, given, orderBy);
  const offsets = [undefined, ids[0], ids.at(-1), ids[random.below(ids.length + 1)], ...strangeOffsets];
  const orders = ["asc", "desc"] as const;
  for (const offset of offsets) {
    for (const order of offset ? [orders[random.below(2)]!] : orders) {
      for (const pageNumber of somePages(ids.length, 10)) {
        await expectPage(search, given, ids, { order, pageNumber, pageSize: 10, offset });
      }
      await expectPage(search, given, ids, { order, pageNumber: 1 + random.below(20), pageSize: 100, offset });
    }
  }
}

const named = (list: readonly Search[]) => list.map((search) => [search.name, search] as const);

/** Lists of state of many rows: pages at any depth, their totals, and the plans of their queries. */
export function describeManyRows(): void {
  describe("many rows of state", () => {
    beforeAll(async () => {
      database = await createMigratedDatabase();
      db = openDatabase({ url: database.url, poolSize: 2 });
      plans = new QueryPlans(database.url);
      await writeSyntheticState(db, ROWS);
    });

    afterAll(async () => {
      await plans?.close();
      await db?.destroy();
      await database?.drop();
    });

    test("each collection of lists has a number of its own", () => {
      const numbers = STATE_LISTS.map(({ collection }) => collection);
      expect(new Set(numbers).size).toBe(numbers.length);
    });

    describe("pages and totals match the rows", () => {
      test.each(named([...idSearches, ...holderSearches.filter(({ name }) => name.endsWith("id"))]))(
        "%s",
        async (_name, search) => {
          await expectAllPages(search, sql`id`, [stateId(0), stateId(2_500), stateId(ROWS + 9)]);
        },
      );

      test.each(named([...balanceSearches, ...holderSearches.filter(({ name }) => name.endsWith("balance"))]))(
        "%s",
        async (_name, search) => {
          await expectAllPages(search, sql`amount, id`, []);
        },
      );

      test("holders by balance after an amount, and after an account without one", async () => {
        const search = holderSearch(COMMON_MOSAIC, "balance");
        const { rows } = await sql<{ id: Buffer; amount: string }>`
          select id, amount from account_balances where ${whereOf(search, {})} order by amount, id`.execute(db);
        for (const offsetBalance of [0n, 1n, 1_000_000n, 77_777n, BigInt(rows.at(-1)?.amount ?? 0), 2n ** 64n - 1n]) {
          for (const order of ["asc", "desc"] as const) {
            const behind = rows
              .filter(({ amount }) =>
                order === "asc" ? BigInt(amount) > offsetBalance : BigInt(amount) < offsetBalance,
              )
              .map(({ id }) => id.toString("hex"));
            const ordered = order === "asc" ? behind : behind.toReversed();
            for (const pageNumber of [1, 3, 102, 103, 300]) {
              const request = { order, pageNumber, pageSize: 10, offsetBalance };
              const page = await searchAccounts(db, { mosaicId: COMMON_MOSAIC }, request, "balance");
              expect(page.data.map(({ id }) => id.toString("hex"))).toEqual(
                ordered.slice((pageNumber - 1) * 10, pageNumber * 10),
              );
              expect(page.pagination.totalEntries).toBe(rows.length);
            }
          }
        }
        const stranger = { order: "asc", pageNumber: 1, pageSize: 10, offset: stateId(7) } as const;
        const page = await searchAccounts(db, { mosaicId: RARE_MOSAIC }, stranger, "balance");
        const lowest = await idsOf(holderSearch(RARE_MOSAIC, "balance"), {}, sql`amount, id`);
        expect(page.data.map(({ id }) => id)).toEqual(lowest.slice(0, 10));
      });
    });

    describe("plans", () => {
      const depths: PageRequest[] = (["asc", "desc"] as const).flatMap((order) => [
        { order, pageNumber: 1, pageSize: 10 },
        { order, pageNumber: 1, pageSize: 10, offset: stateId(ROWS / 2) },
        { order, pageNumber: 400, pageSize: 10 },
        { order, pageNumber: 150, pageSize: 10, offset: stateId(ROWS / 2) },
      ]);

      test.each(named([...idSearches, ...holderSearches, ...balanceSearches]))(
        "%s: over an index in every order and at every depth, and what is counted without going through it",
        async (_name, search) => {
          const given = await valuesFor(search);
          for (const request of depths) {
            const nodes = await plans.of((logged) => search.run(logged, given, request));
            expect({ request, scanned: scannedTables(nodes) }).toEqual({ request, scanned: [] });
            if (!search.isCounted) continue;
            expect({ request, isShort: maxRows(nodes) <= MAX_ROWS }).toEqual({ request, isShort: true });
          }
        },
      );

      const address = accountAddress(11);
      const keys: Readonly<Record<number, Buffer>> = { 8: idKey(7n), 24: address, 32: Buffer.alloc(32, 1) };
      const lookUps: [string, (db: Db) => Promise<unknown>][] = [
        ["accounts by address", (one) => findAccounts(one, [address, person(1)])],
        ["a balance", (one) => readBalance(one, address, COMMON_MOSAIC)],
        ["the number of accounts", countAccounts],
        ["names of namespaces", (one) => findNamespaceNames(one, [8n])],
        ["names of accounts", (one) => findAccountNames(one, [address])],
        ["names of mosaics", (one) => findMosaicNames(one, [8n])],
        ["a multisig graph", (one) => findMultisigGraph(one, address)],
        ...Object.values(listed).map(({ kind, find }): [string, (db: Db) => Promise<unknown>] => [
          `${STATE_TABLES[kind].table} by key`,
          (one) => find(one, [keys[stateKeySize(kind)]!]),
        ]),
      ];
      /** These tables are empty here. */
      const EMPTY = ["head", "namespace_registrations", "multisigs"];
      test.each(lookUps)("%s: over an index", async (_name, run) => {
        expect(scannedTables(await plans.of(run), EMPTY)).toEqual([]);
      });
    });

    test("the synthetic state is large enough to pass buckets and histogram", async () => {
      const { rows } = await sql<{ buckets: number; histogram: number; people: number }>`
        select (select max(n) from (select count(*) as n from list_buckets group by collection, key) s) as buckets,
          (select count(*) from balance_histogram) as histogram,
          (select count(distinct owner_address) from mosaics) as people`.execute(db);
      expect(rows[0]?.buckets).toBe(Math.floor(ROWS / 1024));
      expect(rows[0]?.histogram).toBeGreaterThan(100);
      expect(rows[0]?.people).toBe(PEOPLE);
    });
  });
}
