import { type Bodies, type Entry, recordOf } from "../bodies/bodies.js";
import type { Database, Db } from "../database.js";
import { integerAt } from "../rows.js";
import { type Sql, sql } from "../sql.js";
import { MILESTONE_STEP } from "./collections.js";
import { ascending, Column, descending, EntryPage, entriesOfRows, type Page, type Pagination } from "./entry-page.js";
import type { IdForm } from "./id-form.js";
import type { CountedList, IdRange, Order, PageRequest, Selection } from "./list.js";
import { readRows, readTogether } from "./operation-db.js";
import { edgeRank, milestoneBefore, rankBefore, rankUpTo, totalOf } from "./rank.js";

/** Maximum number of entries per page in all interfaces. */
export const MAX_PAGE_SIZE = 100;

/** Entries up to the end of a page that is found by a milestone at most, as a power of two. */
const MOST_OF_A_PAGE = 256;

export type { Entry } from "../bodies/bodies.js";
export type { Page, Pagination } from "./entry-page.js";

/** The entries of a table that match a condition. */
export function entriesOf(table: keyof Database, form: IdForm, { columns }: Bodies, where?: Sql): Required<Selection> {
  const rest = where ? sql`${sql.table(table)} where ${where}` : sql.table(table);
  const id = sql`${sql.ref(form.column)} as id`;
  return { ids: sql`select ${id} from ${rest}`, entries: sql`select ${id}, ${listed(columns)} from ${rest}` };
}

/** Lists of columns, by their texts. */
const columnLists = new WeakMap<readonly string[], Map<string | undefined, Sql>>();

function listed(columns: readonly string[], of?: string): Sql {
  const known = columnLists.get(columns) ?? new Map<string | undefined, Sql>();
  columnLists.set(columns, known);
  const list =
    known.get(of) ?? sql.raw(sql.join(columns.map((column) => sql.ref(of ? `${of}.${column}` : column))).text);
  known.set(of, list);
  return list;
}

/** A list of entries in the order of their ids. */
export type Source<Item extends Entry = Entry> = {
  /** Table of the entries. */
  readonly table: keyof Database;
  readonly idForm: IdForm;
  readonly bodies: Bodies<Item>;
} & (
  | {
      /** Disjoint lists whose union is the requested one. */
      readonly lists: readonly CountedList[];
    }
  /** Not covered by counters: counted over its index; `walks` are its parts if it is a union, each over one index. */
  | (Selection & { readonly walks?: readonly Sql[] })
);

/**
 * One page of a list, its entries and its exact total, in one statement and so from one snapshot.
 *
 * Cases, by the number of entries before the page (after the offset or the end of the range, in the requested order):
 * - at most MILESTONE_STEP, or the list is not counted: the index is walked from there;
 * - more: the page's ordinals are computed, and the index is walked from a milestone (or the start of a span) below
 * them. The total is a counter; within a range it is the difference of two ranks, each found by a milestone.
 */
export async function readPage<Item extends Entry>(
  db: Db,
  source: Source<Item>,
  request: PageRequest,
  range: IdRange = {},
): Promise<Page<Item>> {
  const skip = (request.pageNumber - 1) * request.pageSize;
  const query =
    "ids" in source || skip <= MILESTONE_STEP
      ? walkFromEnd(source, request, range, skip)
      : walkFromMilestone(source, source.lists, request, range, skip);
  const statement = "ids" in source ? query : planned(query, source.lists);
  const columns = `page of ${source.bodies.type}`;
  const isAscending = request.order === "asc";
  const rows = await readTogether(db, { columns, compare: isAscending ? ascending : descending }, statement);
  const totalRow = isAscending ? rows.length - 1 : 0;
  const total = integerAt(rows.bytes(totalRow), rows.start(totalRow, Column.total)) ?? 0;
  const first = isAscending ? 0 : 1;
  return new EntryPage(rows, { first, end: first + rows.length - 1 }, source, describePage(request, total));
}

/** Entries after an offset, in the requested order. */
export interface RunRequest {
  /** Maximum number of entries. */
  readonly first: number;
  readonly order: Order;
  /** 12 bytes. */
  readonly offset?: Buffer | undefined;
}

/** Entries of a list without its total: the next ones cost the same at any depth, so that a whole list can be read. */
export async function readRun<Item extends Entry>(
  db: Db,
  source: Source<Item>,
  request: RunRequest,
  range: IdRange = {},
): Promise<readonly Item[]> {
  const { first, order } = request;
  const { idForm } = source;
  const where = whereAll([...conditionsOfRange(idForm, range), afterOffset(idForm, request)]);
  const entries = entriesOfLists(source, walksOf(source), where, order, atMost(first), {
    count: sql`${first}::int8`,
    skip: sql`0`,
  });
  const statement = sql`select null::int8 as total, p.id, p.record from (${entries}) p order by p.id ${direction(order)}`;
  const rows = await readRows(db, "ids" in source ? statement : planned(statement, source.lists));
  return entriesOfRows(rows, { first: 0, end: rows.length }, source);
}

/** The parts of a list, each of which is walked over its own index. */
function walksOf(source: Source): readonly Selection[] {
  if ("lists" in source) return source.lists;
  return source.walks?.map((ids) => ({ ids })) ?? [source];
}

function conditionsOfRange({ from, after }: IdForm, range: IdRange): (Sql | undefined)[] {
  return [range.from && sql`s.id >= ${from(range.from)}`, range.to && sql`s.id < ${after(range.to)}`];
}

function afterOffset(
  { from, after }: IdForm,
  { offset, order }: Pick<PageRequest, "offset" | "order">,
): Sql | undefined {
  return offset && (order === "asc" ? sql`s.id >= ${after(offset)}` : sql`s.id < ${from(offset)}`);
}

/** The pagination fields of a list of `totalEntries`. */
export function describePage(request: PageRequest, totalEntries: number): Pagination {
  const { pageNumber, pageSize } = request;
  return { pageNumber, pageSize, totalEntries, totalPages: Math.ceil(totalEntries / pageSize) };
}

function walkFromEnd(source: Source, request: PageRequest, range: IdRange, skip: number): Sql {
  const { order, pageSize } = request;
  const inRange = conditionsOfRange(source.idForm, range);
  const where = whereAll([...inRange, afterOffset(source.idForm, request)]);
  const most = atMost("ids" in source ? skip + pageSize : MILESTONE_STEP + Math.max(pageSize, MAX_PAGE_SIZE));
  const entries = entriesOfLists(source, walksOf(source), where, order, most, {
    count: sql`${pageSize}::int8`,
    skip: sql`${skip}::int8`,
  });
  const total =
    "ids" in source
      ? sql`(select count(*) from (${source.ids}) s ${whereAll(inRange)})`
      : totalOf(source.lists, source.idForm, range);
  return rowsWithTotal(source, total, entries, order);
}

/**
 * The statement with values that the planner does not see. A plan for a page of 10, or for the end of a list, looks cheaper
 * to it than one for all pages, so that it would plan each page anew, which takes longer than reading it. Keys of the
 * chain's lists are seen: each finds one row.
 */
function planned(statement: Sql, lists: readonly CountedList[]): Sql {
  return statement.withUnseen(lists.some(({ hasSpans }) => hasSpans) ? "all" : "numbers");
}

/** Enough for this number of entries. It is part of the text, so that the planner knows how few they are. */
function atMost(entries: number): Sql {
  return sql.lit(Math.max(MOST_OF_A_PAGE, 2 ** Math.ceil(Math.log2(entries))));
}

/**
 * The page's entries have the ordinals `first` to `last` of the (joined) list in ascending order. The walk begins at
 * `anchor`, an id with slightly fewer than `first` entries before it.
 */
function walkFromMilestone(
  source: Listed,
  lists: readonly CountedList[],
  request: PageRequest,
  range: IdRange,
  skip: number,
): Sql {
  const { order, pageSize } = request;
  const { idForm } = source;
  const low = range.from ? rankBefore(lists, idForm, idForm.from(range.from)) : sql`0::int8`;
  const high = range.to ? rankUpTo(lists, idForm, range.to) : totalOf(lists, idForm, {});
  const where = sql`where s.id >= (select id from anchor)`;
  const most = sql`(select greatest(0, last - before) from span, anchor)`;
  const entries = entriesOfLists(source, lists, where, "asc", most, {
    count: sql`(select greatest(0, last - first + 1) from span)`,
    skip: sql`(select greatest(0, first - 1 - before) from span, anchor)`,
  });
  return sql`
    with recursive bounds as materialized (select ${low} as low, ${high} as high, ${edgeRank(lists, idForm, request)} as edge),
      span as materialized (${ordinalsOfPage(order, skip, pageSize)}),
      ${milestoneBefore(lists, idForm)}
    ${rowsWithTotal(source, sql`(select greatest(0, high - low) from bounds)`, entries, order)}`;
}

/** First and last ordinal of the page, from the bounds of the range (`low` entries before it, `high` up to its end) and the offset's rank. */
function ordinalsOfPage(order: Order, skip: number, pageSize: number): Sql {
  return order === "asc"
    ? sql`select start + ${skip}::int8 + 1 as first, least(high, start + ${skip}::int8 + ${pageSize}::int8) as last
          from (select high, greatest(low, coalesce(edge, low)) as start from bounds) b`
    : sql`select greatest(low, start - ${skip}::int8 - ${pageSize}::int8) + 1 as first, start - ${skip}::int8 as last
          from (select low, least(high, coalesce(edge, high)) as start from bounds) b`;
}

/**
 * The total is a separate row, so that it is present on an empty page too. It is merged with entries that are already
 * in order: as a column beside each of them, it would cause another sort.
 */
function rowsWithTotal({ idForm: { none }, bodies }: Listed, total: Sql, entries: Sql, order: Order): Sql {
  return sql`
    select r.total, r.id, r.record
    from (
      select (${total})::int8 as total, ${none} as id, null::${sql.raw(bodies.type)} as record
      union all
      (select null, p.id, p.record from (${entries}) p)) r
    order by r.id ${direction(order)} ${order === "asc" ? sql`nulls last` : sql`nulls first`}`;
}

/** Where the entries of a page are read. */
type Listed = Pick<Source, "table" | "bodies" | "idForm">;

/** The entries of a walk that belong to the page: `count` of them after the first `skip`. */
interface Slice {
  readonly count: Sql;
  readonly skip: Sql;
}

/** A slice of the entries of all lists in order, at most `most` of each, so that each is walked over its own index. */
function entriesOfLists(
  { table, idForm, bodies }: Listed,
  lists: readonly Selection[],
  where: Sql,
  order: Order,
  most: Sql,
  { count, skip }: Slice,
): Sql {
  const ordered = (alias: string) => sql`order by ${sql.ref(alias)}.id ${direction(order)}`;
  const [only, ...others] = lists;
  if (only?.entries && others.length === 0) {
    const walk = sql`select s.id, ${listed(bodies.columns, "s")} from (${only.entries}) s ${where} ${ordered("s")} limit ${most}`;
    const page = sql`select w.id, ${listed(bodies.columns, "w")} from (${walk}) w ${ordered("w")} limit ${count} offset ${skip}`;
    // Records are read for the entries of the page alone, not for those before them.
    return sql`select d.id, ${recordOf(bodies.record)} as record from (${page}) d`;
  }
  const walks = lists.map(({ ids }) => sql`(select s.id from (${ids}) s ${where} ${ordered("s")} limit ${most})`);
  const ids = sql`select j.id from (${sql.join(walks, " union all ")}) j ${ordered("j")} limit ${count} offset ${skip}`;
  const id = sql`d.${sql.ref(idForm.column)}`;
  // One scan of the index for all ids. A join, or a look-up for each of them, would descend in it from its root each time.
  return sql`select ${id} as id, ${recordOf(bodies.record)} as record
    from ${sql.table(table)} d where ${id} = any(array(${ids})) order by ${id} ${direction(order)}`;
}

function whereAll(conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length > 0 ? sql`where ${sql.join(given, " and ")}` : sql``;
}

function direction(order: Order): Sql {
  return order === "asc" ? sql`asc` : sql`desc`;
}
