import type { Kysely } from "kysely";

/**
 * What blocks and state hold of types and versions that the program did not know when it wrote them, for it and its
 * operators to find again.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("unknown_entities")
    .addColumn("id", "bytea", (c) => c.notNull())
    .addColumn("place", "text", (c) => c.notNull())
    .addColumn("type", "int4", (c) => c.notNull())
    .addColumn("version", "int4", (c) => c.notNull())
    .addPrimaryKeyConstraint("unknown_entities_pkey", ["id", "place"])
    .execute();
  await db.schema.alterTable("pending_states").addColumn("unknown_version", "int4").execute();
}
