import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryExecutorProvider,
  type QueryId,
  type QueryResult,
  type RawBuilder,
  type RootOperationNode,
  sql,
} from "kysely";
import type { LentClient } from "./client.js";
import type { Columns, RowOf, RowType } from "./rows.js";

export interface ClientPool {
  connect(): Promise<LentClient>;
  end(): Promise<void>;
}

/** PostgreSQL for Kysely, with statements whose rows are read in the binary form. */
export class BinaryDialect extends PostgresDialect {
  readonly #pool: ClientPool;

  constructor(pool: ClientPool) {
    super({ pool: pool as never });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new BinaryDriver(this.#pool);
  }
}

class BinaryDriver extends PostgresDriver {
  readonly #pool: ClientPool;

  constructor(pool: ClientPool) {
    super({ pool: pool as never });
    this.#pool = pool;
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return this.#pool.connect().then((lent) => new BinaryConnection(lent));
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as BinaryConnection).release();
  }
}

const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** A connection of the pool that is lent. */
export class BinaryConnection implements DatabaseConnection {
  readonly #lent: LentClient;
  /** The server closes the connection: the next statement would fail on it. */
  #isBroken = false;

  constructor(lent: LentClient) {
    this.#lent = lent;
  }

  async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    const { sql: text, parameters } = compiled;
    try {
      if (compiled instanceof BinaryQuery)
        return { rows: (await this.#lent.read(text, parameters, compiled.type)) as Row[] };
      if (compiled instanceof CopyQuery) {
        await this.#lent.copy(text, compiled.parts);
        return { rows: [] };
      }
      const { command, rowCount, rows } = await this.#lent.query(text, [...parameters]);
      const result = { rows: (rows ?? []) as Row[] };
      return CHANGES.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
    } catch (error) {
      this.#isBroken ||= (error as { readonly severity?: string }).severity === "FATAL";
      // The driver's errors are created where it received them, which says nothing about the statement.
      if (error instanceof Error) error.stack += `\n${new Error().stack?.split("\n").slice(1).join("\n")}`;
      throw error;
    }
  }

  /** Runs a statement without values. If it fails, the connection is closed instead of being lent again. */
  async send(text: string): Promise<void> {
    this.#isBroken = true;
    await this.#lent.query(text);
    this.#isBroken = false;
  }

  // biome-ignore lint/correctness/useYield: streaming needs a cursor, which nothing here uses.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("statements are not streamed");
  }

  release(): void {
    this.#lent.release(this.#isBroken);
  }
}

/** A compiled statement. */
class OwnQuery<Row> implements CompiledQuery<Row> {
  readonly query: RootOperationNode;
  readonly queryId: QueryId;
  readonly sql: string;
  readonly parameters: readonly unknown[];

  constructor({ query, queryId, sql: text }: CompiledQuery, parameters: readonly unknown[]) {
    this.query = query;
    this.queryId = queryId;
    this.sql = text;
    this.parameters = parameters;
  }
}

/** One whose rows are read in the binary form. */
class BinaryQuery<Of extends Columns> extends OwnQuery<RowOf<Of>> {
  readonly type: RowType<Of>;

  constructor(compiled: CompiledQuery, parameters: readonly unknown[], type: RowType<Of>) {
    super(compiled, parameters);
    this.type = type;
  }
}

/** One that sends rows to the server. */
class CopyQuery extends OwnQuery<never> {
  readonly parts: Iterable<Buffer>;

  constructor(compiled: CompiledQuery, parts: Iterable<Buffer>) {
    super(compiled, []);
    this.parts = parts;
  }
}

/**
 * Adds rows to a table by COPY: also in a transaction.
 * @param parts the rows in COPY's binary form, without header and trailer, split anywhere
 * @throws the server's error, such as that of a constraint; no row is added then
 */
export async function copyInto(
  db: QueryExecutorProvider,
  table: string,
  columns: readonly string[],
  parts: Iterable<Buffer>,
): Promise<void> {
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const compiled = sql`copy ${sql.table(table)} (${names}) from stdin (format binary)`.compile(db);
  await db.getExecutor().executeQuery(new CopyQuery(compiled, parts));
}

/** Runs a statement, and reads its rows in the binary form: also in a transaction, and with plugins. */
export function readRows<Of extends Columns>(
  db: QueryExecutorProvider,
  type: RowType<Of>,
  statement: RawBuilder<unknown>,
): Promise<RowOf<Of>[]> {
  const compiled = statement.compile(db);
  return execute(db, type, compiled, compiled.parameters);
}

/**
 * The same for a statement that was compiled before, without plugins; one that a plugin changes is compiled again.
 * @param valuesOf the values of its parameters
 */
export function readCompiled<Of extends Columns>(
  db: QueryExecutorProvider,
  type: RowType<Of>,
  compiled: CompiledQuery,
  valuesOf: (parameters: readonly unknown[]) => readonly unknown[],
): Promise<RowOf<Of>[]> {
  const executor = db.getExecutor();
  const node = executor.transformQuery(compiled.query, compiled.queryId);
  const own = node === compiled.query ? compiled : executor.compileQuery(node, compiled.queryId);
  return execute(db, type, own, valuesOf(own.parameters));
}

async function execute<Of extends Columns>(
  db: QueryExecutorProvider,
  type: RowType<Of>,
  compiled: CompiledQuery,
  parameters: readonly unknown[],
): Promise<RowOf<Of>[]> {
  const query: CompiledQuery<RowOf<Of>> = new BinaryQuery(compiled, parameters, type);
  return (await db.getExecutor().executeQuery(query)).rows;
}
