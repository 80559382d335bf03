import { type Kysely, sql } from "kysely";

/**
 * Search by beginnings of names.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index namespace_registrations_name on namespace_registrations (parent_id, (name collate "C"))
    include (namespace_id)`.execute(db);
}
