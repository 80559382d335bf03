import type { KyselyPlugin, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Db } from "../database.js";

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
export interface Together<Row> {
  /** Identifies statements with the same columns. */
  readonly columns: string;
  /** The order of the rows, which is lost when statements are combined. */
  readonly compare: (a: Row, b: Row) => number;
}

interface Waiting {
  readonly query: RawBuilder<unknown>;
  readonly compare: (a: never, b: never) => number;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

const origins = new WeakMap<Db, Db>();
/** Statements queued until the end of this turn of the event loop, by database and columns. */
const waiting = new WeakMap<Db, Map<string, Waiting[]>>();

/**
 * The same database for one operation: its statements are watched, and those that {@link runTogether} receives in one
 * turn of the event loop are combined.
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
  waiting.set(own, new Map());
  return own;
}

/** Makes `origin` the original database of one derived from it. */
export function setOrigin(derived: Db, origin: Db): void {
  origins.set(derived, origin);
}

/**
 * The original database of one created by {@link forOperation}, or of a snapshot; any other is returned as it is. Caches by database
 * use the original.
 */
export function originOf(db: Db): Db {
  return origins.get(db) ?? db;
}

/**
 * Runs a statement; if `db` belongs to an operation, combined with all others of the same columns in this turn of the
 * event loop.
 */
export async function runTogether<Row>(
  db: Db,
  { columns, compare }: Together<Row>,
  query: RawBuilder<Row>,
): Promise<readonly Row[]> {
  const lists = waiting.get(db);
  if (!lists) return (await query.execute(db)).rows;
  return new Promise((resolve, reject) => {
    const list = lists.get(columns) ?? [];
    list.push({ query, compare, resolve: resolve as Waiting["resolve"], reject });
    if (list.length > 1) return;
    lists.set(columns, list);
    setImmediate(() => {
      lists.delete(columns);
      for (let start = 0; start < list.length; start += MAX_TOGETHER) {
        void runAsOne(db, list.slice(start, start + MAX_TOGETHER));
      }
    });
  });
}

async function runAsOne(db: Db, statements: readonly Waiting[]): Promise<void> {
  try {
    const [only, ...others] = statements;
    if (only && others.length === 0) {
      only.resolve((await only.query.execute(db)).rows);
      return;
    }
    const parts = statements.map(
      ({ query }, place) => sql`select ${sql.lit(place)}::int4 as place, q.* from (${query}) q`,
    );
    const { rows } = await sql<{ place: number }>`${sql.join(parts, sql` union all `)}`.execute(db);
    const found = statements.map((): { place: number }[] => []);
    for (const row of rows) found[row.place]?.push(row);
    for (const [place, { resolve, compare }] of statements.entries()) {
      resolve((found[place] ?? []).sort(compare as () => number));
    }
  } catch (error) {
    for (const { reject } of statements) reject(error);
  }
}
