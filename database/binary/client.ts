import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { COPY_HEADER, COPY_TRAILER } from "./copy.js";
import { ReadQuery, splitMessages } from "./read-query.js";
import type { Columns, RowOf, RowType } from "./rows.js";
import { endWhenSilent, KEEP_ALIVE_AFTER_MS, type SilenceLimit, type WatchedServer } from "./silence.js";

/** A text is prepared when it is repeated: a single use would waste the server's memory. */
const PREPARE_AFTER = 2;
/** Maximum number of prepared texts; further ones are sent unprepared. Each costs memory per server connection. */
const MAX_PREPARED = 200;
/** Texts that came once and are remembered: the oldest are dropped. */
const MAX_SEEN = 500;
/** Longer texts are writes of many rows, whose cost is not in parsing; in characters. */
const MAX_TEXT_LENGTH = 6_000;
/** A migration may add columns while we run, and a prepared statement must not change its result type. */
const ALL_COLUMNS = /\bselect\s+("?\w+"?\.)?\*|\breturning\s+\*/i;
/** A varying number of rows in one statement: such a text is rarely repeated. */
const SEVERAL_ROWS = /^\s*insert\b[\s\S]*\),\s*\(\$\d/i;

/** Which statements of a pool are prepared, and their names. */
export class StatementNames {
  /** Number of uses of texts that are not prepared yet. */
  readonly #seen = new LRUCache<string, number>({ max: MAX_SEEN });
  /** Names by text. They are derived from the text alone: behind a pooler, processes share prepared statements. */
  readonly #names = new Map<string, string>();

  /** The name under which a text is prepared, or undefined if it is sent unprepared. Counts one use of it. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_PREPARED || text.length > MAX_TEXT_LENGTH) return undefined;
    if (ALL_COLUMNS.test(text) || SEVERAL_ROWS.test(text)) return undefined;
    const uses = (this.#seen.get(text) ?? 0) + 1;
    if (uses >= PREPARE_AFTER) {
      const name = createHash("sha256").update(text).digest("base64url");
      this.#names.set(text, name);
      this.#seen.delete(text);
      return name;
    }
    this.#seen.set(text, uses);
    return undefined;
  }
}

export interface PreparedClientConfig extends pg.ClientConfig {
  readonly silence: SilenceLimit;
  /** Of all connections of a pool; by default, a connection has its own. */
  readonly statementNames?: StatementNames;
}

/**
 * A connection on which repeated statements are prepared by the server: it parses and plans them once instead of each
 * time, which costs more than running them. Only statements with parameters are prepared: those without are `begin`,
 * `commit` and the like.
 *
 * Internally, results are passed by callbacks, because the driver's own promises keep each result until the next full
 * garbage collection, which halves a gateway's throughput.
 */
export class PreparedClient extends pg.Client {
  readonly statementNames: StatementNames;

  constructor(config: PreparedClientConfig) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS, ...config });
    this.statementNames = config.statementNames ?? new StatementNames();
    splitMessages(this, config.silence.server ?? { receivedAt: 0 });
    endWhenSilent(this, config.silence);
  }

  override query = ((first: unknown, values?: unknown, callback?: unknown) => {
    const query = super.query as (...args: unknown[]) => unknown;
    if (typeof first !== "string" || !Array.isArray(values) || callback)
      return query.call(this, first, values, callback);
    return this.#run(query, first, values);
  }) as pg.Client["query"];

  /** Runs a statement, and reads its rows in the binary form. */
  read<Of extends Columns>(text: string, values: readonly unknown[], type: RowType<Of>): Promise<RowOf<Of>[]> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, rows: RowOf<Of>[]) => (error ? reject(error) : resolve(rows));
      new ReadQuery({ text, name: this.statementNames.of(text) }, values, type, settle).runOn(this);
    });
  }

  /** Runs a COPY to the server, with rows in the binary form: the next part is taken when the previous one was sent. */
  async copy(text: string, parts: Iterable<Buffer>): Promise<void> {
    await pipeline(Readable.from(copied(parts)), this.query(copyFrom(text)));
  }

  #run(query: (...args: unknown[]) => unknown, text: string, values: readonly unknown[]): Promise<unknown> {
    const name = values.length > 0 ? this.statementNames.of(text) : undefined;
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result));
      const statement = new pg.Query(text, values as unknown[], settle as never) as pg.Query & {
        name?: string | undefined;
      };
      // As a member of a configuration it would be copied property by property, with their descriptors.
      statement.name = name;
      query.call(this, statement);
    });
  }
}

function* copied(parts: Iterable<Buffer>): Generator<Buffer> {
  yield COPY_HEADER;
  yield* parts;
  yield COPY_TRAILER;
}

/** A connection that is lent. */
export interface LentClient extends Pick<PreparedClient, "copy" | "query" | "read"> {
  /** @param isBroken closes it instead of lending it again */
  release(isBroken?: boolean): void;
}

/** A connection of a pool. */
export type PooledClient = PreparedClient & Pick<pg.PoolClient, "release">;

/** A pool of such connections. Connecting, and waiting for a connection, have the timeout of a statement. */
export class WatchedPool {
  readonly pool: pg.Pool;
  readonly #server: WatchedServer;

  constructor(config: pg.PoolConfig & PreparedClientConfig, server: WatchedServer) {
    this.pool = new pg.Pool({ ...config, Client: PreparedClient as never });
    this.#server = server;
  }

  /** A connection, to be released by its `release`. @throws the driver's error when the server is unreachable */
  connect(): Promise<PooledClient> {
    const { pool } = this;
    // An idle connection is handed over at once: there is nothing to watch.
    if (pool.idleCount > pool.waitingCount) return this.#take();
    return this.#server.wait(this.#take(), (client) => client.release());
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  #take(): Promise<PooledClient> {
    return new Promise((resolve, reject) => {
      this.pool.connect((error, client) => {
        if (client) return resolve(client as PooledClient);
        if (isConnectingSilence(error)) this.#server.suspect();
        reject(error);
      });
    });
  }
}

/**
 * Whether a connection could not be opened in time; not, whether all connections of the pool were in use all the
 * time.
 */
function isConnectingSilence(error: unknown): boolean {
  return error instanceof Error && /connection timeout|timeout expired/.test(error.message);
}
