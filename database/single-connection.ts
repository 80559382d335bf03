import { Kysely } from "kysely";
import type { LentClient, PreparedClient } from "./binary/client.js";
import { BinaryDialect } from "./binary/driver.js";
import { openConnection } from "./connection.js";
import type { Database, Db } from "./database.js";

/**
 * One connection as a database, for operations that Kysely does not support (COPY) within the transaction of queries.
 * A lost connection is not replaced: everything fails then.
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
function databaseOn(client: PreparedClient): Db {
  const { copy, query, read } = client;
  const lent: LentClient = {
    copy: copy.bind(client),
    query: query.bind(client),
    read: read.bind(client),
    release: () => undefined,
  };
  return new Kysely<Database>({
    dialect: new BinaryDialect({ connect: async () => lent, end: async () => undefined }),
  });
}
