import { sql } from "kysely";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { Db } from "../database.js";
import { mayBePending } from "./announcements.js";
import { PENDING_LOCKS } from "./pending-transactions.js";

/** What is known of a bonded aggregate that waits for cosignatures. */
export interface WaitingAggregate {
  /** The aggregate without its cosignatures, or as it was announced. */
  readonly payload: Buffer;
  /** The public key of its own signer, 32 bytes. */
  readonly signerPublicKey: Buffer;
  readonly cosigners: readonly Buffer[];
  /** Milliseconds since the network's epoch adjustment. */
  readonly deadline: number;
  /** Whether the node has reported it. */
  readonly isReported: boolean;
}

/** A partial aggregate, or one that was announced here and is to be reported by the node; undefined if unknown. */
export async function findWaitingAggregate(db: Db, hash: Buffer): Promise<WaitingAggregate | undefined> {
  const { rows } = await sql<{ payload: Buffer; deadline: number; reported: boolean }>`
    select payload, deadline, true as reported from pending_transactions where hash = ${hash} and "group" = 'partial'
    union all
    select payload, deadline, false from announcements a
    where hash = ${hash} and kind = 'partial' and state <> 'reported'
      and not exists (select from transaction_statuses s where s.hash = a.hash and s.recorded_at >= a.announced_at)`.execute(
    db,
  );
  const row = rows.find(({ reported }) => reported) ?? rows[0];
  if (!row) return undefined;
  const cosignatures = await db
    .selectFrom("pending_cosignatures as c")
    .innerJoin("pending_transactions as t", "t.id", "c.id")
    .select("c.signer_public_key")
    .where("t.hash", "=", hash)
    .where("t.group", "=", "partial")
    .execute();
  return {
    payload: row.payload,
    signerPublicKey: row.payload.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved),
    cosigners: cosignatures.map((one) => one.signer_public_key),
    deadline: Number(row.deadline),
    isReported: row.reported,
  };
}

/** Offset of the locked hash in the bytes of a hash lock, and its type as bytes. */
export const LOCKED_HASH = 152;
export const LOCK_TYPE = Buffer.from([TRANSACTION_TYPE.hash_lock & 0xff, TRANSACTION_TYPE.hash_lock >> 8]);

/**
 * Where the hash lock of an aggregate is: in a block and unused, or pending, by itself or in an aggregate; undefined if
 * there is none.
 *
 * @param now milliseconds since the network's epoch
 */
export async function findLock(db: Db, hash: Buffer, now: number): Promise<"confirmed" | "pending" | undefined> {
  const { rows } = await sql<{ confirmed: boolean; pending: boolean }>`
    select exists (select from hash_locks l where l.hash = ${hash} and l.status = 0) as confirmed,
      exists (select from announcements l where ${mayBePending("l", now)} and position(${hash}::bytea in l.payload) > 0)
      or ${hash} in (${PENDING_LOCKS}) as pending`.execute(db);
  if (rows[0]?.confirmed) return "confirmed";
  return rows[0]?.pending ? "pending" : undefined;
}
