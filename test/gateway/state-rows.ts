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
import { nodesAbove, QueryPlans, scannedTables } from "../support/query-plans.js";
import { SeededRandom } from "../support/seeded-random.js";
import { createManyStates, HOLDERS, holder, type ManyStates } from "./state-rows-chain.js";

/** The cost of a page beyond its entries: a bucket, also of a histogram of balances, and at most as many buckets. */
const MAX_ROWS = 1_300;
/** Tables that have a row or some here. */
const FEW_ROWS = ["head", "mosaics"];
const random = new SeededRandom();

let states: ManyStates;
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
  readonly where?: () => RawBuilder<unknown>;
  readonly run: (db: Db, given: Given, request: PageRequest) => Promise<Page<Entry>>;
  /** Whether it has at most one condition, and costs the same at any depth. */
  readonly isCounted: boolean;
}

const { STATE_TABLES, ...listed } = queries;

/** The searches of metadata, as of every kind: without a filter, with each one, and with each pair. */
const { table, lists } = STATE_TABLES.metadata;
const idSearches = [
  [],
  ...lists.flatMap((one, place) => [[one], ...lists.slice(place + 1).map((other) => [one, other])]),
].map(
  (set): Search => ({
    name: `by ${set.map(({ name }) => name).join(" and ") || "nothing"}`,
    ...{ table, set },
    run: (one, given, request) => queries.metadata.search(one, given as never, request),
    isCounted: set.length === 0 || (set.length === 1 && set[0]?.counted !== undefined),
  }),
);

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
  return where?.() ?? sql.join([sql`true`, ...rules], sql` and `);
}

/** The mosaics whose holders are searched. */
const MOSAICS = { currency: () => states.currency, rare: () => states.rare, unknown: () => 99n };
type MosaicName = keyof typeof MOSAICS;

/** Holders of mosaics by id, and by balance. */
function holderSearch(mosaic: MosaicName, orderBy: AccountOrder, address?: Buffer): Search {
  const mosaicId = MOSAICS[mosaic];
  return {
    name: `holders of the ${mosaic} mosaic${address ? " at an address" : ""} by ${orderBy}`,
    table: "account_balances",
    where: () => {
      const ofAddress = address ? sql`and id = (select id from accounts where address = ${address})` : sql``;
      return sql`mosaic_id = ${idKey(mosaicId())} ${ofAddress}`;
    },
    set: [],
    run: (db, _given, request) => searchAccounts(db, { mosaicId: mosaicId(), address }, request, orderBy),
    isCounted: address === undefined,
  };
}

const names = Object.keys(MOSAICS) as MosaicName[];
const balanceSearches = names.map((mosaic) => holderSearch(mosaic, "balance"));
const holderSearches = [
  ...names.map((mosaic) => holderSearch(mosaic, "id")),
  holderSearch("currency", "id", holder(12)),
  holderSearch("currency", "balance", holder(12)),
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
      states = await createManyStates();
      db = openDatabase({ url: states.index.url, poolSize: 2 });
      // Pages cost nothing: between indexes of so few of them, chance would decide, and not the rows.
      plans = new QueryPlans(states.index.url, "-c seq_page_cost=0 -c random_page_cost=0");
    });

    afterAll(async () => {
      await plans?.close();
      await db?.destroy();
      await states?.index.drop();
    });

    test("each collection of lists has a number of its own", () => {
      const numbers = STATE_LISTS.map(({ collection }) => collection);
      expect(new Set(numbers).size).toBe(numbers.length);
    });

    describe("pages and totals match the rows", () => {
      test.each(named([...idSearches, ...holderSearches.filter(({ name }) => name.endsWith("id"))]))(
        "%s",
        async (_name, search) => {
          await expectAllPages(search, sql`id`, [stateId(0), stateId(2_500), stateId(3 * HOLDERS)]);
        },
      );

      test.each(named([...balanceSearches, ...holderSearches.filter(({ name }) => name.endsWith("balance"))]))(
        "%s",
        async (_name, search) => {
          await expectAllPages(search, sql`amount, id`, []);
        },
      );

      test("holders by balance after an amount, and after an account without one", async () => {
        const search = holderSearch("currency", "balance");
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
              const page = await searchAccounts(db, { mosaicId: states.currency }, request, "balance");
              expect(page.data.map(({ id }) => id.toString("hex"))).toEqual(
                ordered.slice((pageNumber - 1) * 10, pageNumber * 10),
              );
              expect(page.pagination.totalEntries).toBe(rows.length);
            }
          }
        }
        const stranger = { order: "asc", pageNumber: 1, pageSize: 10, offset: stateId(7) } as const;
        const page = await searchAccounts(db, { mosaicId: states.rare }, stranger, "balance");
        const lowest = await idsOf(holderSearch("rare", "balance"), {}, sql`amount, id`);
        expect(page.data.map(({ id }) => id)).toEqual(lowest.slice(0, 10));
      });
    });

    describe("plans", () => {
      const depths: PageRequest[] = (["asc", "desc"] as const).flatMap((order) => [
        { order, pageNumber: 1, pageSize: 10 },
        { order, pageNumber: 1, pageSize: 10, offset: stateId(HOLDERS) },
        { order, pageNumber: 200, pageSize: 10 },
        { order, pageNumber: 150, pageSize: 10, offset: stateId(HOLDERS) },
      ]);

      test.each(named([...idSearches, ...holderSearches, ...balanceSearches]))(
        "%s: over an index in every order and at every depth, and what is counted without going through it",
        async (_name, search) => {
          const given = await valuesFor(search);
          for (const request of depths) {
            const nodes = await plans.of((logged) => search.run(logged, given, request));
            expect({ request, scanned: scannedTables(nodes, FEW_ROWS) }).toEqual({ request, scanned: [] });
            if (!search.isCounted) continue;
            expect({ request, long: nodesAbove(MAX_ROWS, nodes) }).toEqual({ request, long: [] });
          }
        },
      );

      test("of every kind, each condition has an index that begins with it and ends in the id", async () => {
        const { rows } = await sql<{ name: string }>`
          select c.relname || ' ' || a.attname as name from pg_index i join pg_class c on c.oid = i.indrelid
          join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
          join pg_attribute l on l.attrelid = c.oid and l.attnum = i.indkey[i.indnkeyatts - 1]
          where l.attname = 'id'`.execute(db);
        const indexed = rows.map(({ name }) => name);
        const conditions = Object.values(listed).flatMap(({ kind }) => {
          const { table, keyColumn, lists } = STATE_TABLES[kind];
          // A key has at most one entry.
          return lists.flatMap(({ column }) => (column === keyColumn ? [] : [`${table} ${column}`]));
        });
        expect(conditions.length).toBeGreaterThan(10);
        expect(conditions.filter((one) => !indexed.includes(one))).toEqual([]);
      });

      const address = holder(11);
      const keys: Readonly<Record<number, Buffer>> = { 8: idKey(7n), 24: address, 32: Buffer.alloc(32, 1) };
      const lookUps: [string, (db: Db) => Promise<unknown>][] = [
        ["accounts by address", (one) => findAccounts(one, [address, holder(1)])],
        ["a balance", (one) => readBalance(one, address, states.currency)],
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
      test.each(lookUps)("%s: over an index", async (_name, run) => {
        // Of small tables, PostgreSQL would scan some.
        const reluctant = new QueryPlans(states.index.url, "-c enable_seqscan=off");
        expect(scannedTables(await reluctant.of(run))).toEqual([]);
        await reluctant.close();
      });
    });

    test("the state is large enough to pass buckets and the histogram", async () => {
      const { rows } = await sql<{ buckets: number; histogram: number }>`
        select (select max(n) from (select count(*) as n from list_buckets group by collection, key) s) as buckets,
          (select count(*) from balance_histogram) as histogram`.execute(db);
      expect(rows[0]?.buckets).toBeGreaterThan(3);
      expect(rows[0]?.histogram).toBeGreaterThan(100);
    });
  });
}
