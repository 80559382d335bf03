import { sql } from "kysely";
import type { Db } from "../database.js";
import type { AnnouncementKind } from "../tables/pending.js";

/** An announcement accepted by a gateway. */
export interface Announcement {
  readonly hash: Buffer;
  readonly kind: AnnouncementKind;
  readonly payload: Buffer;
  /** Of a cosignature: the hash of its aggregate. */
  readonly parentHash?: Buffer | undefined;
  /**
   * Milliseconds since the network's epoch adjustment; for a cosignature the deadline of its aggregate, or how long
   * to retry.
   */
  readonly deadline: number;
}

/**
 * Delay before the first retry, in seconds: long enough for a node that collects transactions for 500 ms and checks
 * them, and for its broker. Retries help if a connection broke while sending.
 */
export const FIRST_PUSH_WAIT_S = 15;

/**
 * Stores an announcement as pushed once. To be called before it is pushed, so that the node cannot report it before
 * it is stored; `forgetAnnouncement` deletes it if the push fails. Announcing again starts over.
 */
export async function recordAnnouncement(db: Db, announcement: Announcement): Promise<void> {
  const { hash, kind, payload, parentHash = null, deadline } = announcement;
  await sql`
    insert into announcements
      (hash, kind, payload, parent_hash, deadline, announced_at, last_pushed_at, pushes, next_push_at, heard_at)
    values (${hash}, ${kind}, ${payload}, ${parentHash}, ${deadline}, now(), now(), 1,
      now() + make_interval(secs => ${FIRST_PUSH_WAIT_S}), null)
    on conflict (hash) do update set
      kind = excluded.kind, payload = excluded.payload, announced_at = now(), last_pushed_at = now(),
      pushes = announcements.pushes + 1, next_push_at = excluded.next_push_at, heard_at = null`.execute(db);
}

/** Deletes an announcement that could not be pushed; one that was pushed earlier stays. */
export async function forgetAnnouncement(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom("announcements").where("hash", "=", hash).where("pushes", "=", 1).execute();
}
