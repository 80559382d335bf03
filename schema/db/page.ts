import { type RawBuilder, sql } from "kysely";
import { type CollectionKey, MILESTONE_STEP } from "./collections.js";
import type { Database, Db } from "./database.js";
import { edgeRank, milestoneBefore, rankBefore, rankUpTo, totalOf } from "./rank.js";

export type Order = "asc" | "desc";

/** Which page of a list: `pageNumber` from 1; with `offset` (12 bytes) pages are counted from behind that entry in the asked order. */
export interface PageRequest {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly order: Order;
  readonly offset?: Buffer | undefined;
}

export interface Pagination {
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Entries of the whole list, whatever the page. */
  readonly totalEntries: number;
  readonly totalPages: number;
}

/** A stored REST body with its id (12 bytes). */
export interface Entry {
  readonly id: Buffer;
  readonly document: string;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** Ids between these two, both included (12 bytes each). */
export interface IdRange {
  readonly from?: Buffer | undefined;
  readonly to?: Buffer | undefined;
}

/** A list whose entries counters and milestones number. */
export interface CountedList extends CollectionKey {
  /** A query that selects the column `id`, each once, over an index that ends in it. */
  readonly ids: RawBuilder<unknown>;
}

/** A list of entries in the order of their ids. */
export type Source = {
  /** Table that holds `id` and `document` of the entries. */
  readonly table: keyof Database;
} & (
  | {
      /** Lists without a common entry, which together are the one that was asked for. */
      readonly lists: readonly CountedList[];
    }
  | {
      /** No counters cover it: it is counted over its index. Selects the column `id`, each once. */
      readonly ids: RawBuilder<unknown>;
    }
);

/**
 * One page of a list, its documents and its exact total, in one statement and so of one moment.
 *
 * Cases, by how many entries lie before the page (behind the offset or the end of the range, in the asked order):
 * - at most MILESTONE_STEP, or the list is not counted: the index is walked from there;
 * - more: the page's ordinals are computed, and the index is walked from a milestone below them.
 * The total is a counter; within a range it is the difference of two ranks, each found by a milestone.
 */
export async function readPage(
  db: Db,
  source: Source,
  request: PageRequest,
  range: IdRange = {},
): Promise<Page<Entry>> {
  const skip = (request.pageNumber - 1) * request.pageSize;
  const query =
    "ids" in source || skip <= MILESTONE_STEP
      ? walkFromEnd(source, request, range, skip)
      : walkFromMilestone(source.table, source.lists, request, range, skip);
  const { rows } = await query.execute(db);
  const totalEntries = Number(rows[0]?.total ?? 0);
  const data = rows.flatMap(({ id, document }) => (id === null || document === null ? [] : [{ id, document }]));
  return { data, pagination: describePage(request, totalEntries) };
}

/** The pagination fields of a list of `totalEntries`. */
export function describePage(request: PageRequest, totalEntries: number): Pagination {
  const { pageNumber, pageSize } = request;
  return { pageNumber, pageSize, totalEntries, totalPages: Math.ceil(totalEntries / pageSize) };
}

interface PageRow {
  readonly total: number;
  readonly id: Buffer | null;
  readonly document: string | null;
}

function walkFromEnd(source: Source, request: PageRequest, range: IdRange, skip: number): RawBuilder<PageRow> {
  const { order, offset, pageSize } = request;
  const inRange = [range.from && sql`s.id >= ${range.from}`, range.to && sql`s.id <= ${range.to}`];
  const behindOffset = offset && (order === "asc" ? sql`s.id > ${offset}` : sql`s.id < ${offset}`);
  const where = whereAll([...inRange, behindOffset]);
  const lists = "ids" in source ? [source] : source.lists;
  const ids = sql`${joined(lists, where, order, sql.lit(skip + pageSize))} limit ${sql.lit(pageSize)} offset ${sql.lit(skip)}`;
  const total =
    "ids" in source ? sql`(select count(*) from (${source.ids}) s ${whereAll(inRange)})` : totalOf(source.lists, range);
  return rowsWithTotal(source.table, total, ids, order);
}

/**
 * The page's entries have the ordinals `first` to `last` of the (joined) list in ascending order. The walk begins at
 * `anchor`, an id that has fewer than `first` entries before it, but not many fewer.
 */
function walkFromMilestone(
  table: keyof Database,
  lists: readonly CountedList[],
  request: PageRequest,
  range: IdRange,
  skip: number,
): RawBuilder<PageRow> {
  const { order, pageSize } = request;
  const low = range.from ? rankBefore(lists, sql`${range.from}`) : sql`0::int8`;
  const high = range.to ? rankUpTo(lists, range.to) : totalOf(lists, {});
  const where = sql`where s.id >= (select id from anchor)`;
  const ids = sql`${joined(lists, where, "asc", sql`(select greatest(0, last - before) from span, anchor)`)}
    limit (select greatest(0, last - first + 1) from span)
    offset (select greatest(0, first - 1 - before) from span, anchor)`;
  return sql<PageRow>`
    with recursive bounds as materialized (select ${low} as low, ${high} as high, ${edgeRank(lists, request)} as edge),
      span as materialized (${ordinalsOfPage(order, skip, pageSize)}),
      ${milestoneBefore(lists)}
    ${rowsWithTotal(table, sql`(select greatest(0, high - low) from bounds)`, ids, order)}`;
}

/** First and last ordinal of the page, from the bounds of the range (`low` entries before it, `high` up to its end) and the offset's rank. */
function ordinalsOfPage(order: Order, skip: number, pageSize: number): RawBuilder<unknown> {
  return order === "asc"
    ? sql`select start + ${skip}::int8 + 1 as first, least(high, start + ${skip}::int8 + ${pageSize}::int8) as last
          from (select high, greatest(low, coalesce(edge, low)) as start from bounds) b`
    : sql`select greatest(low, start - ${skip}::int8 - ${pageSize}::int8) + 1 as first, start - ${skip}::int8 as last
          from (select low, least(high, coalesce(edge, high)) as start from bounds) b`;
}

/** The total in every row, so that it is there on an empty page too. */
function rowsWithTotal(
  table: keyof Database,
  total: RawBuilder<unknown>,
  ids: RawBuilder<unknown>,
  order: Order,
): RawBuilder<PageRow> {
  return sql<PageRow>`
    select t.total, p.id, p.document
    from (select ${total} as total) t
    left join (select d.id, d.document from (${ids}) k join ${sql.table(table)} d on d.id = k.id) p on true
    order by p.id ${direction(order)}`;
}

/** The ids of all lists in order, not more of each than `most`: so each is walked over its own index. */
function joined(
  lists: readonly { readonly ids: RawBuilder<unknown> }[],
  where: RawBuilder<unknown>,
  order: Order,
  most: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const walks = lists.map(
    ({ ids }) => sql`(select s.id from (${ids}) s ${where} order by s.id ${direction(order)} limit ${most})`,
  );
  return sql`select j.id from (${sql.join(walks, sql` union all `)}) j order by j.id ${direction(order)}`;
}

function whereAll(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length > 0 ? sql`where ${sql.join(given, sql` and `)}` : sql``;
}

function direction(order: Order): RawBuilder<unknown> {
  return order === "asc" ? sql`asc` : sql`desc`;
}
