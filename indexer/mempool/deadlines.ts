import { sql } from "kysely";
import type { Logger } from "pino";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { Db } from "../../database/database.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import type { Change } from "./change.js";
import { SETTLED_MS } from "./lifecycle.js";
import { IN_NO_BLOCK } from "./pending-transaction.js";

const MAX_EXPIRED = 1_000;

/**
 * Expired transactions: all that are pending or awaited with a deadline up to `until`, and announcements that the
 * node never reported.
 * @param until milliseconds since the network's epoch
 */
export async function findExpired(db: Db, network: NetworkIdentity, until: number, log: Logger): Promise<Change[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    (select hash from pending_transactions where not embedded and deadline <= ${until} order by deadline limit ${MAX_EXPIRED})
    union (select hash from awaited_transactions where deadline <= ${until} order by deadline limit ${MAX_EXPIRED})`.execute(
    db,
  );
  const announced = await db
    .selectFrom("announcements")
    .select(["hash", "payload", "deadline"])
    .where("deadline", "<=", until)
    .where("kind", "!=", "cosignature" satisfies AnnouncementKind)
    .where("reported_at", "is", null)
    .orderBy("deadline")
    .limit(MAX_EXPIRED)
    .execute();
  return [
    ...rows.map(({ hash }): Change => ({ kind: "expired", hash })),
    ...announced.map(({ hash, payload, deadline }): Change => {
      const addresses = relatedAddresses(payload, network, log);
      return { kind: "notTaken", hash, deadline: BigInt(deadline), addresses };
    }),
  ];
}

/** Transactions that were rejected and removed, and have not returned for a while. */
export async function findSettled(db: Db): Promise<Change[]> {
  const before = new Date(Date.now() - SETTLED_MS);
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from awaited_transactions join transaction_statuses using (hash)
    where since <= ${before} and recorded_at <= ${before} limit ${MAX_EXPIRED}`.execute(db);
  return rows.map(({ hash }) => ({ kind: "settled", hash }));
}

/** Deletes announcements with a deadline up to `until`, after the results of {@link findExpired} were written. */
export async function forgetExpired(db: Db, until: number, expired: readonly Change[]): Promise<void> {
  const concluded = expired.filter(({ kind }) => kind === "notTaken").map(({ hash }) => hash);
  await sql`
    delete from announcements
    where deadline <= ${until}
      and (reported_at is not null or kind = 'cosignature' or hash = any(${concluded}::bytea[]))`.execute(db);
}

/** The addresses that an announced transaction concerns; none if it cannot be decoded. */
export function relatedAddresses(payload: Buffer, network: NetworkIdentity, log: Logger): readonly Buffer[] {
  try {
    return decodeTransaction(payload, network, IN_NO_BLOCK).relatedAddresses;
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    log.warn({ problem: error.message }, "An announced transaction cannot be decoded");
    return [];
  }
}
