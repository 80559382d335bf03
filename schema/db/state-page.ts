import { type RawBuilder, sql } from "kysely";
import { type Collection, NO_KEY } from "./collections.js";
import type { Database, Db } from "./database.js";
import { describePage, type Entry, type Page, type PageRequest } from "./page.js";

/** One condition of a search: a column, what it must equal, and the counter that covers it, if there is one. */
export interface StateCondition {
  readonly column: string;
  readonly value: Buffer | number;
  readonly counted?: { readonly collection: Collection; readonly key: Buffer };
}

/** A list of state entries in the order of their ids. */
export interface StateList {
  readonly table: keyof Database;
  /** Counter of the whole table. */
  readonly collection: Collection;
  /** All must hold; an index that begins with the column and ends in the id is there for each. */
  readonly conditions: readonly StateCondition[];
  /** The REST body, when it is not just `d.document`: an expression over the row `d`. */
  readonly document?: RawBuilder<unknown>;
}

/**
 * One page of a list of state, with its exact total, in one statement and so of one moment. The total is a counter; where
 * several conditions are given, it is counted over an index. The page is found by walking an index.
 */
export async function readStatePage(db: Db, list: StateList, request: PageRequest): Promise<Page<Entry>> {
  const { order, offset, pageSize, pageNumber } = request;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const conditions = list.conditions.map(({ column, value }) => sql`s.${sql.ref(column)} = ${value}`);
  const behindOffset = offset && (order === "asc" ? sql`s.id > ${offset}` : sql`s.id < ${offset}`);
  const ids = sql`
    select s.id from ${sql.table(list.table)} s ${whereAll([...conditions, behindOffset])}
    order by s.id ${direction} limit ${sql.lit(pageSize)} offset ${sql.lit((pageNumber - 1) * pageSize)}`;
  const { rows } = await sql<StatePageRow>`
    select t.total, p.id, p.document
    from (select ${totalOf(list, conditions)} as total) t
    left join (
      select d.id, ${list.document ?? sql`d.document`} as document
      from (${ids}) k join ${sql.table(list.table)} d on d.id = k.id) p on true
    order by p.id ${direction}`.execute(db);
  return stateEntriesPage(request, rows);
}

/** A row of a page: the total is in each, so that it is there on an empty page too. */
export interface StatePageRow {
  readonly total: number;
  readonly id: Buffer | null;
  readonly document: string | null;
}

/** The page that rows of `StatePageRow` make. */
export function stateEntriesPage(request: PageRequest, rows: readonly StatePageRow[]): Page<Entry> {
  const data = rows.flatMap(({ id, document }) => (id === null || document === null ? [] : [{ id, document }]));
  return { data, pagination: describePage(request, Number(rows[0]?.total ?? 0)) };
}

/** The counter of a list as an expression. */
export function counterOf(collection: Collection, key: Buffer): RawBuilder<unknown> {
  return sql`coalesce((select count from counters where collection = ${collection} and key = ${key}), 0)`;
}

function totalOf(list: StateList, conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  if (conditions.length === 0) return counterOf(list.collection, NO_KEY);
  const counted = list.conditions.length === 1 ? list.conditions[0]?.counted : undefined;
  if (counted) return counterOf(counted.collection, counted.key);
  return sql`(select count(*) from ${sql.table(list.table)} s ${whereAll(conditions)})`;
}

function whereAll(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length > 0 ? sql`where ${sql.join(given, sql` and `)}` : sql``;
}

/** Entries whose `column` is one of `values`, each once, in the order of `values`; `document` as in `StateList`. */
export async function findStateEntries(
  db: Db,
  table: keyof Database,
  column: string,
  values: readonly Buffer[],
  document: RawBuilder<unknown> = sql`d.document`,
): Promise<Entry[]> {
  if (values.length === 0) return [];
  const distinct = new Map(values.map((value) => [value.toString("latin1"), value]));
  const { rows } = await sql<Entry>`
    select d.id, ${document} as document
    from unnest(${[...distinct.values()]}::bytea[]) with ordinality asked (value, place)
    join ${sql.table(table)} d on d.${sql.ref(column)} = asked.value
    order by asked.place`.execute(db);
  return rows;
}
