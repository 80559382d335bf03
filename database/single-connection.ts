import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import { openConnection } from "./connection.js";
import type { Database, Db } from "./database.js";
import type { PreparedClient } from "./prepared-client.js";
import { readerWith, setReader } from "./reader.js";

/**
 * One connection as a database, for operations that Kysely does not support (COPY) within the transaction of queries.
 * It is not replaced when it is lost: everything fails then.
 */
export class SingleConnection {
  readonly client: PreparedClient;
  readonly db: Db;

  private constructor(client: PreparedClient) {
    this.client = client;
    this.db = databaseOn(client);
  }

  /** @throws the driver's error when the database is unreachable */
  static async open(url: string, applicationName: string): Promise<SingleConnection> {
    return new SingleConnection(await openConnection(url, applicationName));
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

/** A connection as a database, which never closes or releases it. */
export function databaseOn(client: PreparedClient): Db {
  const lent = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  const pool = { connect: async () => lent, end: async () => undefined };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  setReader(
    db,
    readerWith(() => pool.connect(), client.statementNames),
  );
  return db;
}
