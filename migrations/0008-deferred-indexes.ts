import type { Kysely } from "kysely";

/**
 * Indexes that are left out while a long range is filled, with the statements that make them again: whoever comes next
 * finds what is still missing here. A later migration that changes or drops an index must look for it here too.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("deferred_indexes")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("definition", "text", (c) => c.notNull())
    .execute();
}
