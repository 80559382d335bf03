import { type Kysely, sql } from "kysely";

/**
 * Indexes by which the events of a topic are found again: of a channel in order, and by whom they concern.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("events_channel").on("events").columns(["channel", "sequence"]).execute();
  await sql`create index events_addresses on events using gin (addresses)`.execute(db);
  // Events are pruned in the order of their sequences.
  await db.schema.dropIndex("events_created_at").execute();
}
