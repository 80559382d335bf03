import { sql } from "kysely";
import { readRejectedTransaction } from "../../catapult/announcement/rejected-transaction.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { AWAITED_PUSH_WAIT_S, mayBePending, REPORT_WAIT_S } from "../../database/mempool/announcements.js";
import { PENDING_LOCKS } from "../../database/mempool/pending-transactions.js";
import { recordRejection } from "../../database/mempool/rejected-announcements.js";
import { LOCK_TYPE, LOCKED_HASH } from "../../database/mempool/waiting-aggregate.js";

/**
 * What is held becomes due: a bonded aggregate when its lock is in a block, a cosignature when the node has its
 * aggregate, unless it is of that one's own signer: the node would drop the aggregate. Everything else a node takes when
 * what it depends on is pending. An aggregate that the node had, and forgot, may return by itself.
 */
export async function releaseHeld(db: Db): Promise<void> {
  const isByAnother = sql`substring(p.payload from 73 for 32) <> substring(a.payload from 9 for 32)`;
  await sql`
    update announcements a set state = 'pushed', next_push_at = now()
      + case when reported_at is null or kind = 'cosignature' then interval '0' else make_interval(secs => ${AWAITED_PUSH_WAIT_S}) end
    where state = 'held' and case kind
      when 'partial' then ${hasLock}
      else exists (select from pending_transactions p where p.hash = a.parent_hash and p."group" = 'partial' and ${isByAnother})
        or exists (select from announcements p where p.hash = a.parent_hash and p.state = 'pushed'
          and p.reported_at is null and ${isByAnother} and p.last_pushed_at < now() - make_interval(secs => ${REPORT_WAIT_S})) end`.execute(
    db,
  );
}

/**
 * Rejects bonded aggregates that are held for a lock which has failed, so that it is neither in a block nor pending, with
 * the node's code for them. One that the node had waits for its lock to return with its block.
 *
 * @param trx a transaction
 * @param now milliseconds since the network's epoch
 */
export async function rejectUnlocked(trx: Db, network: NetworkIdentity, now: number) {
  const { rows } = await sql<{ payload: Buffer }>`
    with locked as (
      select substring(payload from ${LOCKED_HASH + 1} for 32) as hash from announcements l
      where ${mayBePending("l", now)} and substring(payload from 111 for 2) = ${LOCK_TYPE}
      union all ${PENDING_LOCKS})
    update announcements a set state = 'reported', reported_at = now()
    where kind = 'partial' and state = 'held' and reported_at is null
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
