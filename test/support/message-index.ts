import { sql } from "kysely";
import type { Db } from "../../database/database.js";
import { MESSAGE_INDEX } from "../../database/queries/messages.js";

/** Creates the index over messages; not by a note among the deferred ones, which an indexer that starts creates too. */
export async function createMessageIndex(db: Db): Promise<void> {
  await sql.raw(MESSAGE_INDEX.definition).execute(db);
}
