import { type Insertable, sql } from "kysely";
import type { Database, Db } from "../../../database/database.js";

/** PostgreSQL accepts at most 65,535 parameters in a statement; that many cost more memory than they save time. */
const MAX_PARAMETERS = 10_000;

/**
 * Inserts any number of rows, all with the same columns, in as few statements as possible.
 * @param identity the column by which a row replaces an existing one; without it there must be none
 */
export async function insertAll<T extends keyof Database>(
  trx: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
  identity?: string,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const chunk = Math.max(1, Math.floor(MAX_PARAMETERS / Math.max(1, columns.length)));
  const assignments = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  const replacing = identity && sql`on conflict (${sql.ref(identity)}) do update set ${sql.join(assignments)}`;
  for (let start = 0; start < rows.length; start += chunk) {
    const insert = trx.insertInto(table).values(rows.slice(start, start + chunk) as never);
    await (replacing ? insert.modifyEnd(replacing) : insert).execute();
  }
}
