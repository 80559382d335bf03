import type { Kysely } from "kysely";

/**
 * Where blocks that the votes of the network prove have other hashes than the indexer computes, and the entries of the
 * state because of which they do. Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("differing_blocks")
    .addColumn("field", "text", (c) => c.notNull())
    .addColumn("first_height", "int8", (c) => c.notNull())
    .addColumn("last_height", "int8", (c) => c.notNull())
    .addColumn("roots", "bytea")
    .addPrimaryKeyConstraint("differing_blocks_pkey", ["field", "first_height"])
    .execute();
  await db.schema
    .createTable("unproven_states")
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("position", "bytea", (c) => c.notNull())
    .addColumn("key", "bytea")
    .addColumn("leaf", "bytea")
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("changed_height", "int8")
    .addPrimaryKeyConstraint("unproven_states_pkey", ["kind", "position"])
    .execute();
}
