import { sql } from "kysely";
import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { entityNumber } from "../../catapult/json/entity-id.js";
import type { Db } from "../../database/database.js";
import { pushAgain } from "../../database/mempool/announcements.js";
import { embeddedIs, withoutEmbeddedFlagSql } from "../../database/tables/embedded-flag.js";
import type { NewEvent } from "../chain/step/event-log.js";
import { loadLifecycles, storeLifecycles } from "./lifecycle-store.js";

/** Tables from which a transaction is removed when it is confirmed. */
const PENDING_TABLES = [
  "pending_transactions",
  "transaction_statuses",
  "awaited_transactions",
  "announcements",
] as const;

/** A rejection older than this, in seconds, does not belong to a transaction whose block is dropped now. */
const REJECTED_MEANWHILE_S = 60;

/** Removal events before a transaction's confirmedAdded, by its hash as hex digits. */
export type RemovalEvents = ReadonlyMap<string, readonly NewEvent[]>;

/**
 * Removes the transactions in blocks from the pending ones, in the step's own database transaction.
 * @returns the removal events of each, to be emitted before its confirmation
 */
export async function confirmPending(
  trx: Db,
  blocks: readonly VerifiedBlock[],
  network: NetworkIdentity,
): Promise<RemovalEvents> {
  const removalEvents = new Map<string, NewEvent[]>();
  const known = await knownBefore(
    trx,
    blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)),
  );
  if (known.length === 0) return removalEvents;
  const lifecycles = await loadLifecycles(trx, known);
  const now = new Date();
  for (const block of blocks) {
    for (const transaction of block.transactions) {
      const key = transaction.hash.toString("hex");
      const events: NewEvent[] = [];
      lifecycles.get(key)?.confirm(transaction, transaction.relatedAddresses, {
        now,
        emit: (channel, addresses, data) =>
          events.push({ channel, height: block.height, addresses: [...addresses], data }),
        network,
        // In a block it gets no status.
        addressesOf: () => [],
      });
      if (events.length > 0) removalEvents.set(key, events);
    }
  }
  await storeLifecycles(trx, lifecycles.values(), now);
  return removalEvents;
}

/**
 * Heights from `from` to `to` (inclusive, of written blocks) with transactions that are pending, ascending. Searched
 * by the pending ones, which are few, however many blocks there are.
 */
export async function heightsAwaited(trx: Db, from: number, to: number): Promise<number[]> {
  const first = entityNumber(from);
  const behind = entityNumber(to + 1);
  const waiting = PENDING_TABLES.map((table) => sql`select hash from ${sql.table(table)}`);
  const { rows } = await sql<{ height: number }>`
    select distinct (t.id >> 32)::int4 as height from (${sql.join(waiting, sql` union `)}) w join transactions t on t.hash = w.hash
    where t.id >= ${first} and t.id < ${behind} order by height`.execute(trx);
  return rows.map(({ height }) => height);
}

/** The hashes that are pending: usually few, and none while catching up. */
async function knownBefore(trx: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  if (hashes.length === 0) return [];
  const tables = PENDING_TABLES.map(
    (table) => sql`select t.hash from given join ${sql.table(table)} t on t.hash = given.hash`,
  );
  const { rows } = await sql<{ hash: Buffer }>`
    with given as materialized (select hash from unnest(${[...hashes]}::bytea[]) a (hash))
    ${sql.join(tables, sql` union `)}`.execute(trx);
  return rows.map(({ hash }) => hash);
}

/**
 * Records the transactions of the blocks above `keptHeight`, which are about to be dropped: no message will report
 * that they are no longer confirmed, so their outcome is unknown until they are reported again. Those that were rejected
 * meanwhile fail unless they are.
 */
export async function awaitDropped(trx: Db, keptHeight: number): Promise<void> {
  const first = entityNumber(keptHeight + 1);
  await sql`
    delete from transaction_statuses s using transactions t
    where t.id >= ${first} and ${embeddedIs("t.type", false)} and s.hash = t.hash
      and s.recorded_at < now() - make_interval(secs => ${REJECTED_MEANWHILE_S})`.execute(trx);
  const { rows } = await sql<{ hash: Buffer }>`
    with concerned as materialized (
      select a.id, array_agg(k.key order by k.key) as addresses
      from transaction_addresses a join keys k on k.id = ${withoutEmbeddedFlagSql("a.account")}
      where a.id >= ${first} group by a.id)
    insert into awaited_transactions (hash, "group", deadline, addresses, since)
    select t.hash, 'unconfirmed', t.deadline, coalesce(c.addresses, '{}'), now()
    from transactions t left join concerned c on c.id = t.id
    where t.id >= ${first} and ${embeddedIs("t.type", false)}
    on conflict (hash) do nothing
    returning hash`.execute(trx);
  if (rows.length === 0) return;
  await pushAgain(
    trx,
    rows.map(({ hash }) => hash),
  );
}
