import { type Kysely, sql } from "kysely";

/**
 * What gateways rejected after they had accepted it, until the indexer has reported it.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("rejected_announcements")
    .addColumn("id", "int8", (c) => c.primaryKey().generatedAlwaysAsIdentity())
    .addColumn("hash", "bytea", (c) => c.notNull())
    .addColumn("code", "text", (c) => c.notNull())
    .addColumn("deadline", sql`numeric(20)`, (c) => c.notNull())
    .addColumn("addresses", sql`bytea[]`, (c) => c.notNull())
    .addColumn("rejected_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
}
