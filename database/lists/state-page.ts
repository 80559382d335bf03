import { sql } from "kysely";
import type { Columns } from "../binary/rows.js";
import { type Bodies, joinedBlock, rowsWith, selected } from "../bodies/bodies.js";
import type { Database, Db } from "../database.js";
import { type BoundArguments, ListValue, Statement } from "../statement.js";
import { idKey, NO_KEY, smallKey } from "./collections.js";
import type { PageRequest } from "./list.js";
import { type Entry, Lists, type Page } from "./page.js";
import type { Selected } from "./page-statement.js";

/** Addresses and hashes, ids, or small numbers. */
type Value = Buffer | bigint | number;

/** The values of conditions by their names; all given ones must match. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** A list of state entries in the order of their ids. */
interface StateList {
  readonly table: keyof Database;
  readonly bodies: Bodies;
  /** Number of the collection of the whole table, if its entries are counted. */
  readonly all: number | undefined;
  /** By the name in the filter: a column, and the collection with a list for each value, if their entries are counted. */
  readonly lists: readonly { readonly name: string; readonly column: string; readonly counted: number | undefined }[];
}

/**
 * One page of a list of state, with its exact total, in one statement and so from one snapshot. Lists by one
 * condition cost the same at any depth; for several conditions, entries are counted and walked over an index.
 */
export async function readStatePage(
  db: Db,
  { table, bodies, all, lists }: StateList,
  filter: Values,
  request: PageRequest,
): Promise<Page<Entry>> {
  const given = lists.flatMap(({ name, column, counted }) => {
    const value = filter[name];
    if (value === undefined) return [];
    const key = typeof value === "bigint" ? idKey(value) : typeof value === "number" ? smallKey(value) : value;
    return [{ column, value: typeof value === "number" ? value : key, key, counted }];
  });
  const [only, ...others] = given;
  const { key, counted: collection } = only
    ? others.length === 0
      ? only
      : { ...only, counted: undefined }
    : { key: NO_KEY, counted: all };
  const args = {
    counted: collection === undefined ? undefined : { collection, key },
    conditions: given.map(({ column, value }) => ({ column, value })),
  };
  const pages = cached(bodies, table, () => new Lists<Given>({ table, bodies }, (shown) => selectionOf(table, shown)));
  return pages.readPage(db, args, request);
}

/** The conditions of a list, and what counts the entries. */
interface Given {
  readonly counted: { readonly collection: number; readonly key: Buffer } | undefined;
  readonly conditions: readonly { readonly column: string; readonly value: Buffer | number }[];
}

function selectionOf(table: keyof Database, { counted, conditions }: BoundArguments<Given>): Selected {
  const rules = conditions.map(({ column, value }) => sql`${sql.ref(column)} = ${value}`);
  const where = rules.length > 0 ? sql`where ${sql.join(rules, sql` and `)}` : sql``;
  const ids = sql`select id from ${sql.table(table)} ${where}`;
  return counted ? { lists: [{ ...counted, ids, hasBuckets: true }] } : { ids };
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
  const statement = cached(bodies, `${table}.${column}`, () => lookUp(table, column, bodies));
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
        select ${found} from unnest(${all}::bytea[]) with ordinality requested (value, position)
        join ${sql.table(table)} d on ${sql.ref(`d.${column}`)} = requested.value ${joinedBlock(bodies)}
        order by requested.position`,
  );
}

/** What was built for bodies, by a name. */
const all = new WeakMap<Bodies, Map<string, unknown>>();

function cached<Built>(bodies: Bodies, name: string, build: () => Built): Built {
  const known = all.get(bodies) ?? new Map<string, unknown>();
  all.set(bodies, known);
  if (!known.has(name)) known.set(name, build());
  return known.get(name) as Built;
}

function distinct(values: readonly Buffer[]): Iterable<Buffer> {
  return new Map(values.map((value) => [value.toString("latin1"), value])).values();
}
