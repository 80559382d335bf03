import { Kysely } from "kysely";
import type { LentClient, PreparedClient } from "./binary/client.js";
import { BinaryDialect } from "./binary/driver.js";
import { openConnection } from "./connection.js";
import type { Database, Db } from "./database.js";

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
function databaseOn(client: PreparedClient): Db {
  const lent = lentClient(client, () => undefined);
  return databaseWith(async () => lent);
}

/**
 * A connection as a database for a while. Statements that are sent at once run one at a time, so that the driver need not
 * queue them, which its next version does not do. Kysely's transactions cannot be used on it.
 */
export class SharedConnection {
  readonly db: Db;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(client: PreparedClient) {
    this.db = databaseWith(async () => {
      if (this.#isClosed) throw new Error("the operation of this statement has ended");
      const previous = this.#last;
      let release = (): void => undefined;
      this.#last = new Promise((resolve) => {
        release = resolve;
      });
      await previous;
      return lentClient(client, release);
    });
  }

  /** Rejects further statements. Resolves when none runs any more: one that fails does not end the others. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#last;
  }
}

function lentClient(client: PreparedClient, release: () => void): LentClient {
  const { copy, query, read } = client;
  return { copy: copy.bind(client), query: query.bind(client), read: read.bind(client), release };
}

function databaseWith(connect: () => Promise<LentClient>): Db {
  return new Kysely<Database>({ dialect: new BinaryDialect({ connect, end: async () => undefined }) });
}
