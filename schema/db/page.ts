import { type RawBuilder, sql } from "kysely";
import { type CollectionKey, MILESTONE_STEP } from "./collections.js";
import type { Database, Db } from "./database.js";

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

/** A list of entries in the order of their ids. */
export interface Source {
  /** Table that holds `id` and `document` of the entries. */
  readonly table: keyof Database;
  /** A query that selects the column `id`, each once, over an index that ends in it. */
  readonly ids: RawBuilder<unknown>;
  /** Given when counters and milestones cover exactly this list; else it is counted over its index. */
  readonly counted?: CollectionKey | undefined;
}

const FIRST_ID = Buffer.alloc(0);

/**
 * One page of a list, its documents and its exact total, in one statement and so of one moment.
 *
 * Cases, by how many entries lie before the page (behind the offset or the end of the range, in the asked order):
 * - at most MILESTONE_STEP, or the list is not counted: the index is walked from there;
 * - more: the page's ordinals are computed, and the index is walked from the milestone below them.
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
    source.counted === undefined || skip <= MILESTONE_STEP
      ? walkFromEnd(source, request, range, skip)
      : walkFromMilestone(source, source.counted, request, range, skip);
  const { rows } = await query.execute(db);
  const totalEntries = Number(rows[0]?.total ?? 0);
  const data = rows.flatMap((row) => (row.id === null || row.document === null ? [] : [row as Entry]));
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
  const bounds = [
    range.from && sql`s.id >= ${range.from}`,
    range.to && sql`s.id <= ${range.to}`,
    offset && (order === "asc" ? sql`s.id > ${offset}` : sql`s.id < ${offset}`),
  ].filter((bound) => bound !== undefined);
  const where = bounds.length > 0 ? sql`where ${sql.join(bounds, sql` and `)}` : sql``;
  const ids = sql`select s.id from (${source.ids}) s ${where} order by s.id ${direction(order)} limit ${sql.lit(pageSize)} offset ${sql.lit(skip)}`;
  return rowsWithTotal(source, total(source, range), ids, order);
}

function walkFromMilestone(
  source: Source,
  counted: CollectionKey,
  request: PageRequest,
  range: IdRange,
  skip: number,
): RawBuilder<PageRow> {
  const { order, offset, pageSize } = request;
  const low = range.from ? rankBefore(source, counted, range.from) : sql`0::int8`;
  const high = range.to ? rankUpTo(source, counted, range.to) : counter(counted);
  const edge = offset
    ? order === "asc"
      ? rankUpTo(source, counted, offset)
      : rankBefore(source, counted, offset)
    : sql`null::int8`;
  const span =
    order === "asc"
      ? sql`select greatest(b.low, coalesce(b.edge, b.low)) + ${skip}::int8 + 1 as first,
              least(b.high, greatest(b.low, coalesce(b.edge, b.low)) + ${skip}::int8 + ${pageSize}::int8) as last from bounds b`
      : sql`select greatest(b.low, least(b.high, coalesce(b.edge, b.high)) - ${skip}::int8 - ${pageSize}::int8) + 1 as first,
              least(b.high, coalesce(b.edge, b.high)) - ${skip}::int8 as last from bounds b`;
  const ids = sql`select s.id from (${source.ids}) s
    where s.id >= coalesce((select id from milestone), ${FIRST_ID})
    order by s.id asc
    limit (select greatest(0, last - first + 1) from span)
    offset (select greatest(0, first - coalesce((select ordinal from milestone), 1)) from span)`;
  return sql<PageRow>`
    with bounds as materialized (select ${low} as low, ${high} as high, ${edge} as edge),
      span as materialized (${span}),
      milestone as materialized (
        select m.ordinal, m.id from milestones m
        where m.collection = ${counted.collection} and m.key = ${counted.key} and m.ordinal <= (select first from span)
        order by m.ordinal desc limit 1)
    ${rowsWithTotal(source, sql`(select greatest(0, high - low) from bounds)`, ids, order)}`;
}

/** The total in every row, so that it is there on an empty page too. */
function rowsWithTotal(
  source: Source,
  totalEntries: RawBuilder<unknown>,
  ids: RawBuilder<unknown>,
  order: Order,
): RawBuilder<PageRow> {
  return sql<PageRow>`
    select t.total, p.id, p.document
    from (select ${totalEntries} as total) t
    left join (select d.id, d.document from (${ids}) k join ${sql.table(source.table)} d on d.id = k.id) p on true
    order by p.id ${direction(order)}`;
}

function total(source: Source, range: IdRange): RawBuilder<unknown> {
  const { counted } = source;
  if (counted) {
    if (!range.from && !range.to) return counter(counted);
    const high = range.to ? rankUpTo(source, counted, range.to) : counter(counted);
    const low = range.from ? rankBefore(source, counted, range.from) : sql`0`;
    return sql`greatest(0, ${high} - ${low})`;
  }
  const bounds = [range.from && sql`c.id >= ${range.from}`, range.to && sql`c.id <= ${range.to}`].filter(
    (bound) => bound !== undefined,
  );
  const where = bounds.length > 0 ? sql`where ${sql.join(bounds, sql` and `)}` : sql``;
  return sql`(select count(*) from (${source.ids}) c ${where})`;
}

function counter({ collection, key }: CollectionKey): RawBuilder<unknown> {
  return sql`coalesce((select count from counters where collection = ${collection} and key = ${key}), 0)`;
}

/** How many entries of the list have an id below `id`: the milestone at or below it, and the few entries from there. */
function rankBefore(source: Source, { collection, key }: CollectionKey, id: Buffer): RawBuilder<unknown> {
  return sql`(
    select coalesce(m.ordinal - 1, 0)
      + (select count(*) from (${source.ids}) r where r.id >= coalesce(m.id, ${FIRST_ID}) and r.id < ${id})
    from (select 1) one
    left join lateral (
      select ordinal, id from milestones
      where collection = ${collection} and key = ${key} and id <= ${id} order by id desc limit 1) m on true)`;
}

/** How many entries have an id up to and including `id`: one byte more than an id sorts right behind it. */
function rankUpTo(source: Source, counted: CollectionKey, id: Buffer): RawBuilder<unknown> {
  return rankBefore(source, counted, Buffer.concat([id, Buffer.alloc(1)]));
}

function direction(order: Order): RawBuilder<unknown> {
  return order === "asc" ? sql`asc` : sql`desc`;
}
