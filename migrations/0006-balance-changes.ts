import { type Kysely, sql } from "kysely";

/**
 * What each block did to each account's balance of each mosaic: sums over heights are balances of the past. Rows come in
 * the order of heights, so a block range index finds what a roll-back takes away.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("balance_changes")
    .addColumn("mosaic_id", "bytea", (c) => c.notNull())
    .addColumn("address", "bytea", (c) => c.notNull())
    .addColumn("height", "int8", (c) => c.notNull())
    .addColumn("change", "int8", (c) => c.notNull())
    .execute();
  await sql`
    alter table balance_changes add constraint balance_changes_pkey
    primary key (mosaic_id, address, height) include (change)`.execute(db);
  await sql`create index balance_changes_height on balance_changes using brin (height)`.execute(db);
}
