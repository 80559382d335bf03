import type { KyselyPlugin } from "kysely";
import type { Db } from "../database.js";
import { type ReadValue, readerOf } from "../read-query.js";
import { type RowOrder, Rows } from "../rows.js";
import { type Sql, sql } from "../sql.js";

/** Watches the statements of an operation; an error that it throws rejects the statement or its result. */
export interface DatabaseWatch {
  /** A statement is about to run. */
  onStatement(): void;
  /** A statement returned this number of rows. */
  onRows(count: number): void;
}

/** Maximum number of statements combined into one: each combination is planned anew, so more would not be faster. */
const MAX_TOGETHER = 20;

/** Common properties of statements that may be combined. */
export interface Together<Order> {
  /** Identifies statements with the same columns. */
  readonly columns: string;
  /** The order of the rows, which is lost when statements are combined. */
  readonly compare: Order;
}

/** A statement that is queued, with the order of its rows. */
interface Waiting {
  readonly query: Sql;
  readonly compare: (...rows: never) => number;
  readonly resolve: (rows: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs several statements with the same columns as one. @returns the rows of each */
type RunAsOne = (db: Db, statements: readonly Waiting[]) => Promise<readonly unknown[]>;

interface Operation {
  /** Whose connections it uses. */
  readonly base: Db;
  readonly watch: DatabaseWatch;
  /** Statements queued until the end of this turn of the event loop, by their columns. */
  readonly waiting: Map<string, Waiting[]>;
}

const operations = new WeakMap<Db, Operation>();
const origins = new WeakMap<Db, Db>();

/**
 * The same database for one operation: its statements are watched, and those that {@link runTogether} and
 * {@link readTogether} receive in one turn of the event loop are combined.
 */
export function forOperation(db: Db, watch: DatabaseWatch): Db {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      watch.onStatement();
      return node;
    },
    transformResult: async ({ result }) => {
      watch.onRows(result.rows.length);
      return result;
    },
  };
  const own = db.withPlugin(plugin);
  setOrigin(own, originOf(db));
  operations.set(own, { base: db, watch, waiting: new Map() });
  return own;
}

/** Makes `origin` the original database of one derived from it. */
export function setOrigin(derived: Db, origin: Db): void {
  origins.set(derived, origin);
}

/**
 * The original database of one created by {@link forOperation}, or of a snapshot; any other is returned as it is. Caches
 * by database use the original.
 */
export function originOf(db: Db): Db {
  return origins.get(db) ?? db;
}

/** Runs a statement, and reads its rows in the binary format. */
export async function readRows(db: Db, { text, values }: Sql): Promise<Rows> {
  const operation = operations.get(db);
  if (!operation) return readerOf(db)(text, values as readonly ReadValue[]);
  const { base, watch } = operation;
  watch.onStatement();
  const rows = await readerOf(base)(text, values as readonly ReadValue[]);
  watch.onRows(rows.length);
  return rows;
}

/**
 * The same; if `db` belongs to an operation, the statement is combined with all others of the same columns in this turn
 * of the event loop.
 */
export function readTogether(db: Db, options: Together<RowOrder>, query: Sql): Promise<Rows> {
  const operation = operations.get(db);
  return operation ? runLater(db, operation, options, query, readAsOne) : readRows(db, query);
}

/** The same with values of columns as the driver parses them. */
export async function runTogether<Row>(
  db: Db,
  options: Together<(a: Row, b: Row) => number>,
  query: Sql<Row>,
): Promise<readonly Row[]> {
  const operation = operations.get(db);
  return operation ? runLater(db, operation, options, query, runAsOne) : (await query.execute(db)).rows;
}

function runLater<Result>(
  db: Db,
  { waiting }: Operation,
  { columns, compare }: Together<(...rows: never) => number>,
  query: Sql,
  run: RunAsOne,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const list = waiting.get(columns) ?? [];
    list.push({ query, compare, resolve, reject });
    if (list.length > 1) return;
    waiting.set(columns, list);
    setImmediate(() => {
      waiting.delete(columns);
      for (let start = 0; start < list.length; start += MAX_TOGETHER) {
        void settle(db, list.slice(start, start + MAX_TOGETHER), run);
      }
    });
  });
}

async function settle(db: Db, statements: readonly Waiting[], run: RunAsOne): Promise<void> {
  try {
    const results = await run(db, statements);
    for (const [place, { resolve }] of statements.entries()) resolve(results[place] as never);
  } catch (error) {
    for (const { reject } of statements) reject(error);
  }
}

const runAsOne: RunAsOne = async (db, statements) => {
  const [only, ...others] = statements;
  if (only && others.length === 0) return [(await only.query.execute(db)).rows];
  const { rows } = await (combined(statements) as Sql<{ place: number }>).execute(db);
  const found = statements.map((): { place: number }[] => []);
  for (const row of rows) found[row.place]?.push(row);
  return statements.map(({ compare }, place) => (found[place] ?? []).sort(compare as () => number));
};

const readAsOne: RunAsOne = async (db, statements) => {
  const [only, ...others] = statements;
  if (only && others.length === 0) return [await readRows(db, only.query)];
  const rows = await readRows(db, combined(statements));
  const found = statements.map(() => new Rows());
  for (let row = 0; row < rows.length; ++row) {
    const bytes = rows.bytes(row);
    found[bytes.readInt32BE(rows.start(row, 0))]?.addFrom(bytes, rows.start(row, 1));
  }
  for (const [place, { compare }] of statements.entries()) found[place]!.sort(compare as RowOrder);
  return found;
};

/** Statements as one, whose first column is the place of the statement. */
function combined(statements: readonly Waiting[]): Sql {
  const parts = statements.map(
    ({ query }, place) => sql`select ${sql.lit(place)}::int4 as place, q.* from (${query}) q`,
  );
  return sql.join(parts, " union all ");
}
