import pg from "pg";
import { OWN_LOCKS } from "../support/own-catalogues.js";
import { until } from "../support/until.js";

/**
 * Runs something while tables of a database are locked: statements that read them wait until it has ended, and so do
 * their requests.
 */
export async function whileLocked<T>(
  connectionString: string,
  tables: readonly string[],
  work: (lock: TableLock) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`begin; lock table ${tables.join(", ")} in access exclusive mode`);
    return await work(new TableLock(client));
  } finally {
    await client.query("rollback");
    await client.end();
  }
}

/** Locked tables. */
export class TableLock {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Number of statements that wait for the tables. */
  async waiting(): Promise<number> {
    const { rows } = await this.#client.query<{ waiting: number }>(
      `select count(*)::int as waiting from ${OWN_LOCKS} where not granted`,
    );
    return rows[0]!.waiting;
  }

  /** Waits until at least this number of statements wait for the tables. */
  async isAwaitedBy(statements: number): Promise<void> {
    await until(async () => (await this.waiting()) >= statements, `${statements} statements wait`);
  }
}
