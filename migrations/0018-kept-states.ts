import type { Kysely } from "kysely";

/**
 * What execution needs of locks and root namespaces besides their rows (`ledger/engine/omitted-part.ts`): entries that
 * nodes have removed, with their values, and the older locks of an id beside a newer one.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("kept_states")
    .addColumn("kind", "int2", (c) => c.notNull())
    .addColumn("key", "bytea", (c) => c.notNull())
    .addColumn("value", "bytea")
    .addColumn("history", "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("kept_states_pkey", ["kind", "key"])
    .execute();
}
