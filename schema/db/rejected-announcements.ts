import { type ColumnType, type Generated, sql } from "kysely";
import type { Db, Numeric } from "./database.js";

/**
 * Announcements that a gateway rejected after it had accepted them: the indexer turns each into a status and its message,
 * and deletes it. Events have one writer and one sequence, so a gateway writes none.
 */
export interface RejectedAnnouncementTable {
  id: Generated<number>;
  /** Of the transaction. */
  hash: Buffer;
  /** Name of the node's code, such as `Failure_Core_Past_Deadline`. */
  code: string;
  /** As the transaction has it. */
  deadline: Numeric;
  /** Whom it concerns (24 bytes each). */
  addresses: Buffer[];
  rejected_at: ColumnType<Date, never, never>;
}

export interface RejectedAnnouncement {
  readonly id: number;
  readonly hash: Buffer;
  readonly code: string;
  readonly deadline: bigint;
  readonly addresses: readonly Buffer[];
}

/** Hands a rejection over to the indexer. */
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
