import { type Kysely, sql } from "kysely";

/**
 * Webhooks of operators, and their messages: those to deliver, and those delivered lately, which a fork may still drop.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhooks")
    .addColumn("id", "int8", (c) => c.primaryKey().generatedAlwaysAsIdentity())
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("topics", sql`text[]`, (c) => c.notNull())
    .addColumn("confirmations", "int4", (c) => c.notNull())
    .addColumn("awaits_finality", "boolean", (c) => c.notNull())
    .addColumn("secret", "bytea", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("queued_through", "int8", (c) => c.notNull())
    .addColumn("next_number", "int8", (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createTable("webhook_messages")
    .addColumn("webhook_id", "int8", (c) => c.notNull().references("webhooks.id").onDelete("cascade"))
    .addColumn("number", "int8", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("height", "int8")
    .addColumn("body", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("attempts", "int4", (c) => c.notNull().defaultTo(0))
    .addColumn("queued_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("next_attempt_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("ended_at", "timestamptz")
    .addColumn("problem", "text")
    .addColumn("is_dropped", "boolean", (c) => c.notNull().defaultTo(false))
    .addPrimaryKeyConstraint("webhook_messages_pkey", ["webhook_id", "number"])
    .addCheckConstraint("webhook_messages_state", sql`state in ('waiting', 'pending', 'delivered', 'dead')`)
    .execute();
  await sql`create index webhook_messages_open on webhook_messages (webhook_id, number)
    where state in ('waiting', 'pending')`.execute(db);
  await sql`create index webhook_messages_heights on webhook_messages (webhook_id, height) where height is not null`.execute(
    db,
  );
}
