import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../database/database.js";
import { MESSAGE_INDEX } from "../../database/queries/messages.js";

/**
 * Notes the index over messages among the deferred ones if it is missing, so that it is created together with them, or
 * drops it. Undefined leaves it as it is.
 * @throws Error in a database whose encoding cannot have every message
 */
export async function arrangeMessageIndex(
  { db, log }: { readonly db: Db; readonly log: Logger },
  isWanted: boolean | undefined,
): Promise<void> {
  if (isWanted === undefined) return;
  const { name, definition } = MESSAGE_INDEX;
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ exists: boolean; encoding: string }>`
      select to_regclass(${name}) is not null as exists, current_setting('server_encoding') as encoding`.execute(trx);
    const [{ exists, encoding } = { exists: false, encoding: "" }] = rows;
    if (!isWanted) {
      await trx.deleteFrom("deferred_indexes").where("name", "=", name).execute();
      if (!exists) return;
      await sql`drop index ${sql.id(name)}`.execute(trx);
      log.info({ index: name }, "Dropped the index over messages: MESSAGE_INDEX is off");
      return;
    }
    if (exists) return;
    if (encoding !== "UTF8") throw new Error(`MESSAGE_INDEX=on needs a database with encoding UTF8, not ${encoding}`);
    await trx
      .insertInto("deferred_indexes")
      .values({ name, definition })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}
