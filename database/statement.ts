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
import { Batcher } from "./batcher.js";
import { readCompiled } from "./binary/driver.js";
import { type Columns, int8, type RowOf, RowType } from "./binary/rows.js";
import type { Db } from "./database.js";
import { setOrigin } from "./one-connection.js";

/** Compiled texts of one statement in memory: clients choose how many types and addresses they name. */
const MAX_TEXTS = 500;

/** A list that is one value of a statement, as in `any(${list}::int8[])`; others have a value for each item. */
export class ListValue {
  readonly items: readonly (number | bigint | Buffer | null)[];

  constructor(items: readonly (number | bigint | Buffer | null)[]) {
    this.items = items;
  }
}

/** What is sent beside the text of a statement. */
export type Value = number | bigint | Buffer | ListValue;

/** The index of a value among those of a call. */
class ValueIndex {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** A parameter for the `sql` tag: a value that is sent, or a column of the rows that are sent. */
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
export type BoundArguments<Arguments> = Arguments extends Value
  ? Parameter
  : Arguments extends readonly (infer Item)[]
    ? readonly BoundArguments<Item>[]
    : Arguments extends object
      ? { readonly [Name in keyof Arguments]: BoundArguments<Arguments[Name]> }
      : Arguments;

const compiler = new PostgresQueryCompiler();

/**
 * A statement that runs often, with rows in the binary form. Its text is built and compiled once for each template of its
 * arguments and kept; only values vary.
 */
export class Statement<Arguments, Of extends Columns> {
  readonly rows: RowType<Of>;
  readonly #build: (args: BoundArguments<Arguments>) => RawBuilder<unknown>;
  readonly #compiled = new LRUCache<string, CompiledQuery>({ max: MAX_TEXTS });
  /** The same texts for a batch of calls, and what they read. */
  readonly #compiledBatches = new LRUCache<string, CompiledQuery>({ max: MAX_TEXTS });
  readonly #rowsOfBatch: RowType<Of & { readonly [CALL]: typeof int8 }>;

  /** @param build sees a parameter in place of each value, so that the text depends on the template alone */
  constructor(rows: RowType<Of>, build: (args: BoundArguments<Arguments>) => RawBuilder<unknown>) {
    this.rows = rows;
    this.#build = build;
    this.#rowsOfBatch = new RowType({ [CALL]: int8, ...rows.columns });
  }

  /** Runs it; `db` may be a transaction. */
  read(db: Db, args: Arguments): Promise<RowOf<Of>[]> {
    const values: Value[] = [];
    const template = makeTemplate(args, values);
    const call = { args, template, values };
    const batches = statementBatches.get(db);
    return batches && canBeBatched(values) ? this.#batcher(db, batches, template).load(call) : this.#readOne(db, call);
  }

  /** Calls with one template are read together. */
  #batcher(db: Db, batches: StatementBatches, template: string): BatchOf<Arguments, Of> {
    const ofStatement = batches.get(this) ?? new Map<string, unknown>();
    batches.set(this, ofStatement);
    const known = ofStatement.get(template) as BatchOf<Arguments, Of> | undefined;
    const batcher = known ?? new Batcher((calls) => this.#readBatch(db, calls), MAX_BATCH);
    ofStatement.set(template, batcher);
    return batcher;
  }

  #readOne(db: Db, { args, template, values }: Call<Arguments>): Promise<RowOf<Of>[]> {
    let compiled = this.#compiled.get(template);
    if (!compiled) {
      compiled = compile(this.#bind(args, (index) => ValueNode.create(new ValueIndex(index))));
      this.#compiled.set(template, compiled);
    }
    return readCompiled(db, this.rows, compiled, (parameters) => withValues(parameters, values));
  }

  /** Runs calls with one template as one statement. @returns the rows of each */
  async #readBatch(db: Db, calls: readonly Call<Arguments>[]): Promise<RowOf<Of>[][]> {
    const [first] = calls as readonly [Call<Arguments>];
    if (calls.length === 1) return [await this.#readOne(db, first)];
    const { args, template, values } = first;
    let compiled = this.#compiledBatches.get(template);
    if (!compiled) {
      const statement = this.#bind(args, (index) => sql.ref(`calls.v${index}`).toOperationNode());
      compiled = compile(forBatch(statement, Object.keys(this.rows.columns), values));
      this.#compiledBatches.set(template, compiled);
    }
    const lists = values.map((_, index) => new ListValue(calls.map((call) => call.values[index] as bigint)));
    const rows = await readCompiled(db, this.#rowsOfBatch, compiled, (parameters) => withValues(parameters, lists));
    const found: RowOf<Of>[][] = calls.map(() => []);
    for (const row of rows) found[Number(row[CALL]) - 1]!.push(row as RowOf<Of>);
    return found;
  }

  #bind(args: Arguments, nodeOf: (index: number) => OperationNode): RawBuilder<unknown> {
    let index = 0;
    return this.#build(bindArguments(args, () => new Parameter(nodeOf(index++))) as BoundArguments<Arguments>);
  }
}

/** The column with the number of the call, from 1. */
const CALL = "call";

/** One call of a statement. */
interface Call<Arguments> {
  readonly args: Arguments;
  readonly template: string;
  readonly values: readonly Value[];
}

type BatchOf<Arguments, Of extends Columns> = Pick<Batcher<Call<Arguments>, RowOf<Of>[]>, "load">;

/** The rows of a statement for each call, in the order of the calls. */
function forBatch(
  statement: RawBuilder<unknown>,
  names: readonly string[],
  values: readonly Value[],
): RawBuilder<unknown> {
  const lists = values.map((value, index) => {
    const list = new Parameter(ValueNode.create(new ValueIndex(index)));
    return Buffer.isBuffer(value) ? sql`${list}::bytea[]` : sql`${list}::int8[]`;
  });
  const columns = values.map((_, index) => sql.ref(`v${index}`));
  const own = sql.join(names.map((name) => sql.ref(`own.${name}`)));
  return sql`
    select calls.number as ${sql.ref(CALL)}, ${own}
    from unnest(${sql.join(lists)}) with ordinality calls (${sql.join([...columns, sql`number`])})
    cross join lateral (select row_number() over () as row_order, own.* from (${statement}) own) own
    order by calls.number, own.row_order`;
}

function compile(statement: RawBuilder<unknown>): CompiledQuery {
  return compiler.compileQuery(statement.toOperationNode() as never, createQueryId());
}

function withValues(parameters: readonly unknown[], values: readonly Value[]): unknown[] {
  return parameters.map((parameter) => (parameter instanceof ValueIndex ? sent(values[parameter.index]!) : parameter));
}

/** Calls of one statement: its rows are in memory at once. */
const MAX_BATCH = 100;

/** The batchers of an operation, by statement and template. */
type StatementBatches = Map<object, Map<string, unknown>>;

const statementBatches = new WeakMap<Db, StatementBatches>();

/**
 * From now on, compiled statements that are read from this database in one turn of the event loop and differ in their
 * values only are one statement. For a database that one operation uses: they wait for the end of the turn.
 */
export function batchReads(db: Db): void {
  statementBatches.set(db, new Map());
}

/** Lists are no columns, and without values nothing differs. */
function canBeBatched(values: readonly Value[]): boolean {
  return values.length > 0 && !values.some((value) => value instanceof ListValue);
}

function sent(value: Value): unknown {
  return value instanceof ListValue ? value.items : value;
}

function isValue(part: unknown): part is Value {
  const type = typeof part;
  return type === "number" || type === "bigint" || Buffer.isBuffer(part) || part instanceof ListValue;
}

/** The template of arguments: their text with a mark in place of each value. Adds their values. */
function makeTemplate(part: unknown, values: Value[]): string {
  if (isValue(part)) {
    values.push(part);
    return "?";
  }
  if (typeof part !== "object" || part === null) return String(part);
  let template = Array.isArray(part) ? "[" : "{";
  for (const [name, member] of Object.entries(part)) {
    if (member !== undefined) template += `${name}:${makeTemplate(member, values)},`;
  }
  return `${template}}`;
}

/** The same arguments with a parameter for each value, in the same order. */
function bindArguments(part: unknown, next: () => Parameter): unknown {
  if (isValue(part)) return next();
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => bindArguments(item, next));
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, bindArguments(member, next)]));
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
