import { sql } from "kysely";
import type { Db } from "../../database/database.js";
import { until } from "./until.js";

/**
 * Vacuums and analyzes all tables, as autovacuum does in time: only then do index-only scans suffice. A snapshot that
 * something else has at this moment, such as autovacuum, keeps pages from being marked as visible to all: then it is
 * repeated.
 */
export async function vacuum(db: Db): Promise<void> {
  const unmarked = async (): Promise<string[]> => {
    await sql`vacuum analyze`.execute(db);
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relallvisible < relpages`.execute(db);
    return rows.map(({ name }) => name);
  };
  await until(async () => (await unmarked()).length === 0, "each page is visible to all");
}
