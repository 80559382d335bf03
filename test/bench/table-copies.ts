import { createReadStream, createWriteStream } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";

/** Rows of tables in files, in COPY's binary format. */
export class TableCopies {
  readonly #folder: string;
  readonly #tables: readonly string[];

  private constructor(folder: string, tables: readonly string[]) {
    this.#folder = folder;
    this.#tables = tables;
  }

  /** Writes the rows of some tables of a database into files of a folder, in the order of the tables. */
  static async write(url: string, tables: readonly string[], folder: string): Promise<TableCopies> {
    const copies = new TableCopies(folder, tables);
    await withClient(url, async (client) => {
      for (const table of tables) {
        const rows = client.query(copyTo(`copy ${table} to stdout (format binary)`));
        await pipeline(rows, createWriteStream(copies.#file(table)));
      }
    });
    return copies;
  }

  /** Copies the rows into a database, one table after the other, all in one transaction. */
  async load(url: string): Promise<void> {
    await withClient(url, async (client) => {
      await client.query("begin");
      for (const table of this.#tables) {
        const sink = client.query(copyFrom(`copy ${table} from stdin (format binary)`));
        await pipeline(createReadStream(this.#file(table), { highWaterMark: 1024 * 1024 }), sink);
      }
      await client.query("commit");
    });
  }

  #file(table: string): string {
    return path.join(this.#folder, `${table}.copy`);
  }
}

/** Number of rows of a table, and the sum of their hashes: equal for equal tables. */
export interface TableSum {
  readonly table: string;
  readonly rows: number;
  readonly sum: string;
}

/** Runs `work` with a connection, and closes it. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
