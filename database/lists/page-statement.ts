import { sql } from "kysely";
import { type Bodies, joinedBlock, selected } from "../bodies/bodies.js";
import { type StoredId, storedId } from "../bodies/id-form.js";
import type { Database } from "../database.js";
import type { BoundArguments } from "../statement.js";
import type { Sql } from "../tables/embedded-flag.js";
import type { CountedList, Order, Selection } from "./list.js";
import { type Bounds, rankBefore, skipPointerBefore, totalOf } from "./rank.js";

/*
 * The texts of pages. What varies between requests is in arguments, of which these functions see the places only: see
 * `Statement`.
 */

/** A table with entries, and how their bodies are read. */
export interface EntryTable {
  readonly table: keyof Database;
  readonly bodies: Bodies;
}

/** Which entries of a table are in a list. */
export type Selected =
  | {
      /** Disjoint lists whose union is the requested one. */
      readonly lists: readonly CountedList[];
    }
  /** Not covered by counters: counted over its index; `walks` are its parts if it is a union, each over one index. */
  | (Selection & { readonly walks?: readonly Sql[]; readonly lists?: never });

/** What a part of a list depends on. */
export interface RunArguments<Filter> {
  readonly filter: Filter;
  readonly order: Order;
  /** Maximum number of entries. */
  readonly count: number;
  /** A number that is not less than that and the skipped ones, so that the planner knows how few they are: as text. */
  readonly limit: string;
  /** Entries between: the first, and the one after the last. */
  readonly low?: StoredId | undefined;
  readonly high?: StoredId | undefined;
  /** Entries begin with this one (ascending), or before it. */
  readonly edge?: StoredId | undefined;
}

/** What a page of a list depends on. */
export interface PageArguments<Filter> extends RunArguments<Filter> {
  /** Entries before the page. */
  readonly skip: number;
  /** Whether a counted list is walked from a skip pointer: more entries than between two of them are skipped. */
  readonly isFar: boolean;
}

/** The entries of a table that match a condition. */
export function entriesOf({ table, bodies }: EntryTable, where?: Sql): Required<Selection> {
  const rest = where ? sql`${sql.table(table)} where ${where}` : sql.table(table);
  const id = sql`${sql.ref(bodies.ids.column)} as id`;
  return { ids: sql`select ${id} from ${rest}`, entries: sql`select ${id}, ${listed(bodies)} from ${rest}` };
}

/** The columns of the table that bodies are read from. */
function listed({ stored }: Bodies, of?: string): Sql {
  return sql.join(stored.map((column) => sql.ref(of ? `${of}.${column}` : column)));
}

/** Entries from an edge on, without a total. */
export function statementOfRun(of: EntryTable, selection: Selected, args: BoundArguments<RunArguments<unknown>>): Sql {
  const { order, count, limit } = args;
  const where = whereAll([...makeConditions(makeBounds(of, args)), afterEdge(of, args)]);
  const slice = { count: sql`${count}::int8`, skip: sql`0` };
  const entries = entriesOfLists(of, listWalks(selection), where, order, sql.raw(limit), slice);
  return sql`select ${namesOf(of, "p")} from (${entries}) p order by p.id ${direction(order)}`;
}

/** A page with its total. */
export function statementOfPage(
  of: EntryTable,
  selection: Selected,
  args: BoundArguments<PageArguments<unknown>>,
): Sql {
  return selection.lists && args.isFar
    ? walkFromSkipPointer(of, selection.lists, args)
    : walkFromEnd(of, selection, args);
}

function walkFromEnd(of: EntryTable, selection: Selected, args: BoundArguments<PageArguments<unknown>>): Sql {
  const { order, count, skip, limit } = args;
  const bounds = makeBounds(of, args);
  const inRange = makeConditions(bounds);
  const where = whereAll([...inRange, afterEdge(of, args)]);
  const slice = { count: sql`${count}::int8`, skip: sql`${skip}::int8` };
  const entries = entriesOfLists(of, listWalks(selection), where, order, sql.raw(limit), slice);
  const total = selection.lists
    ? totalOf(selection.lists, of.bodies.ids, bounds)
    : sql`(select count(*) from (${selection.ids}) s ${whereAll(inRange)})`;
  return rowsWithTotal(of, total, entries, order);
}

/**
 * The page's entries have the ordinals `first` to `last` of the (joined) list in ascending order. The walk begins at
 * `anchor`, an id with slightly fewer than `first` entries before it.
 */
function walkFromSkipPointer(
  of: EntryTable,
  lists: readonly CountedList[],
  args: BoundArguments<PageArguments<unknown>>,
): Sql {
  const { order } = args;
  const { ids } = of.bodies;
  const bounds = makeBounds(of, args);
  const low = bounds.low ? rankBefore(lists, ids, bounds.low) : sql`0::int8`;
  const high = bounds.high ? rankBefore(lists, ids, bounds.high) : totalOf(lists, ids, {});
  const edge = args.edge ? rankBefore(lists, ids, storedId(ids, args.edge)) : sql`null::int8`;
  const where = sql`where s.id >= (select id from anchor)`;
  const limit = sql`(select greatest(0, last - before) from wanted, anchor)`;
  const entries = entriesOfLists(of, lists, where, "asc", limit, {
    count: sql`(select greatest(0, last - first + 1) from wanted)`,
    skip: sql`(select greatest(0, first - 1 - before) from wanted, anchor)`,
  });
  return sql`
    with recursive bounds as materialized (select ${low} as low, ${high} as high, ${edge} as edge),
      wanted as materialized (${ordinalsOfPage(args)}),
      ${skipPointerBefore(lists, ids)}
    ${rowsWithTotal(of, sql`(select greatest(0, high - low) from bounds)`, entries, order)}`;
}

/** First and last ordinal of the page, from the bounds of the range (`low` entries before it, `high` up to its end) and the edge's rank. */
function ordinalsOfPage({ order, skip, count }: BoundArguments<PageArguments<unknown>>): Sql {
  return order === "asc"
    ? sql`select start + ${skip}::int8 + 1 as first, least(high, start + ${skip}::int8 + ${count}::int8) as last
          from (select high, greatest(low, coalesce(edge, low)) as start from bounds) b`
    : sql`select greatest(low, start - ${skip}::int8 - ${count}::int8) + 1 as first, start - ${skip}::int8 as last
          from (select low, least(high, coalesce(edge, high)) as start from bounds) b`;
}

/**
 * The total is a separate row, so that it is present on an empty page too. It is merged with entries that are already
 * in order: as a column beside each of them, it would cause another sort.
 */
function rowsWithTotal(of: EntryTable, total: Sql, entries: Sql, order: Order): Sql {
  const { ids, columns } = of.bodies;
  const none = Object.entries({ id: ids.type, ...columns }).map(
    ([name, type]) => sql`null::${sql.raw(type.sql)} as ${sql.ref(name)}`,
  );
  return sql`
    select r.total, ${namesOf(of, "r")} from (
      select (${total})::int8 as total, ${sql.join(none)}
      union all
      (select null, ${namesOf(of, "p")} from (${entries}) p)) r
    order by r.id ${direction(order)} ${order === "asc" ? sql`nulls last` : sql`nulls first`}`;
}

/** The columns of a row. Statements that are prepared name them. */
function namesOf({ bodies }: EntryTable, of: string): Sql {
  return sql.join(["id", ...Object.keys(bodies.columns)].map((name) => sql.ref(`${of}.${name}`)));
}

/** The parts of a list, each of which is walked over its own index. */
function listWalks(selection: Selected): readonly Selection[] {
  return selection.lists ?? selection.walks?.map((ids) => ({ ids })) ?? [selection];
}

function makeBounds({ bodies: { ids } }: EntryTable, { low, high }: BoundArguments<RunArguments<unknown>>): Bounds {
  return { low: low && storedId(ids, low), high: high && storedId(ids, high) };
}

function makeConditions({ low, high }: Bounds): (Sql | undefined)[] {
  return [low && sql`s.id >= ${low}`, high && sql`s.id < ${high}`];
}

function afterEdge(
  { bodies: { ids } }: EntryTable,
  { edge, order }: BoundArguments<RunArguments<unknown>>,
): Sql | undefined {
  return edge && (order === "asc" ? sql`s.id >= ${storedId(ids, edge)}` : sql`s.id < ${storedId(ids, edge)}`);
}

/** The entries of a walk that belong to the page: `count` of them after the first `skip`. */
interface Slice {
  readonly count: Sql;
  readonly skip: Sql;
}

/** A slice of the entries of all lists in order, at most `limit` of each, so that each is walked over its own index. */
function entriesOfLists(
  { table, bodies }: EntryTable,
  lists: readonly Selection[],
  where: Sql,
  order: Order,
  limit: Sql,
  { count, skip }: Slice,
): Sql {
  const ordered = (alias: string) => sql`order by ${sql.ref(`${alias}.id`)} ${direction(order)}`;
  const [only, ...others] = lists;
  if (only?.entries && others.length === 0) {
    const walk = sql`select s.id, ${listed(bodies, "s")} from (${only.entries}) s ${where} ${ordered("s")} limit ${limit}`;
    const page = sql`select w.id, ${listed(bodies, "w")} from (${walk}) w ${ordered("w")} limit ${count} offset ${skip}`;
    // Bodies are read for the entries of the page alone, not for those before them.
    return sql`select ${selected(bodies, sql`d.id`)} from (${page}) d ${joinedBlock(bodies)}`;
  }
  const walks = lists.map(({ ids }) => sql`(select s.id from (${ids}) s ${where} ${ordered("s")} limit ${limit})`);
  const joined = sql.join(walks, sql` union all `);
  const ids = sql`select j.id from (${joined}) j ${ordered("j")} limit ${count} offset ${skip}`;
  const id = sql.ref(`d.${bodies.ids.column}`);
  // One scan of the index for all ids. A join, or a look-up for each of them, would descend in it from its root each time.
  return sql`select ${selected(bodies, id)}
    from ${sql.table(table)} d ${joinedBlock(bodies)} where ${id} = any(array(${ids})) order by ${id} ${direction(order)}`;
}

function whereAll(conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length > 0 ? sql`where ${sql.join(given, sql` and `)}` : sql``;
}

/** The order of entries in SQL. */
export function direction(order: Order): Sql {
  return order === "asc" ? sql`asc` : sql`desc`;
}
