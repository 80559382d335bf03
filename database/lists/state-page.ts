import { type Bodies, recordOf, STORED_BODIES } from "../bodies/bodies.js";
import type { Database, Db } from "../database.js";
import { nextStart } from "../rows.js";
import { type Sql, sql } from "../sql.js";
import { type Collection, idKey, NO_KEY, smallKey } from "./collections.js";
import { BYTE_IDS } from "./id-form.js";
import type { PageRequest } from "./list.js";
import { readRows } from "./operation-db.js";
import { type Entry, type Page, readPage } from "./page.js";

/** One condition of a search: the column that has to have the value, and the list whose entries are counted, if any. */
interface StateCondition {
  readonly column: string;
  readonly counted?: Collection;
}

/** A list of state entries in the order of their ids. */
export interface StateList<Filter> {
  readonly table: keyof Database;
  /** Counter of the whole table. */
  readonly collection: Collection;
  /** By the name in the filter. Each has an index that begins with the column and ends in the id. */
  readonly conditions: { readonly [Name in keyof Filter]-?: StateCondition };
  /** The REST bodies; default: the column `document`. */
  readonly bodies?: Bodies;
}

/**
 * One page of a list of state, with its exact total, in one statement and so from one snapshot. Lists by one
 * condition cost the same at any depth; for several conditions, entries are counted and walked over an index.
 */
export async function readStatePage<Filter extends StateFilter<Filter>>(
  db: Db,
  list: StateList<Filter>,
  filter: Filter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const { table, collection, bodies = STORED_BODIES } = list;
  const conditions = conditionsOf(list, filter);
  const rules = conditions.map(({ column, value }) => sql`${sql.ref(column)} = ${value}`);
  const where = rules.length > 0 ? sql`where ${sql.join(rules, " and ")}` : sql``;
  const ids = sql`select id from ${sql.table(table)} ${where}`;
  const source = { table, idForm: BYTE_IDS, bodies };
  const [only, ...others] = conditions;
  const counted = only ? (others.length === 0 ? only.counted : undefined) : { collection, key: NO_KEY };
  return readPage(
    db,
    counted ? { ...source, lists: [{ ...counted, ids, hasSpans: true }] } : { ...source, ids },
    request,
  );
}

/** Addresses and hashes, ids, or small numbers; all given conditions must match. */
type StateFilter<Filter> = { readonly [Name in keyof Filter]?: Buffer | bigint | number | undefined };

/** The conditions that are given, with the stored form of their values. */
function conditionsOf<Filter extends StateFilter<Filter>>({ conditions }: StateList<Filter>, filter: Filter) {
  return Object.entries<StateCondition>(conditions).flatMap(([name, { column, counted: collection }]) => {
    const value: Buffer | bigint | number | undefined = filter[name as keyof Filter];
    if (value === undefined) return [];
    const key = typeof value === "bigint" ? idKey(value) : typeof value === "number" ? smallKey(value) : value;
    const counted = collection === undefined ? undefined : { collection, key };
    return [{ column, value: typeof value === "number" ? value : key, counted }];
  });
}

/**
 * Entries whose `column` is one of `values`, without duplicates, in the order of `values`; `bodies` as in `StateList`.
 */
export async function findStateEntries(
  db: Db,
  table: keyof Database,
  column: string,
  values: readonly Buffer[],
  bodies: Bodies = STORED_BODIES,
): Promise<Entry[]> {
  if (values.length === 0) return [];
  const { record, entry } = bodies;
  const rows =
    values.length === 1
      ? // By far the most frequent case; a list of one costs three times as much.
        await readRows(db, lookUp(table, column, bodies).withLast(values[0]))
      : await readRows(
          db,
          sql`select d.id, ${recordOf(record)} as record
            from unnest(${[...distinct(values)]}::bytea[]) with ordinality requested (value, place)
            join ${sql.table(table)} d on d.${sql.ref(column)} = requested.value
            order by requested.place`,
        );
  return rows.map((bytes, id) => entry(BYTE_IDS.read(bytes, id), bytes, nextStart(bytes, id)));
}

const lookUps = new WeakMap<Bodies, Map<string, Sql>>();

/** The statement that finds one entry by the value of a column, its last value. */
function lookUp(table: keyof Database, column: string, bodies: Bodies): Sql {
  const known = lookUps.get(bodies) ?? new Map<string, Sql>();
  lookUps.set(bodies, known);
  const name = `${table}.${column}`;
  const statement =
    known.get(name) ??
    sql`select d.id, ${recordOf(bodies.record)} as record from ${sql.table(table)} d where d.${sql.ref(column)} = ${null}`;
  known.set(name, statement);
  return statement;
}

function distinct(values: readonly Buffer[]): Iterable<Buffer> {
  return new Map(values.map((value) => [value.toString("latin1"), value])).values();
}
