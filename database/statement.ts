import {
  type CompiledQuery,
  createQueryId,
  type KyselyPlugin,
  type OperationNode,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
  ValueNode,
} from "kysely";
import { LRUCache } from "lru-cache";
import { readCompiled } from "./binary/driver.js";
import { type Columns, int8, type RowOf, RowType } from "./binary/rows.js";
import type { Db } from "./database.js";
import { setOrigin } from "./one-connection.js";

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

/** The place of a value, for the `sql` tag: one that is sent, or a column of the rows that are sent. */
export class Parameter implements OperationNodeSource {
  readonly #node: OperationNode;

  constructor(node: OperationNode) {
    this.#node = node;
  }

  toOperationNode(): OperationNode {
    return this.#node;
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
 * arguments and kept; only values vary.
 */
export class Statement<Arguments, Of extends Columns> {
  readonly rows: RowType<Of>;
  readonly #build: (args: Placed<Arguments>) => RawBuilder<unknown>;
  readonly #kept = new LRUCache<string, CompiledQuery>({ max: MAX_SHAPES });
  /** The same statements for many sets of values, and what they read. */
  readonly #keptForMany = new LRUCache<string, CompiledQuery>({ max: MAX_SHAPES });
  readonly #rowsOfMany: RowType<Of & { readonly [ASKED]: typeof int8 }>;

  /** @param build sees the shape of the arguments and not their values, so that the text depends on nothing else */
  constructor(rows: RowType<Of>, build: (args: Placed<Arguments>) => RawBuilder<unknown>) {
    this.rows = rows;
    this.#build = build;
    this.#rowsOfMany = new RowType({ [ASKED]: int8, ...rows.columns });
  }

  /** Runs it; `db` may be a transaction. */
  read(db: Db, args: Arguments): Promise<RowOf<Of>[]> {
    const values: Value[] = [];
    const shape = shapeOf(args, values);
    const one = { args, shape, values };
    return moments.get(db)?.read(this, one) ?? this.readOne(db, one);
  }

  readOne(db: Db, { args, shape, values }: Asked<Arguments>): Promise<RowOf<Of>[]> {
    let compiled = this.#kept.get(shape);
    if (!compiled) {
      const statement = this.#placed(args, (index) => ValueNode.create(new Place(index)));
      compiled = compile(statement);
      this.#kept.set(shape, compiled);
    }
    return readCompiled(db, this.rows, compiled, (parameters) => withValues(parameters, values));
  }

  /** Runs it once for several sets of values, which have one shape and no lists. @returns the rows of each */
  async readMany(db: Db, asked: readonly Asked<Arguments>[]): Promise<RowOf<Of>[][]> {
    const [{ args, shape, values }] = asked as readonly [Asked<Arguments>];
    let compiled = this.#keptForMany.get(shape);
    if (!compiled) {
      const statement = this.#placed(args, (index) => sql.ref(`asked.v${index}`).toOperationNode());
      compiled = compile(forMany(statement, Object.keys(this.rows.columns), values));
      this.#keptForMany.set(shape, compiled);
    }
    const lists = values.map((_, place) => new ListValue(asked.map((one) => one.values[place] as bigint)));
    const rows = await readCompiled(db, this.#rowsOfMany, compiled, (parameters) => withValues(parameters, lists));
    const found: RowOf<Of>[][] = asked.map(() => []);
    for (const row of rows) found[Number(row[ASKED]) - 1]!.push(row as RowOf<Of>);
    return found;
  }

  #placed(args: Arguments, nodeOf: (index: number) => OperationNode): RawBuilder<unknown> {
    let index = 0;
    return this.#build(placed(args, () => new Parameter(nodeOf(index++))) as Placed<Arguments>);
  }
}

/** The column with the number of the set of values, from 1. */
const ASKED = "asked";

/** A statement as it is asked for. */
interface Asked<Arguments> {
  readonly args: Arguments;
  readonly shape: string;
  readonly values: readonly Value[];
}

/** The rows of a statement for each row of values, in their order. */
function forMany(
  statement: RawBuilder<unknown>,
  names: readonly string[],
  values: readonly Value[],
): RawBuilder<unknown> {
  const lists = values.map((value, place) => {
    const list = new Parameter(ValueNode.create(new Place(place)));
    return Buffer.isBuffer(value) ? sql`${list}::bytea[]` : sql`${list}::int8[]`;
  });
  const columns = values.map((_, place) => sql.ref(`v${place}`));
  const own = sql.join(names.map((name) => sql.ref(`own.${name}`)));
  return sql`
    select asked.number as ${sql.ref(ASKED)}, ${own}
    from unnest(${sql.join(lists)}) with ordinality asked (${sql.join([...columns, sql`number`])})
    cross join lateral (select row_number() over () as place, own.* from (${statement}) own) own
    order by asked.number, own.place`;
}

function compile(statement: RawBuilder<unknown>): CompiledQuery {
  return compiler.compileQuery(statement.toOperationNode() as never, createQueryId());
}

function withValues(parameters: readonly unknown[], values: readonly Value[]): unknown[] {
  return parameters.map((parameter) => (parameter instanceof Place ? sent(values[parameter.index]!) : parameter));
}

/** Most that are one statement: its rows are in memory at once. */
const TOGETHER = 100;

/** What one moment of an operation asks for. */
class Moment {
  readonly #db: Db;
  #groups = new Map<Statement<never, never>, Map<string, Waiting[]>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Undefined for what cannot be part of another statement: lists are no columns, and without values nothing differs. */
  read<Arguments, Of extends Columns>(
    statement: Statement<Arguments, Of>,
    asked: Asked<Arguments>,
  ): Promise<RowOf<Of>[]> | undefined {
    const { values } = asked;
    if (values.length === 0 || values.some((value) => value instanceof ListValue)) return undefined;
    return new Promise((resolve, reject) => {
      if (this.#groups.size === 0) setImmediate(() => this.#send());
      const key = statement as unknown as Statement<never, never>;
      const shapes = this.#groups.get(key) ?? new Map<string, Waiting[]>();
      this.#groups.set(key, shapes);
      const waiting = { asked: asked as Asked<never>, resolve: resolve as Waiting["resolve"], reject };
      const others = shapes.get(asked.shape);
      if (others) others.push(waiting);
      else shapes.set(asked.shape, [waiting]);
    });
  }

  #send(): void {
    const groups = this.#groups;
    this.#groups = new Map();
    for (const [statement, shapes] of groups) {
      for (const waiting of shapes.values()) {
        for (let at = 0; at < waiting.length; at += TOGETHER)
          void this.#run(statement, waiting.slice(at, at + TOGETHER));
      }
    }
  }

  async #run(statement: Statement<never, never>, waiting: readonly Waiting[]): Promise<void> {
    const asked = waiting.map((one) => one.asked);
    try {
      const found =
        asked.length > 1 ? await statement.readMany(this.#db, asked) : [await statement.readOne(this.#db, asked[0]!)];
      for (const [place, { resolve }] of waiting.entries()) resolve(found[place]!);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

interface Waiting {
  readonly asked: Asked<never>;
  readonly resolve: (rows: RowOf<never>[]) => void;
  readonly reject: (error: unknown) => void;
}

const moments = new WeakMap<Db, Moment>();

/**
 * From now on, kept statements that are read from this database in one turn of the event loop and differ in their values
 * only are one statement. For a database that one operation uses: they wait for the end of the turn.
 */
export function readTogether(db: Db): void {
  moments.set(db, new Moment(db));
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

/** The same arguments with a parameter for each value, in the same order. */
function placed(part: unknown, next: () => Parameter): unknown {
  if (isValue(part)) return next();
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => placed(item, next));
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, placed(member, next)]));
}

/** Watches the statements of an operation; an error that it throws rejects the statement or its result. */
export interface DatabaseWatch {
  /** A statement is about to run. */
  onStatement(): void;
  /** A statement returned this number of rows. */
  onRows(count: number): void;
}

/** The same database for one operation: its statements are watched. */
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
  setOrigin(own, db);
  return own;
}
