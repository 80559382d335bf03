import { openDatabase } from "../../database/connection.js";
import { type Head, readHead } from "../../database/queries/head.js";
import { checkIndex } from "../support/checked-index.js";
import { createMigratedDatabase } from "../support/database.js";
import type { IndexerProcessStart } from "../support/indexer-process.js";
import { KillableIndexer } from "../support/killable-indexer.js";

/** Blocks, lists and entries of each kind of state. */
const CHECKED_SAMPLE = 300;

/** The stored bytes of a block. */
export interface IndexedBlock {
  readonly height: number;
  readonly block: Buffer;
}

/** An index that an indexer in its own process fills by executing blocks; the process is killed now and then. */
export class FollowedIndex {
  readonly #start: IndexerProcessStart;
  readonly #indexer = new KillableIndexer();
  readonly #db;
  readonly #drop: () => Promise<void>;
  readonly #restarts: number[] = [];
  readonly #compared = new Set<number>();

  private constructor(start: IndexerProcessStart, drop: () => Promise<void>) {
    this.#start = start;
    this.#drop = drop;
    this.#db = openDatabase({ url: start.databaseUrl, poolSize: 1, onError: () => undefined });
  }

  static async start(options: Omit<IndexerProcessStart, "databaseUrl">): Promise<FollowedIndex> {
    const { url, drop } = await createMigratedDatabase();
    const index = new FollowedIndex({ ...options, databaseUrl: url }, drop);
    await index.#indexer.start(index.#start);
    return index;
  }

  get databaseUrl(): string {
    return this.#start.databaseUrl;
  }

  /** Heights at which the process was killed. */
  get restarts(): readonly number[] {
    return this.#restarts;
  }

  /** Number of heights at which the head was the node's block. */
  get compared(): number {
    return this.#compared.size;
  }

  /** Kills the process and starts another one. */
  async restart(): Promise<void> {
    this.#restarts.push((await readHead(this.#db))?.height ?? 0);
    await this.#indexer.kill();
    await this.#indexer.start(this.#start);
  }

  /** Kills the process: the index stays as it is. */
  async freeze(): Promise<void> {
    await this.#indexer.kill();
  }

  head(): Promise<Head | undefined> {
    return readHead(this.#db);
  }

  /** Number of rounds of which a proof was verified. */
  async proofs(): Promise<number> {
    return (await this.#db.selectFrom("finalized_blocks").select("epoch").execute()).length;
  }

  /** All blocks, from the first. */
  blocks(): Promise<IndexedBlock[]> {
    return this.#db.selectFrom("raw_blocks").select(["height", "block"]).orderBy("height").execute();
  }

  /** Compares the head with the node's block of the same height. Returns that height. */
  async compare(hashAt: (height: number) => Buffer | undefined): Promise<number> {
    const head = await readHead(this.#db);
    if (head && hashAt(head.height)?.equals(head.hash)) this.#compared.add(head.height);
    return head?.height ?? 0;
  }

  /**
   * The differences that `check` finds between the database and a node, the first one by default, with samples of
   * everything but the state trees.
   */
  async check(node = this.#start.nodes[0]!): Promise<readonly string[]> {
    const { config } = this.#start;
    const execution = { configOf: () => config };
    return (await checkIndex({ databaseUrl: this.databaseUrl, nodes: [node], execution, sample: CHECKED_SAMPLE }))
      .found;
  }

  async close(): Promise<void> {
    await this.#indexer.close();
    await this.#db.destroy();
    await this.#drop();
  }
}
