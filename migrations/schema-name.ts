import { type Kysely, sql } from "kysely";

/** The name of the schema that is migrated, quoted. */
export async function schemaName(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db);
  return rows[0]?.schema ?? "public";
}
