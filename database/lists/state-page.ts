import { sql } from "kysely";
import type { Columns } from "../binary/rows.js";
import { type Bodies, joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import type { Database, Db } from "../database.js";
import { ListValue, type Placed, Statement } from "../statement.js";
import { idKey, NO_KEY, smallKey } from "./collections.js";
import type { PageRequest } from "./list.js";
import { type Entry, Lists, type Page } from "./page.js";
import type { Selected } from "./page-statement.js";

/** Addresses and hashes, ids, or small numbers. */
type Value = Buffer | bigint | number;

declare const VALUE: unique symbol;

/** One condition of a search. */
export interface Condition<V extends Value> {
  /** The column that has to have the value. */
  readonly column: string;
  /** Number of the collection that has a list for each value, if their entries are counted; a row with null is in none. */
  readonly counted?: number | undefined;
  /** Whether it has numbers below 256. */
  readonly isSmall?: boolean;
  readonly [VALUE]?: V;
}

export const bytesIn = (column: string, counted?: number): Condition<Buffer> => ({ column, counted });
export const idIn = (column: string, counted?: number): Condition<bigint> => ({ column, counted });
export const numberIn = (column: string, counted?: number): Condition<number> => ({ column, counted, isSmall: true });

/** By the name in the filter. Each has an index that begins with the column and ends in the id. */
export type Conditions = Readonly<Record<string, Condition<Value>>>;

/** The values of conditions; all given ones must match. */
export type FilterOf<C extends Conditions> = {
  readonly [Name in keyof C]?: (C[Name] extends Condition<infer V> ? V : never) | undefined;
};

/** A list of state entries in the order of their ids. */
export interface StateList<C extends Conditions> {
  readonly table: keyof Database;
  /** Number of the collection of the whole table. */
  readonly collection: number;
  readonly conditions: C;
  readonly bodies: Bodies;
}

/**
 * One page of a list of state, with its exact total, in one statement and so from one snapshot. Lists by one
 * condition cost the same at any depth; for several conditions, entries are counted and walked over an index.
 */
export async function readStatePage<C extends Conditions>(
  db: Db,
  list: StateList<C>,
  filter: FilterOf<C>,
  request: PageRequest,
): Promise<Page<Entry>> {
  const { table, collection, bodies } = list;
  const conditions = conditionsOf(list, filter);
  const [only, ...others] = conditions;
  const counted = only ? (others.length === 0 ? only.counted : undefined) : { collection, key: NO_KEY };
  const given = { counted, conditions: conditions.map(({ column, value }) => ({ column, value })) };
  const lists = kept(bodies, table, () => new Lists<Given>({ table, bodies }, (shown) => selectionOf(table, shown)));
  return lists.readPage(db, given, request);
}

/** The conditions that are given, with the stored form of their values. */
function conditionsOf<C extends Conditions>({ conditions }: StateList<C>, filter: FilterOf<C>) {
  return Object.entries(conditions).flatMap(([name, { column, counted: collection }]) => {
    const value: Value | undefined = filter[name];
    if (value === undefined) return [];
    const key = typeof value === "bigint" ? idKey(value) : typeof value === "number" ? smallKey(value) : value;
    const counted = collection === undefined ? undefined : { collection, key };
    return [{ column, value: typeof value === "number" ? value : key, counted }];
  });
}

/** The conditions of a list, and what counts the entries. */
interface Given {
  readonly counted: { readonly collection: number; readonly key: Buffer } | undefined;
  readonly conditions: readonly { readonly column: string; readonly value: Buffer | number }[];
}

function selectionOf(table: keyof Database, { counted, conditions }: Placed<Given>): Selected {
  const rules = conditions.map(({ column, value }) => sql`${sql.ref(column)} = ${value}`);
  const where = rules.length > 0 ? sql`where ${sql.join(rules, sql` and `)}` : sql``;
  const ids = sql`select id from ${sql.table(table)} ${where}`;
  return counted ? { lists: [{ ...counted, ids, hasSpans: true }] } : { ids };
}

/** Entries whose `column` is one of `values`, without duplicates, in the order of `values`. */
export async function findStateEntries(
  db: Db,
  table: keyof Database,
  column: string,
  values: readonly Buffer[],
  bodies: Bodies,
): Promise<Entry[]> {
  if (values.length === 0) return [];
  // By far the most frequent case; a list of one costs three times as much.
  const [only, ...others] = values as readonly [Buffer, ...Buffer[]];
  const searched = others.length === 0 ? { only } : { all: new ListValue([...distinct(values)]) };
  const statement = kept(bodies, `${table}.${column}`, () => lookUp(table, column, bodies));
  const rows = await statement.read(db, searched);
  return rows.map((row) => bodies.entry(row));
}

/** A value, or several. */
interface Searched {
  readonly only?: Buffer;
  readonly all?: ListValue;
}

/** Finds entries by values of a column. */
function lookUp(table: keyof Database, column: string, bodies: Bodies): Statement<Searched, Columns> {
  const found = selected(bodies, sql`d.id`);
  return new Statement<Searched, Columns>(rowsWith(bodies, {}), ({ only, all }) =>
    only
      ? sql`select ${found} from ${sql.table(table)} d ${joinedBlock(bodies)} where ${sql.ref(`d.${column}`)} = ${only}`
      : sql`
        select ${found} from unnest(${all}::bytea[]) with ordinality requested (value, place)
        join ${sql.table(table)} d on ${sql.ref(`d.${column}`)} = requested.value ${joinedBlock(bodies)}
        order by requested.place`,
  );
}

/** What was built for bodies, by a name. */
const all = new WeakMap<Bodies, Map<string, unknown>>();

function kept<Built>(bodies: Bodies, name: string, build: () => Built): Built {
  const known = all.get(bodies) ?? new Map<string, unknown>();
  all.set(bodies, known);
  if (!known.has(name)) known.set(name, build());
  return known.get(name) as Built;
}

function distinct(values: readonly Buffer[]): Iterable<Buffer> {
  return new Map(values.map((value) => [value.toString("latin1"), value])).values();
}
