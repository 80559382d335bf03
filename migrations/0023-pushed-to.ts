import { type Kysely, sql } from "kysely";

/**
 * Which node was sent an announcement, and when. Of earlier pushes the node is unknown, so all of them count as due: each
 * is sent once more. Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("announcements")
    .addColumn("pushed_to", "jsonb", (c) => c.notNull().defaultTo(sql`'{}'::jsonb`))
    .addColumn("held_for", "text")
    .execute();
  await db.schema
    .createIndex("announcements_parent")
    .on("announcements")
    .column("parent_hash")
    .where(sql.ref("parent_hash"), "is not", null)
    .execute();
}
