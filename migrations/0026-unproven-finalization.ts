import { type Kysely, sql } from "kysely";

/**
 * Why the nodes' finalization is not accepted although their blocks are followed, for the gateways: one row or none.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("unproven_finalization")
    .addColumn("id", "int2", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("reason", "text", (c) => c.notNull())
    .execute();
}
