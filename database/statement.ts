import {
  type CompiledQuery,
  createQueryId,
  type KyselyPlugin,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RawBuilder,
  ValueNode,
} from "kysely";
import { LRUCache } from "lru-cache";
import { readCompiled } from "./binary/driver.js";
import type { Columns, RowOf, RowType } from "./binary/rows.js";
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

/** The place of a value, for the `sql` tag. */
export class Parameter implements OperationNodeSource {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this.#place);
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
      const statement = this.#build(placed(args, () => new Parameter(new Place(index++))) as Placed<Arguments>);
      compiled = compiler.compileQuery(statement.toOperationNode() as never, createQueryId());
      this.#kept.set(shape, compiled);
    }
    return readCompiled(db, this.rows, compiled, (parameters) =>
      parameters.map((parameter) => (parameter instanceof Place ? sent(values[parameter.index]!) : parameter)),
    );
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
