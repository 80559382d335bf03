import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RawBuilder, sql } from "kysely";
import { formatEntityId } from "../../catapult/json/entity-id.js";
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
import {
  accountRestrictions,
  hashLocks,
  metadata,
  mosaicRestrictions,
  mosaics,
  namespaces,
  secretLocks,
} from "../../database/queries/state-lists.js";
import { STATE_LISTS } from "../../indexer/check/state-lists.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { mostRows, QueryPlans, scannedTables } from "../support/query-plans.js";
import { SeededRandom } from "../support/seeded-random.js";
import {
  accountAddress,
  COMMON_MOSAIC,
  PEOPLE,
  person,
  RARE_MOSAIC,
  secret,
  writeSyntheticState,
} from "../support/synthetic-state.js";

const ROWS = 12_000;
/** The cost of a page beyond its entries: a span or a level of balances, and at most as many levels or spans. */
const MOST_ROWS = 3_000;
const random = new SeededRandom();

let database: TestDatabase;
let db: Db;
let plans: QueryPlans;

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

interface Search {
  readonly name: string;
  /** The matching rows, in SQL. */
  readonly table: string;
  readonly where: RawBuilder<unknown>;
  readonly run: (db: Db, request: PageRequest) => Promise<Page<Entry>>;
  /** Whether it has at most one condition, and costs the same at any depth. */
  readonly isCounted: boolean;
}

/**
 * The filters of a search, the column of each, a value that many rows have, and one that few have. Alone the
 * first is used; together with another filter the second, because no counter covers both, and the rows of both are scanned.
 */
type Filters<F> = {
  readonly [K in keyof F]-?: readonly [column: string, common: NonNullable<F[K]>, rare: NonNullable<F[K]>];
};

/** The search without a filter, with each one, and with each pair. */
function searches<F extends object>(
  table: string,
  filters: Filters<F>,
  search: (db: Db, filter: F, request: PageRequest) => Promise<Page<Entry>>,
  uncounted: readonly (keyof F)[] = [],
): Search[] {
  const names = Object.keys(filters) as (keyof F)[];
  const sets = [[], ...names.flatMap((one, place) => [[one], ...names.slice(place + 1).map((other) => [one, other])])];
  return sets.map((set) => {
    const valueFor = (name: keyof F) => filters[name][set.length === 1 ? 1 : 2];
    const filter = Object.fromEntries(set.map((name) => [name, valueFor(name)])) as F;
    const rules = set.map((name) => {
      const [column] = filters[name];
      const value = valueFor(name);
      return sql`${sql.ref(column)} = ${typeof value === "bigint" ? idKey(value) : value}`;
    });
    return {
      name: `${table} by ${set.length === 0 ? "nothing" : set.map(String).join(" and ")}`,
      table,
      where: rules.length === 0 ? sql`true` : sql.join(rules, sql` and `),
      run: (db, request) => search(db, filter, request),
      isCounted: set.length === 0 || (set.length === 1 && !uncounted.includes(set[0] as keyof F)),
    };
  });
}

const owner = ["owner_address", person(0), person(5)] as const;
const ofAccount = ["address", accountAddress(5), accountAddress(6)] as const;
const byAddress = (one: Db, filter: { address?: Buffer }, request: PageRequest) => searchAccounts(one, filter, request);
const idSearches: Search[] = [
  ...searches("accounts", { address: ofAccount }, byAddress, ["address"]),
  ...searches("mosaics", { ownerAddress: owner }, mosaics.search),
  ...searches(
    "namespaces",
    {
      ownerAddress: owner,
      registrationType: ["registration_type", 1, 0],
      level0: ["level0", 700n, 800n],
      aliasType: ["alias_type", 2, 1],
    },
    namespaces.search,
    ["level0"],
  ),
  ...searches(
    "metadata",
    {
      sourceAddress: ["source_address", person(0), person(5)],
      targetAddress: ["target_address", person(1), person(6)],
      scopedMetadataKey: ["scoped_metadata_key", 1n, 20n],
      targetId: ["target_id", 0n, 30n],
      metadataType: ["metadata_type", 1, 2],
    },
    metadata.search,
  ),
  ...searches("hash_locks", { address: owner }, hashLocks.search),
  ...searches("secret_locks", { address: owner, secret: ["secret", secret(0), secret(5)] }, secretLocks.search),
  ...searches("account_restrictions", { address: ofAccount }, accountRestrictions.search, ["address"]),
  ...searches(
    "mosaic_restrictions",
    {
      mosaicId: ["mosaic_id", 0n, 30n],
      entryType: ["entry_type", 0, 0],
      targetAddress: ["target_address", person(0), person(5)],
    },
    mosaicRestrictions.search,
  ),
];

/** Holders of mosaics by id, and by balance. */
function holderSearch(mosaicId: bigint, orderBy: AccountOrder, address?: Buffer): Search {
  const ofAddress = address ? sql`and id = (select id from accounts where address = ${address})` : sql``;
  return {
    name: `holders of mosaic ${mosaicId}${address ? " at an address" : ""} by ${orderBy}`,
    table: "account_balances",
    where: sql`mosaic_id = ${idKey(mosaicId)} ${ofAddress}`,
    run: (db, request) => searchAccounts(db, { mosaicId, address }, request, orderBy),
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
async function idsOf({ table, where }: Search, orderBy = sql`id`): Promise<Buffer[]> {
  const { rows } = await sql<{ id: Buffer }>`
    select id from ${sql.table(table)} where ${where} order by ${orderBy}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Pages at both ends, around spans, and elsewhere. */
function somePages(entries: number, pageSize: number): number[] {
  const last = Math.ceil(entries / pageSize);
  const near = [1, 13, 14, 102, 103, last - 1, last, last + 1];
  return [...near, ...Array.from({ length: 2 }, () => 1 + random.below(last + 1))].filter((page) => page >= 1);
}

async function expectPage(search: Search, ids: readonly Buffer[], request: PageRequest): Promise<void> {
  const { order, offset, pageNumber, pageSize } = request;
  const ordered = order === "asc" ? ids : ids.toReversed();
  const behind = offset ? ordered.slice(placeBehind(ordered, offset, order)) : ordered;
  const { data, pagination } = await search.run(db, request);
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

async function expectAllPages(search: Search, ids: readonly Buffer[], strangeOffsets: readonly Buffer[]) {
  const offsets = [undefined, ids[0], ids.at(-1), ids[random.below(ids.length + 1)], ...strangeOffsets];
  const orders = ["asc", "desc"] as const;
  for (const offset of offsets) {
    for (const order of offset ? [orders[random.below(2)]!] : orders) {
      for (const pageNumber of somePages(ids.length, 10)) {
        await expectPage(search, ids, { order, pageNumber, pageSize: 10, offset });
      }
      await expectPage(search, ids, { order, pageNumber: 1 + random.below(20), pageSize: 100, offset });
    }
  }
}

test("each collection of lists has a number of its own", () => {
  const numbers = STATE_LISTS.map(({ collection }) => collection);
  expect(new Set(numbers).size).toBe(numbers.length);
});

const named = (list: readonly Search[]) => list.map((search) => [search.name, search] as const);

describe("pages and totals match the rows", () => {
  test.each(named([...idSearches, ...holderSearches.filter(({ name }) => name.endsWith("id"))]))(
    "%s",
    async (_name, search) => {
      await expectAllPages(search, await idsOf(search), [stateId(0), stateId(2_500), stateId(ROWS + 9)]);
    },
  );

  test.each(named([...balanceSearches, ...holderSearches.filter(({ name }) => name.endsWith("balance"))]))(
    "%s",
    async (_name, search) => {
      await expectAllPages(search, await idsOf(search, sql`amount, id`), []);
    },
  );

  test("holders by balance after an amount, and after an account without one", async () => {
    const search = holderSearch(COMMON_MOSAIC, "balance");
    const { rows } = await sql<{ id: Buffer; amount: string }>`
      select id, amount from account_balances where ${search.where} order by amount, id`.execute(db);
    for (const offsetBalance of [0n, 1n, 1_000_000n, 77_777n, BigInt(rows.at(-1)?.amount ?? 0), 2n ** 64n - 1n]) {
      for (const order of ["asc", "desc"] as const) {
        const behind = rows
          .filter(({ amount }) => (order === "asc" ? BigInt(amount) > offsetBalance : BigInt(amount) < offsetBalance))
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
    const lowest = await idsOf(holderSearch(RARE_MOSAIC, "balance"), sql`amount, id`);
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
      for (const request of depths) {
        const nodes = await plans.of((logged) => search.run(logged, request));
        expect({ request, scanned: scannedTables(nodes) }).toEqual({ request, scanned: [] });
        if (!search.isCounted) continue;
        expect({ request, isShort: mostRows(nodes) <= MOST_ROWS }).toEqual({ request, isShort: true });
      }
    },
  );

  const address = accountAddress(11);
  const hash = Buffer.alloc(32, 1);
  const lookUps: [string, (db: Db) => Promise<unknown>][] = [
    ["accounts by address", (one) => findAccounts(one, [address, person(1)])],
    ["a balance", (one) => readBalance(one, address, COMMON_MOSAIC)],
    ["the number of accounts", countAccounts],
    ["mosaics by id", (one) => mosaics.find(one, [7n, 8n])],
    ["namespaces by id", (one) => namespaces.find(one, [7n, 8n])],
    ["names of namespaces", (one) => findNamespaceNames(one, [8n])],
    ["names of accounts", (one) => findAccountNames(one, [address])],
    ["names of mosaics", (one) => findMosaicNames(one, [8n])],
    ["metadata by hash", (one) => metadata.find(one, [hash])],
    ["hash locks by hash", (one) => hashLocks.find(one, [hash])],
    ["secret locks by hash", (one) => secretLocks.find(one, [hash])],
    ["mosaic restrictions by hash", (one) => mosaicRestrictions.find(one, [hash])],
    ["a multisig graph", (one) => findMultisigGraph(one, address)],
  ];
  /** These tables are empty here. */
  const EMPTY = ["head", "namespace_registrations", "multisigs"];
  test.each(lookUps)("%s: over an index", async (_name, run) => {
    expect(scannedTables(await plans.of(run), EMPTY)).toEqual([]);
  });
});

test("the synthetic state is large enough to pass spans and levels", async () => {
  const { rows } = await sql<{ spans: number; levels: number; people: number }>`
    select (select max(n) from (select count(*) as n from spans group by collection, key) s) as spans,
      (select count(*) from balance_levels) as levels,
      (select count(distinct owner_address) from mosaics) as people`.execute(db);
  expect(rows[0]?.spans).toBe(Math.floor(ROWS / 1024));
  expect(rows[0]?.levels).toBeGreaterThan(100);
  expect(rows[0]?.people).toBe(PEOPLE);
});
