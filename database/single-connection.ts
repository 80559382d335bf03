import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import { openConnection } from "./connection.js";
import type { Database, Db } from "./database.js";
import { readerWith, setReader } from "./reader.js";

/**
 * One connection as a database, for operations that Kysely does not support (COPY) within the transaction of queries.
 * It is not replaced when it is lost: everything fails then.
 */
export class SingleConnection {
  readonly client: pg.Client;
  readonly db: Db;

  private constructor(client: pg.Client) {
    this.client = client;
    const lent = Object.assign(client, { release: () => undefined });
    const pool = { connect: async () => lent, end: async () => undefined };
    this.db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
    setReader(
      this.db,
      readerWith(async () => lent as pg.PoolClient),
    );
  }

  /** @throws the driver's error when the database is unreachable */
  static async open(url: string, applicationName: string): Promise<SingleConnection> {
    return new SingleConnection(await openConnection(url, applicationName));
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
