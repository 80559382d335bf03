import { sql } from "kysely";
import type { Db } from "../database.js";

/** A PostgreSQL server, and what the role of a connection may do there. */
export interface ServerFacts {
  /** Such as 180001 for 18.1. */
  readonly version: number;
  /** The version as the server names it. */
  readonly versionName: string;
  /** Such as UTF8. */
  readonly encoding: string;
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Whether it only repeats a primary. */
  readonly isStandby: boolean;
  /** The schema of new tables; null if the role sees none. */
  readonly schema: string | null;
  /** Whether the role may create tables in it, and schemas beside it. */
  readonly mayCreate: boolean;
}

export async function readServerFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select
      current_setting('server_version_num')::int as version,
      current_setting('server_version') as "versionName",
      current_setting('server_encoding') as encoding,
      current_user::text as role,
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      pg_is_in_recovery() as "isStandby",
      current_schema()::text as schema,
      has_schema_privilege(current_schema(), 'create')
        and has_database_privilege(current_database(), 'create') as "mayCreate"`.execute(db);
  const [facts] = rows;
  if (!facts) throw new Error("the server says nothing about itself");
  return { ...facts, mayCreate: facts.mayCreate === true };
}

/** Whether the role may read and write the tables of the index, which exist. */
export async function mayWriteIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege('head', 'select') and has_table_privilege('head', 'update') as may`.execute(db);
  return rows[0]?.may === true;
}
