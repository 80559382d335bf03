import { sql } from "kysely";
import type { Db } from "../database.js";
import { Collection, listNumber } from "../lists/collections.js";
import { countAccounts } from "./accounts.js";

/** Statistics of the database. */
export interface Storage {
  readonly blocks: number;
  /** Including those embedded in aggregates. */
  readonly transactions: number;
  readonly accounts: number;
  readonly database: DatabaseStorage;
}

/** Statistics of PostgreSQL; sizes in bytes. */
export interface DatabaseStorage {
  readonly indexes: number;
  /** Rows of all tables, according to the last ANALYZE. */
  readonly rows: number;
  readonly dataSize: number;
  readonly indexSize: number;
  readonly totalSize: number;
}

/** Counts what is stored; the first three are exact. */
export async function readStorage(db: Db): Promise<Storage> {
  const [blocks, transactions, accounts, database] = await Promise.all([
    estimateCount(db, listNumber(Collection.blocks, 0)),
    estimateCount(db, listNumber(Collection.transactionsAll, 0)),
    countAccounts(db),
    readDatabaseStorage(db),
  ]);
  return { blocks, transactions, accounts, database };
}

async function estimateCount(db: Db, list: number): Promise<number> {
  const row = await db.selectFrom("list_counters").select("count").where("list", "=", list).executeTakeFirst();
  return row?.count ?? 0;
}

async function readDatabaseStorage(db: Db): Promise<DatabaseStorage> {
  const { rows } = await sql<DatabaseStorage>`
    select count(*) filter (where relkind = 'i') as indexes,
      coalesce(sum(greatest(reltuples, 0)) filter (where relkind = 'r'), 0)::int8 as rows,
      coalesce(sum(pg_table_size(oid)) filter (where relkind = 'r'), 0)::int8 as "dataSize",
      coalesce(sum(pg_relation_size(oid)) filter (where relkind = 'i'), 0)::int8 as "indexSize",
      pg_database_size(current_database()) as "totalSize"
    from pg_class where relnamespace = current_schema()::regnamespace`.execute(db);
  return rows[0] as DatabaseStorage;
}
