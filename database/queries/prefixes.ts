import { sql } from "kysely";
import type { Db } from "../database.js";

/** The first and the last bytes with a prefix. */
export interface PrefixRange {
  readonly first: Buffer;
  readonly last: Buffer;
}

/** Hashes have no order in the index: those of the newest rows are compared. */
const NEWEST_ROWS = 100_000;

/** Heights of blocks whose hashes begin with a prefix, among the newest. */
export async function findBlockHeightsByPrefix(db: Db, { first, last }: PrefixRange, limit: number): Promise<number[]> {
  const { rows } = await sql<{ height: number }>`
    select height from (select height, hash from blocks order by height desc limit ${NEWEST_ROWS}) newest
    where hash >= ${first} and hash <= ${last} limit ${limit}`.execute(db);
  return rows.map(({ height }) => height);
}

/** Hashes of transactions that begin with a prefix, among the newest. */
export async function findTransactionHashesByPrefix(
  db: Db,
  { first, last }: PrefixRange,
  limit: number,
): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from (select hash from transactions order by id desc limit ${NEWEST_ROWS}) newest
    where hash >= ${first} and hash <= ${last} limit ${limit}`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** Addresses of accounts that begin with a prefix, in their order. */
export async function findAddressesByPrefix(db: Db, { first, last }: PrefixRange, limit: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom("accounts")
    .select("address")
    .where("address", ">=", first)
    .where("address", "<=", last)
    .orderBy("address")
    .limit(limit)
    .execute();
  return rows.map(({ address }) => address);
}
