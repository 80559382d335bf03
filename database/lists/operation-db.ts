import { type KyselyPlugin, type RawBuilder, sql } from "kysely";
import { readRows } from "../binary/driver.js";
import { type Columns, int4, type RowOf, RowType } from "../binary/rows.js";
import type { Db } from "../database.js";
import type { Statement } from "../statement.js";

/** Watches the statements of an operation; an error that it throws rejects the statement or its result. */
export interface DatabaseWatch {
  /** A statement is about to run. */
  onStatement(): void;
  /** A statement returned this number of rows. */
  onRows(count: number): void;
}

/** Maximum number of statements combined into one: each combination is planned anew, so more would not be faster. */
const MAX_TOGETHER = 20;

/** A statement that is queued, with the order of its rows. */
interface Waiting {
  readonly statement: Statement<unknown, Columns>;
  readonly args: unknown;
  readonly compare: (a: RowOf<Columns>, b: RowOf<Columns>) => number;
  readonly resolve: (rows: RowOf<Columns>[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements of an operation that are queued until the end of this turn of the event loop, by their columns. */
type Queue = Map<Columns, Waiting[]>;

const queues = new WeakMap<Db, Queue>();
const origins = new WeakMap<Db, Db>();

/**
 * The same database for one operation: its statements are watched, and those that {@link readTogether} receives in
 * one turn of the event loop are combined.
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
  queues.set(own, new Map());
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

/**
 * Reads the rows of a statement; if `db` belongs to an operation, it is combined with all others of the same columns in
 * this turn of the event loop.
 * @param compare the order of the rows, which is lost when statements are combined
 */
export function readTogether<Arguments, Of extends Columns>(
  db: Db,
  statement: Statement<Arguments, Of>,
  args: Arguments,
  compare: (a: RowOf<Of>, b: RowOf<Of>) => number,
): Promise<RowOf<Of>[]> {
  const queue = queues.get(db);
  if (!queue) return statement.read(db, args);
  const { columns } = statement.rows;
  return new Promise((resolve, reject) => {
    const list = queue.get(columns) ?? [];
    list.push({ statement, args, compare, resolve, reject } as never);
    if (list.length > 1) return;
    queue.set(columns, list);
    setImmediate(() => {
      queue.delete(columns);
      for (let start = 0; start < list.length; start += MAX_TOGETHER) {
        void settle(db, list.slice(start, start + MAX_TOGETHER));
      }
    });
  });
}

async function settle(db: Db, statements: readonly Waiting[]): Promise<void> {
  try {
    const results = await readAsOne(db, statements);
    for (const [place, { resolve }] of statements.entries()) resolve(results[place]!);
  } catch (error) {
    for (const { reject } of statements) reject(error);
  }
}

/** Runs statements with the same columns as one, whose first column is the place of the statement. */
async function readAsOne(db: Db, statements: readonly Waiting[]): Promise<RowOf<Columns>[][]> {
  const [first, ...others] = statements as readonly [Waiting, ...Waiting[]];
  if (others.length === 0) return [await first.statement.read(db, first.args)];
  const { columns } = first.statement.rows;
  const rows = await readRows(db, new RowType({ place: int4, ...columns }), combined(statements));
  const found = statements.map((): RowOf<Columns>[] => []);
  for (const row of rows) found[row.place]?.push(row);
  for (const [place, { compare }] of statements.entries()) found[place]!.sort(compare);
  return found;
}

function combined(statements: readonly Waiting[]): RawBuilder<unknown> {
  const names = sql.join(Object.keys(statements[0]!.statement.rows.columns).map((name) => sql.ref(`q.${name}`)));
  const parts = statements.map(
    ({ statement, args }, place) =>
      sql`select ${sql.lit(place)}::int4 as place, ${names} from (${statement.withValues(args)}) q`,
  );
  return sql.join(parts, sql` union all `);
}
