import {
  type CompiledQuery,
  createQueryId,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RawBuilder,
  ValueNode,
} from "kysely";
import { LRUCache } from "lru-cache";
import { readCompiled } from "./binary/driver.js";
import type { Columns, RowOf, RowType } from "./binary/rows.js";
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
