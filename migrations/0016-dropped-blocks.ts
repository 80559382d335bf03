import type { Kysely } from "kysely";

/**
 * Blocks that a rollback dropped, in the order of their removal: with the height of the index they give every addition
 * and removal of a block a number. Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("dropped_blocks")
    .addColumn("sequence", "int8", (c) => c.primaryKey())
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("dropped_blocks_heights").on("dropped_blocks").columns(["height", "sequence"]).execute();
}
