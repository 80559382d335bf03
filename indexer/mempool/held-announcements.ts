import { sql } from "kysely";
import { readRejectedTransaction } from "../../catapult/announcement/rejected-transaction.js";
import { TRANSACTION_TYPE } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { HELD, mayBePending, REPORT_WAIT_S } from "../../database/mempool/announcements.js";
import { recordRejection } from "../../database/mempool/rejected-announcements.js";

/**
 * Within this time after a bonded aggregate, its lock must have been announced, in ms: a wallet that announces both at
 * once, over two connections, has both here by then, and one that forgot the lock learns of it within a second.
 */
export const LOCK_GRACE_MS = 500;
/** Offset of the locked hash in the bytes of a hash lock, and its type as bytes. */
const LOCKED_HASH = 152;
const LOCK_TYPE = Buffer.from([TRANSACTION_TYPE.hashLock & 0xff, TRANSACTION_TYPE.hashLock >> 8]);

/**
 * What is held becomes due: a bonded aggregate when its lock is in a block, a cosignature when the node has its
 * aggregate, unless it is of that one's own signer: the node would drop the aggregate. Everything else a node takes when
 * what it depends on is pending.
 */
export async function releaseHeld(db: Db): Promise<void> {
  const isByAnother = sql`substring(p.payload from 73 for 32) <> substring(a.payload from 9 for 32)`;
  await sql`
    update announcements a set next_push_at = now()
    where next_push_at = ${HELD} and case kind
      when 'partial' then ${hasLock}
      else exists (select from partial_transactions p where p.hash = a.parent_hash and ${isByAnother})
        or exists (select from announcements p where p.hash = a.parent_hash and p.next_push_at <> ${HELD}
          and ${isByAnother} and p.last_pushed_at < now() - make_interval(secs => ${REPORT_WAIT_S})) end`.execute(db);
}

/**
 * Rejects bonded aggregates that are held for a lock which is neither in a block nor pending, with the node's code for
 * them: {@link LOCK_GRACE_MS} after they were announced, or when their pending lock has failed. Cosignatures remain: the
 * aggregate can be announced again.
 *
 * @param trx a transaction
 * @param now milliseconds since the network's epoch
 */
export async function rejectUnlocked(trx: Db, network: NetworkIdentity, now: number, graceMs = LOCK_GRACE_MS) {
  const { rows } = await sql<{ payload: Buffer }>`
    with locked as (
      select substring(payload from ${LOCKED_HASH + 1} for 32) as hash from announcements l
      where ${mayBePending("l", now)} and substring(payload from 111 for 2) = ${LOCK_TYPE}
      union all
      select decode(document::jsonb #>> '{transaction,hash}', 'hex') from unconfirmed_transactions
      where type = ${TRANSACTION_TYPE.hashLock})
    update announcements a set next_push_at = null, heard_at = now()
    where kind = 'partial' and next_push_at = ${HELD}
      and announced_at < now() - make_interval(secs => ${graceMs / 1_000})
      and not ${hasLock} and not exists (select from locked where locked.hash = a.hash)
      and not exists (select from announcements l where ${mayBePending("l", now)} and position(a.hash in l.payload) > 0)
    returning payload`.execute(trx);
  const rejected = rows.flatMap(({ payload }) => readRejectedTransaction(payload, network) ?? []);
  if (rejected.length === 0) return;
  for (const one of rejected) await recordRejection(trx, { ...one, code: "Failure_LockHash_Unknown_Hash" });
  const hashes = rejected.map(({ hash }) => hash);
  await trx.deleteFrom("announcements").where("hash", "in", hashes).where("pushes", "=", 0).execute();
}

/** The condition that there is an unused lock for an announced aggregate. */
const hasLock = sql<boolean>`exists (select from hash_locks l where l.hash = a.hash and l.status = 0)`;
