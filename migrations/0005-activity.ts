import { type Kysely, sql } from "kysely";

/**
 * The index over timestamps holds what is summed up over spans of time, so that such sums read no block.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index blocks_activity on blocks (timestamp, id)
    include (height, transactions_count, total_transactions_count, total_fee)`.execute(db);
  await db.schema.dropIndex("blocks_timestamp").execute();
}
