import { type Kysely, sql } from "kysely";
import { dropHeadLeases } from "./0017-head-leases.js";
import { FIXED_PATH, schemaName } from "./0022-analytics.js";

/** Of the notifications that wake gateways; their payload is the sequence of the newest event. */
const CHANNEL = "symbol_events";

/** What the answers of a gateway depend on, besides inserted and deleted rows. */
const MOVES = {
  head: "update of hash, finalized_epoch, finalized_point",
  pending_states: "update of unknown_version",
};

/**
 * Drops the leases on the head. Instead every writer of the head or of state wakes the gateways when it commits, also one
 * that writes no events, and each of them drops the answers that it has kept. The same notification of one transaction is
 * sent once.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dropHeadLeases(db);
  await sql`
    create function wake_gateways() returns trigger language plpgsql ${sql.raw(FIXED_PATH)} as $$
    begin
      perform pg_notify(${sql.lit(CHANNEL)}, (select event_sequence::text from ${sql.raw(`${await schemaName(db)}.head`)}));
      return null;
    end $$`.execute(db);
  for (const [table, changes] of Object.entries(MOVES)) {
    await sql`
      create trigger ${sql.ref(`${table}_news`)} after insert or delete or truncate or ${sql.raw(changes)} on ${sql.table(table)}
      for each statement execute function wake_gateways()`.execute(db);
  }
}
