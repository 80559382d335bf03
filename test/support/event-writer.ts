import pg from "pg";
import type { ChannelName } from "../../catapult/structs/message.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { EVENTS_CHANNEL } from "../../database/tables/events.js";
import { createMigratedDatabase, type TestDatabase } from "./database.js";

/** Identifier byte of the network that the tests use. */
export const NETWORK = 152;

/** An event as the indexer writes it. */
export interface TestEvent {
  readonly channel: ChannelName;
  readonly addresses?: readonly Buffer[];
  /** Rendered as JSON. */
  readonly data: unknown;
  readonly height?: number;
}

/** Writes events as the indexer does: rows and the head's sequence in one transaction that notifies. */
export class EventWriter {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1 });
    // Tests cut connections, also between two statements, when the pool does not listen to the one in use.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Creates the head row of a network without events. */
  async begin(network = NETWORK, generationHashSeed: Buffer = Buffer.alloc(32)): Promise<void> {
    await this.#pool.query(
      `INSERT INTO head (id, height, hash, score, finalized_epoch, finalized_point, finalized_height, finalized_hash,
         event_sequence, network_identifier, generation_hash_seed) VALUES (1, 0, $1, 0, 0, 0, 0, $1, 0, $2, $3)`,
      [Buffer.alloc(32), network, generationHashSeed],
    );
  }

  /** @returns the sequence of the last event */
  async write(...events: TestEvent[]): Promise<number> {
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      const head = await client.query("SELECT event_sequence::int AS last FROM head FOR UPDATE");
      let sequence: number = head.rows[0].last;
      for (const { channel, addresses = [], data, height = 1 } of events) {
        sequence += 1;
        await client.query(
          "INSERT INTO events (sequence, channel, height, addresses, data) VALUES ($1, $2, $3, $4, $5)",
          [sequence, channel, height, addresses, JSON.stringify(data)],
        );
        if (addresses.length === 0) continue;
        await client.query(
          "INSERT INTO event_addresses (address, channel, sequence) SELECT DISTINCT unnest($1::bytea[]), $2, $3::int8",
          [addresses, channel, sequence],
        );
      }
      await client.query("UPDATE head SET event_sequence = $1", [sequence]);
      await client.query("SELECT pg_notify($1, $2)", [EVENTS_CHANNEL, String(sequence)]);
      await client.query("COMMIT");
      return sequence;
    } finally {
      client.release();
    }
  }

  /** Deletes all events; the next one has the sequence 1. */
  async clear(): Promise<void> {
    await this.query("DELETE FROM events; DELETE FROM event_addresses; UPDATE head SET event_sequence = 0");
  }

  /** Deletes events up to a sequence, as pruning does. */
  async prune(last: number): Promise<void> {
    await this.query(
      `DELETE FROM events WHERE sequence <= ${last}; DELETE FROM event_addresses WHERE sequence <= ${last}`,
    );
  }

  /** Runs any statement. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query(text)).rows;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** A database of its own with an empty log of events, and what writes and reads it. */
export class EventDatabase extends EventWriter {
  readonly db: Db;
  readonly #database: TestDatabase;

  private constructor(database: TestDatabase, poolSize: number) {
    super(database.url);
    this.#database = database;
    this.db = openDatabase({ url: database.url, poolSize });
  }

  static async create(poolSize = 2): Promise<EventDatabase> {
    const created = new EventDatabase(await createMigratedDatabase(), poolSize);
    await created.begin();
    return created;
  }

  get url(): string {
    return this.#database.url;
  }

  override async close(): Promise<void> {
    await this.db.destroy();
    await super.close();
    await this.#database.drop();
  }
}
