import { type Kysely, sql } from "kysely";

/**
 * Why the indexer cannot continue, for the gateways, which share only the database with it: one row or none.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("indexer_failures")
    .addColumn("id", "int2", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("height", "int8")
    .addColumn("reason", "text", (c) => c.notNull())
    .execute();
}
