import type { Insertable } from "kysely";
import type { Database, Db } from "../../../database/database.js";

/** PostgreSQL accepts at most 65,535 parameters in a statement; that many cost more memory than they save time. */
const MAX_PARAMETERS = 10_000;

/** Inserts any number of rows, all with the same columns, in as few statements as possible. */
export async function insertAll<T extends keyof Database>(
  trx: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).length;
  const chunk = Math.max(1, Math.floor(MAX_PARAMETERS / Math.max(1, columns)));
  for (let start = 0; start < rows.length; start += chunk) {
    const values = rows.slice(start, start + chunk) as never;
    await trx.insertInto(table).values(values).execute();
  }
}
