import { withClient } from "./database.js";

/** A user of the views, with the rights of the role symbol_reader, as docs/sql.md creates them. */
export const READER_USER = "reader_of_views";

/** Creates that user on the database's server if it is missing. @returns the database's URL for it */
export async function urlOfReader(databaseUrl: string): Promise<string> {
  await withClient(databaseUrl, async (owner) => {
    // Users belong to the whole server, and several test files may create it at once.
    await owner.query("begin");
    await owner.query("select pg_advisory_xact_lock(hashtext($1))", [READER_USER]);
    const { rows } = await owner.query("select from pg_roles where rolname = $1", [READER_USER]);
    if (rows.length === 0) {
      await owner.query(
        `create user ${READER_USER} password '${READER_USER}' connection limit 3 in role symbol_reader`,
      );
    }
    await owner.query("commit");
  });
  const url = new URL(databaseUrl);
  Object.assign(url, { username: READER_USER, password: READER_USER });
  return url.href;
}
