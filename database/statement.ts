import {
  type CompiledQuery,
  createQueryId,
  type KyselyPlugin,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
  ValueNode,
} from "kysely";
import { LRUCache } from "lru-cache";
import { readCompiled, readRows } from "./binary/driver.js";
import { type Columns, int4, type RowOf, RowType } from "./binary/rows.js";
import type { Db } from "./database.js";

/** Shapes of one statement that are kept: clients choose how many types and addresses they name. */
const MAX_SHAPES = 500;

/** A list that is one value of a statement, as in `any(${list}::int8[])`; others have a value for each item. */
export class ListValue {
  readonly items: readonly (number | bigint | Buffer | null)[];

  constructor(items: readonly (number | bigint | Buffer | null)[]) {
    this.items = items;
  }
}

/** What is sent beside the text of a statement. */
export type Value = number | bigint | Buffer | ListValue;

/** The place of a value among those of a kept statement. */
class Place {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** A value of a statement, or its place, for the `sql` tag. */
export class Parameter implements OperationNodeSource {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this.#value);
  }
}

/** Arguments with a parameter for each value. All else is the same: which members there are, booleans, texts, lengths of lists. */
export type Placed<Arguments> = Arguments extends Value
  ? Parameter
  : Arguments extends readonly (infer Item)[]
    ? readonly Placed<Item>[]
    : Arguments extends object
      ? { readonly [Name in keyof Arguments]: Placed<Arguments[Name]> }
      : Arguments;

const compiler = new PostgresQueryCompiler();

/**
 * A statement that runs often, with rows in the binary form. Its text is built and compiled once for each shape of its
 * arguments, since a query builder takes longer than the driver, and kept; only values vary.
 */
export class Statement<Arguments, Of extends Columns> {
  readonly rows: RowType<Of>;
  readonly #build: (args: Placed<Arguments>) => RawBuilder<unknown>;
  readonly #kept = new LRUCache<string, CompiledQuery>({ max: MAX_SHAPES });

  /** @param build sees the shape of the arguments and not their values, so that the text depends on nothing else */
  constructor(rows: RowType<Of>, build: (args: Placed<Arguments>) => RawBuilder<unknown>) {
    this.rows = rows;
    this.#build = build;
  }

  /** Runs it; `db` may be a transaction. */
  read(db: Db, args: Arguments): Promise<RowOf<Of>[]> {
    const values: Value[] = [];
    const shape = shapeOf(args, values);
    let compiled = this.#kept.get(shape);
    if (!compiled) {
      let index = 0;
      const statement = this.#build(placed(args, () => new Place(index++)) as Placed<Arguments>);
      compiled = compiler.compileQuery(statement.toOperationNode() as never, createQueryId());
      this.#kept.set(shape, compiled);
    }
    return readCompiled(db, this.rows, compiled, (parameters) =>
      parameters.map((parameter) => (parameter instanceof Place ? sent(values[parameter.index]!) : parameter)),
    );
  }

  /** The statement with these values, as a part of another one. */
  withValues(args: Arguments): RawBuilder<unknown> {
    return this.#build(placed(args, sent) as Placed<Arguments>);
  }
}

function sent(value: Value): unknown {
  return value instanceof ListValue ? value.items : value;
}

function isValue(part: unknown): part is Value {
  const type = typeof part;
  return type === "number" || type === "bigint" || Buffer.isBuffer(part) || part instanceof ListValue;
}

/** The shape of arguments as text; adds their values. */
function shapeOf(part: unknown, values: Value[]): string {
  if (isValue(part)) {
    values.push(part);
    return "?";
  }
  if (typeof part !== "object" || part === null) return String(part);
  let shape = Array.isArray(part) ? "[" : "{";
  for (const [name, member] of Object.entries(part)) {
    if (member !== undefined) shape += `${name}:${shapeOf(member, values)},`;
  }
  return `${shape}}`;
}

/** The same arguments with parameters for their values, in the same order. */
function placed(part: unknown, of: (value: Value) => unknown): unknown {
  if (isValue(part)) return new Parameter(of(part));
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => placed(item, of));
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, placed(member, of)]));
}

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
