import { type Kysely, sql } from "kysely";

/**
 * Events by whom they concern, in order, in place of an index over the lists of addresses: that one cannot give the first
 * few of many, and is not used where it would be needed most.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("event_addresses")
    .addColumn("address", "bytea", (c) => c.notNull())
    .addColumn("channel", "text", (c) => c.notNull())
    .addColumn("sequence", "int8", (c) => c.notNull())
    .addPrimaryKeyConstraint("event_addresses_pkey", ["address", "channel", "sequence"])
    .execute();
  // By which they are pruned.
  await db.schema.createIndex("event_addresses_sequence").on("event_addresses").column("sequence").execute();
  await sql`
    insert into event_addresses (address, channel, sequence)
    select distinct unnest(addresses), channel, sequence from events`.execute(db);
  await db.schema.dropIndex("events_addresses").execute();
}
