import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database.js";
import { keyInColumn } from "../queries/state-entries.js";
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
/** How long the node that got an announcement may need to report it, until another one gets it too, in seconds. */
export const REPORT_WAIT_S = 15;
/** Delay before what a node had, and has no longer, is pushed again, in seconds: it may return by itself. */
export const AWAITED_PUSH_WAIT_S = 15;

/**
 * Stores an announcement as pushed once. To be called before it is pushed, so that the node cannot report it before
 * it is stored; `forgetAnnouncement` undoes it if the push fails. Announcing again starts over, except that bytes which
 * the node would ignore are pushed again only when it no longer does.
 *
 * @param node the identity of the node that will get it (32 bytes)
 * @returns whether to push it now
 */
export async function recordAnnouncement(db: Db, announcement: Announcement, node: Buffer): Promise<boolean> {
  const rows = await store(db, announcement, { pushedTo: node });
  return rows[0]?.isPushed ?? false;
}

/** Announcements that a client may have held: a wallet waits for a few locks and aggregates. */
export const MAX_HELD_OF_CLIENT = 64;

/**
 * Stores an announcement that the node would not take yet: the indexer pushes it when it would, see `push-again.ts`.
 *
 * @param client by whom it was announced: of more than {@link MAX_HELD_OF_CLIENT}, the oldest ones are dropped
 * @returns the payloads of the transactions that were dropped for it
 */
export async function holdAnnouncement(db: Db, announcement: Announcement, client: string): Promise<Buffer[]> {
  await store(db, announcement, { heldFor: client });
  const { rows } = await sql<{ kind: AnnouncementKind; payload: Buffer }>`
    delete from announcements where hash in (
      select hash from announcements where state = 'held' and held_for = ${client} and reported_at is null
      order by announced_at desc, hash offset ${MAX_HELD_OF_CLIENT})
    returning kind, payload`.execute(db);
  return rows.flatMap(({ kind, payload }) => (kind === "cosignature" ? [] : [payload]));
}

/** That time from now. */
export const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

/**
 * What was announced here and the node no longer has is pushed again as a whole, unless it was rejected: a transaction
 * soon, a bonded aggregate when its lock is in a block, and cosignatures when the node has their aggregate.
 */
export async function pushAgain(trx: Db, hashes: readonly Buffer[]): Promise<void> {
  await sql`
    update announcements a set reported_at = coalesce(reported_at, now()),
      state = case kind when 'transaction' then 'pushed' else 'held' end,
      next_push_at = case kind when 'transaction' then ${inSeconds(AWAITED_PUSH_WAIT_S)} end
    where (hash = any(${[...hashes]}::bytea[]) or parent_hash = any(${[...hashes]}::bytea[]))
      and not exists (select from transaction_statuses s where s.hash = coalesce(a.parent_hash, a.hash))`.execute(trx);
}

/** When the node with this identity (32 bytes) got the announcement `a` last. */
export function lastPushTo(node: Buffer): RawBuilder<Date> {
  return sql<Date>`coalesce((a.pushed_to ->> ${node.toString("hex")})::timestamptz, '-infinity')`;
}

/** An addition to `pushed_to`: that node gets the announcement now. */
export function pushedNow(node: Buffer): RawBuilder<Record<string, string>> {
  return sql`jsonb_build_object(${node.toString("hex")}::text, now())`;
}

/** The node that an announcement is pushed to, or the client for whom it is held. */
type Storing =
  | { readonly pushedTo: Buffer; readonly heldFor?: never }
  | { readonly pushedTo?: never; readonly heldFor: string };

async function store(db: Db, announcement: Announcement, { pushedTo: node, heldFor }: Storing) {
  const pushes = node ? 1 : 0;
  const { hash, kind, payload, parentHash = null, deadline } = announcement;
  // A bonded aggregate is recognized by its hash alone, a complete one with its cosignatures.
  const isSame = sql`a.kind = excluded.kind and (a.kind = 'partial' or a.payload = excluded.payload)`;
  const wasPushed = node ? sql`${lastPushTo(node)} > now() - make_interval(secs => ${PUSH_WAIT_S})` : sql`false`;
  const isIgnored = sql`${isSame} and ${wasPushed}`;
  const { rows } = await sql<{ isPushed: boolean }>`
    insert into announcements as a (hash, kind, payload, parent_hash, deadline,
      announced_at, last_pushed_at, pushes, pushed_to, state, next_push_at, reported_at, held_for)
    values (${hash}, ${kind}, ${payload}, ${parentHash}, ${deadline},
      now(), now(), ${pushes}, ${node ? pushedNow(node) : sql`'{}'`},
      ${node ? "pushed" : "held"}, ${node ? inSeconds(REPORT_WAIT_S) : null}, null, ${heldFor ?? null})
    on conflict (hash) do update set
      kind = excluded.kind, payload = excluded.payload, announced_at = now(), reported_at = null,
      state = excluded.state, next_push_at = excluded.next_push_at,
      held_for = case when a.state = 'held' then coalesce(a.held_for, excluded.held_for) else excluded.held_for end,
      pushes = case when ${isSame} then a.pushes else 0 end + case when ${isIgnored} then 0 else excluded.pushes end,
      pushed_to = case when ${isSame} then a.pushed_to else '{}' end
        || case when ${isIgnored} then '{}' else excluded.pushed_to end,
      last_pushed_at = case when ${isIgnored} or ${pushes}::int = 0 then a.last_pushed_at else now() end
    returning last_pushed_at = now() as "isPushed"`.execute(db);
  return rows;
}

/** The condition that an announced transaction (`a`) may be pending at `now` (ms since the network's epoch). */
export function mayBePending(a: string, now: number): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${a}.${name}`);
  return sql<boolean>`${column("kind")} = 'transaction' and ${column("deadline")} > ${now}
    and not exists (select from transactions t where t.hash = ${column("hash")})
    and not exists (select from transaction_statuses s
      where s.hash = ${column("hash")} and s.recorded_at >= ${column("announced_at")})`;
}

/** How much of what is pending is read. */
export interface PendingLimits {
  /** Number of transactions, and their bytes in total. */
  readonly count: number;
  readonly bytes: number;
  /** Whether only those that the node shows as unconfirmed. */
  readonly areReported: boolean;
}

/**
 * The payloads of transactions that were announced here and may be pending, by their announcement; undefined if there are
 * more than the limits allow.
 *
 * @param now milliseconds since the network's epoch
 */
export async function findPendingAnnouncements(
  db: Db,
  now: number,
  { count, bytes, areReported }: PendingLimits,
): Promise<Buffer[] | undefined> {
  const { rows } = await sql<{ payload: Buffer | null }>`
    select case when sum(octet_length(payload)) over (order by announced_at, hash) <= ${bytes} then payload end as payload
    from (
      select payload, announced_at, hash from announcements a where ${mayBePending("a", now)}
        and (${!areReported} or exists (select from pending_transactions u where u.hash = a.hash and u."group" = 'unconfirmed'))
      order by announced_at, hash limit ${count + 1}) pending
    order by announced_at, hash`.execute(db);
  const payloads = rows.flatMap(({ payload }) => payload ?? []);
  return payloads.length < rows.length || payloads.length > count ? undefined : payloads;
}

/** What no node has reported for this long does not count as pending beside what the node reports, in seconds. */
const UNREPORTED_S = 60;

/**
 * Whether another transaction that may be pending concerns an address, so that it may have more than in the state: one
 * that the node has reported, or that was announced here and names it, by itself or by an alias.
 *
 * @param hash of the transaction that does not count
 * @param now milliseconds since the network's epoch
 */
export async function hasPending(db: Db, address: Buffer, hash: Buffer, now: number): Promise<boolean> {
  const aliases = await db
    .selectFrom("namespaces")
    .select("namespace_id")
    .where("alias_address", "=", address)
    .execute();
  const names = [address, ...aliases.map(({ namespace_id: id }) => keyInColumn("namespace", id))];
  const { rows } = await sql<{ found: boolean }>`
    select exists (
        select from pending_transaction_addresses c join pending_transactions u on u.id = c.id
        where c."group" = 'unconfirmed' and c.address = ${address} and u.hash <> ${hash})
      or exists (
        select from announcements a where ${mayBePending("a", now)} and a.hash <> ${hash}
          and a.announced_at > now() - make_interval(secs => ${UNREPORTED_S})
          and exists (select from unnest(${names}::bytea[]) name where position(name in a.payload) > 0)) as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}

/** Whether a pending transaction that was not announced here, as a whole, concerns one of these addresses. */
export async function hasOthersPending(db: Db, addresses: readonly Buffer[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from pending_transaction_addresses c join pending_transactions u on u.id = c.id
      where c."group" = 'unconfirmed' and c.address = any(${[...addresses]}::bytea[]) and not u.embedded
        and not exists (select from announcements a where a.hash = u.hash and a.kind = 'transaction')) as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}

/** The bytes of a transaction (by its hash) as it was announced here; undefined if it was not, or was forgotten. */
export async function findAnnouncedPayload(db: Db, hash: Buffer): Promise<Buffer | undefined> {
  const query = db.selectFrom("announcements").select("payload").where("hash", "=", hash);
  return (await query.where("kind", "<>", "cosignature").executeTakeFirst())?.payload;
}

/** Deletes an announcement that could not be pushed to `node`; one that was pushed earlier stays, and is due. */
export async function forgetAnnouncement(db: Db, hash: Buffer, node: Buffer): Promise<void> {
  await db.deleteFrom("announcements").where("hash", "=", hash).where("pushes", "=", 1).execute();
  await sql`
    update announcements set pushes = pushes - 1, pushed_to = pushed_to - ${node.toString("hex")}::text,
      next_push_at = now() where hash = ${hash}`.execute(db);
}
