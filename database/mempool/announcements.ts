import { type RawBuilder, sql } from "kysely";
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
 * Delay before the same bytes are pushed again, in seconds. A node ignores what it rejected or dropped until
 * `shortLivedCacheTransactionDuration` (10 minutes on all known networks) has passed without a repetition.
 */
export const PUSH_WAIT_S = 660;
/** Delay before what a node had, and has no longer, is pushed again, in seconds: it may return by itself. */
export const AWAITED_PUSH_WAIT_S = 15;

/**
 * Stores an announcement as pushed once. To be called before it is pushed, so that the node cannot report it before
 * it is stored; `forgetAnnouncement` deletes it if the push fails. Announcing again starts over, except that bytes which
 * a node would ignore are pushed again only when it no longer does.
 *
 * @returns whether to push it now
 */
export function recordAnnouncement(db: Db, announcement: Announcement): Promise<boolean> {
  return store(db, announcement, 1, NEXT_PUSH);
}

/** Stores an announcement that the node would not take yet: the indexer pushes it when it would, see `push-again.ts`. */
export async function holdAnnouncement(db: Db, announcement: Announcement): Promise<void> {
  await store(db, announcement, 0, HELD);
}

/** The next push of what is pushed now. */
export const NEXT_PUSH = sql<Date>`now() + make_interval(secs => ${PUSH_WAIT_S})`;

/** The time of the next push of what is held. */
export const HELD = sql`'infinity'::timestamptz`;

async function store(db: Db, announcement: Announcement, pushes: number, next: RawBuilder<unknown>): Promise<boolean> {
  const { hash, kind, payload, parentHash = null, deadline } = announcement;
  // A bonded aggregate is recognized by its hash alone, a complete one with its cosignatures.
  const isIgnored = sql`${pushes} > 0 and a.pushes > 0 and a.kind = excluded.kind
    and (a.kind = 'partial' or a.payload = excluded.payload)
    and a.last_pushed_at > now() - make_interval(secs => ${PUSH_WAIT_S})`;
  const { rows } = await sql<{ isPushed: boolean }>`
    insert into announcements as a
      (hash, kind, payload, parent_hash, deadline, announced_at, last_pushed_at, pushes, next_push_at, heard_at)
    values (${hash}, ${kind}, ${payload}, ${parentHash}, ${deadline}, now(), now(), ${pushes}, ${next}, null)
    on conflict (hash) do update set
      kind = excluded.kind, payload = excluded.payload, announced_at = now(), heard_at = null,
      pushes = a.pushes + case when ${isIgnored} then 0 else excluded.pushes end,
      last_pushed_at = case when ${isIgnored} or ${pushes} = 0 then a.last_pushed_at else now() end,
      next_push_at = case when ${isIgnored} then a.last_pushed_at + make_interval(secs => ${PUSH_WAIT_S})
        else excluded.next_push_at end
    returning last_pushed_at = now() as "isPushed"`.execute(db);
  return rows[0]?.isPushed ?? false;
}

/** Number of announcements that one account may have held, as a signer of aggregates or of cosignatures. */
export const MAX_HELD_OF_SIGNER = 100;
/** Number of announcements that are held in all. */
export const MAX_HELD = 10_000;

/** Whether so much is held already, of the account with this public key (32 bytes) or in all, that no more is. */
export async function holdsTooMuch(db: Db, signerPublicKey: Buffer): Promise<boolean> {
  // The signer of a transaction is at bytes 72 to 103, that of a cosignature at 8 to 39.
  const { rows } = await sql<{ all: number; own: number }>`
    select count(*)::int as all, (count(*) filter (where ${signerPublicKey} =
      substring(payload from case kind when 'cosignature' then 9 else 73 end for 32)))::int as own
    from (select kind, payload from announcements where next_push_at = ${HELD} limit ${MAX_HELD}) held`.execute(db);
  const [count] = rows;
  return (count?.all ?? 0) >= MAX_HELD || (count?.own ?? 0) >= MAX_HELD_OF_SIGNER;
}

/** The condition that an announced transaction (`a`) may be pending at `now` (ms since the network's epoch). */
export function mayBePending(a: string, now: number): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${a}.${name}`);
  return sql<boolean>`${column("kind")} = 'transaction' and ${column("deadline")} > ${now}
    and not exists (select from transactions t where t.hash = ${column("hash")})
    and not exists (select from transaction_statuses s
      where s.hash = ${column("hash")} and s.recorded_at >= ${column("announced_at")})`;
}

/**
 * The payloads of transactions that were announced here and may be pending, by their announcement: at most `limit`.
 *
 * @param now milliseconds since the network's epoch
 * @param areReported whether only those that the node shows as unconfirmed
 */
export async function findPendingAnnouncements(
  db: Db,
  now: number,
  { limit, areReported }: { readonly limit: number; readonly areReported: boolean },
): Promise<Buffer[]> {
  const { rows } = await sql<{ payload: Buffer }>`
    select payload from announcements a where ${mayBePending("a", now)}
      and (${!areReported} or exists (select from unconfirmed_transactions u where u.hash = a.hash))
    order by announced_at limit ${limit}`.execute(db);
  return rows.map(({ payload }) => payload);
}

/** Whether a pending transaction that was not announced here, as a whole, concerns one of these addresses. */
export async function hasOthersPending(db: Db, addresses: readonly Buffer[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from unconfirmed_transaction_addresses c join unconfirmed_transactions u on u.id = c.id
      where c.address = any(${[...addresses]}::bytea[]) and not c.embedded
        and not exists (select from announcements a where a.hash = u.hash and a.kind = 'transaction')) as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}

/** Deletes an announcement that could not be pushed; one that was pushed earlier stays. */
export async function forgetAnnouncement(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom("announcements").where("hash", "=", hash).where("pushes", "=", 1).execute();
}
