import type { Kysely } from "kysely";

/**
 * Checks of the indexer that rejected blocks which the votes of the network prove, for its operators.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("overruled_checks")
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("rule", "text", (c) => c.notNull())
    .addColumn("transaction_hash", "bytea")
    .execute();
}
