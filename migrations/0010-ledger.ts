import type { Kysely } from "kysely";

/**
 * What an indexer that executes blocks keeps besides the state: of accounts what their values leave out, and of each block
 * that is not final the entries that it replaced; and who votes in an epoch of finalization. `ledger_height` is the head's height where all of this is complete, and
 * null where the state was read from a node.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("accounts").addColumn("history", "bytea").execute();
  await db.schema.alterTable("head").addColumn("ledger_height", "int8").execute();
  await db.schema
    .createTable("replaced_states")
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("value", "bytea")
    .addColumn("history", "bytea")
    .addPrimaryKeyConstraint("replaced_states_pkey", ["height", "kind", "key"])
    .execute();
  await db.schema
    .createTable("voting_sets")
    .addColumn("epoch", "int8", (c) => c.primaryKey())
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("voters", "bytea", (c) => c.notNull())
    .execute();
}
