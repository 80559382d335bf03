import { sql } from "kysely";
import { openDatabase } from "../../database/connection.js";
import { type Head, type IndexPoint, readHead, readIndexPoint } from "../../database/queries/head.js";
import type { Devnet } from "../../devnet/devnet.js";
import { type Indexer, type IndexerOptions, startIndexer } from "../../indexer/indexer.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";
import { copyDatabase, createFilledDatabase, createMigratedDatabase, type FilledDatabase } from "./database.js";
import { knowDevnet, knownExecution } from "./known-networks.js";
import { OWN_LOCKS } from "./own-catalogues.js";
import { until } from "./until.js";

/** An index to be copied; `fill` stops its indexer. */
export interface FilledIndex {
  readonly name: string;
  readonly fill: (index: IndexedDatabase) => Promise<void>;
}

/** A database with an indexer that may be started and stopped. */
export class IndexedDatabase {
  readonly url: string;
  readonly db;
  readonly #drop: () => Promise<void>;
  #indexer: Indexer | undefined;
  #isClosed = false;

  private constructor(url: string, drop: () => Promise<void>) {
    this.url = url;
    this.db = openDatabase({ url, poolSize: 2, onError: () => undefined });
    this.#drop = drop;
  }

  static async create(): Promise<IndexedDatabase> {
    const { url, drop } = await createMigratedDatabase();
    return new IndexedDatabase(url, drop);
  }

  /** A database that someone else drops. */
  static at(url: string): IndexedDatabase {
    return new IndexedDatabase(url, async () => undefined);
  }

  /** A copy of `filled`, which begins as a copy of `base`: both are filled once in a run, see {@link createFilledDatabase}. */
  static async filled(filled: FilledIndex, base?: FilledIndex): Promise<IndexedDatabase> {
    const { url, drop } = await createFilledDatabase(databaseOf(filled), base && databaseOf(base));
    return new IndexedDatabase(url, drop);
  }

  /** A copy of another one, which is stopped for that. */
  static async copy(other: IndexedDatabase): Promise<IndexedDatabase> {
    await other.close();
    const { url, drop } = await copyDatabase(other.url);
    return new IndexedDatabase(url, drop);
  }

  /** Follows `node`, polling it often, and its pool less often: an idle indexer would take a tenth of a processor. */
  async follow(node: { host: string; port: number } | Devnet, options: Partial<IndexerOptions> = {}): Promise<void> {
    if ("resourcesDirectory" in node) await knowDevnet(node);
    this.#indexer = await startIndexer({
      databaseUrl: this.url,
      nodes: [node],
      credentials: clientCredentials,
      log: silentLog,
      execution: knownExecution,
      ...options,
      limits: { pollMs: 40, maxRetryMs: 100, poolPollMs: options.limits?.pollMs ?? 100, ...options.limits },
    });
  }

  /** Waits for a head for which `isThere` is true. @throws Error with the head's position after `timeoutMs` without progress */
  async waitFor(isThere: (head: Head) => boolean, timeoutMs = 120_000): Promise<Head> {
    let head: Head | undefined;
    await until(
      async () => {
        head = await readHead(this.db);
        return head !== undefined && isThere(head);
      },
      () =>
        `the head is there, and not at ${head?.height} (${head?.hash.toString("hex")}), finalized ${head?.finalization.height}`,
      timeoutMs,
      () => head?.height ?? 0,
    );
    return head!;
  }

  /** Waits until the started indexer is the one that writes. */
  async waitForWriter(): Promise<void> {
    const held = sql<{ count: number }>`
      select count(*) as count from ${sql.raw(OWN_LOCKS)} where relation = 'index_writer'::regclass and granted`;
    await until(async () => (await held.execute(this.db)).rows[0]?.count !== 0, "the indexer writes");
  }

  /** Waits until the indexer has said why it cannot continue. */
  async waitForFailure(): Promise<IndexPoint> {
    let point: IndexPoint | undefined;
    const isThere = async () => {
      point = await readIndexPoint(this.db);
      return point.failure !== null;
    };
    await until(isThere, "the failure is recorded");
    return point!;
  }

  waitForHash(hash: Buffer): Promise<Head> {
    return this.waitFor((head) => head.hash.equals(hash));
  }

  async stop(): Promise<void> {
    await this.#indexer?.stop();
    this.#indexer = undefined;
  }

  async drop(): Promise<void> {
    await this.close();
    await this.#drop();
  }

  /** Stops the indexer, and closes the connections. */
  async close(): Promise<void> {
    await this.stop();
    if (!this.#isClosed) await this.db.destroy();
    this.#isClosed = true;
  }
}

function databaseOf({ name, fill }: FilledIndex): FilledDatabase {
  return {
    name,
    fill: async (url) => {
      const index = IndexedDatabase.at(url);
      try {
        await fill(index);
      } finally {
        await index.close();
      }
    },
  };
}
