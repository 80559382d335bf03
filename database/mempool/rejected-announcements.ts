import { sql } from "kysely";
import type { Db } from "../database.js";

export interface RejectedAnnouncement {
  readonly id: number;
  readonly hash: Buffer;
  readonly code: string;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** Passes a rejection to the indexer. */
export async function recordRejection(db: Db, rejection: Omit<RejectedAnnouncement, "id">): Promise<void> {
  const { hash, code, deadline, addresses } = rejection;
  await db
    .insertInto("rejected_announcements")
    .values({ hash, code, deadline, addresses: [...addresses] })
    .execute();
}

/** Rejections that are not reported yet, the oldest first. */
export async function readRejections(db: Db, limit: number): Promise<RejectedAnnouncement[]> {
  const rows = await db
    .selectFrom("rejected_announcements")
    .select(["id", "hash", "code", "deadline", "addresses"])
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, deadline: BigInt(row.deadline) }));
}

/** Deletes rejections in the transaction that reports them. @returns the ids of those that were still there */
export async function takeRejections(trx: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    delete from rejected_announcements where id = any(${[...ids]}::int8[]) returning id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}
