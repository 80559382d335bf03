import { sql } from "kysely";
import type { Db } from "./database.js";

/** How something was announced: by `PUT /transactions`, `/transactions/partial` or `/transactions/cosignature`. */
export type AnnouncementKind = "transaction" | "partial" | "cosignature";

/**
 * What gateways announced to the node: the indexer pushes it again while nothing is heard of it, until its deadline.
 * Rows go at their deadline.
 */
export interface AnnouncementTable {
  /** Of the transaction; of a cosignature the sha3-256 of its payload. */
  hash: Buffer;
  kind: AnnouncementKind;
  /** As it was pushed: the whole transaction, or the detached cosignature (136 bytes). */
  payload: Buffer;
  /** Of a cosignature: the hash of its aggregate. */
  parent_hash: Buffer | null;
  /** Milliseconds since the network's epoch adjustment. */
  deadline: number;
  announced_at: Date;
  last_pushed_at: Date;
  pushes: number;
  /** Null while there is nothing to push: it was heard of. */
  next_push_at: Date | null;
  /** When the node first spoke of it. */
  heard_at: Date | null;
}

/** What a gateway took over. */
export interface Announcement {
  readonly hash: Buffer;
  readonly kind: AnnouncementKind;
  readonly payload: Buffer;
  /** Of a cosignature: the hash of its aggregate. */
  readonly parentHash?: Buffer | undefined;
  /** Milliseconds since the network's epoch adjustment; of a cosignature the deadline of its aggregate, or how long to try. */
  readonly deadline: number;
}

/**
 * First wait, in seconds: long enough for a node that gathers transactions for 500 ms and checks them, and for its broker.
 * It helps against connections that broke with the bytes on their way.
 */
export const FIRST_PUSH_WAIT_S = 15;

/**
 * Remembers what is announced now, as pushed once. To be called before it is pushed, so that nothing is heard of it
 * before it is known; `forgetAnnouncement` takes it back when the push fails. Announcing again begins anew.
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

/** Takes back an announcement that could not be pushed; one that was pushed earlier stays. */
export async function forgetAnnouncement(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom("announcements").where("hash", "=", hash).where("pushes", "=", 1).execute();
}
