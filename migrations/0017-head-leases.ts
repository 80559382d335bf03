import { type Kysely, sql } from "kysely";

/** Number of the advisory lock that a transaction holds while it moves the head or state. Its value has no meaning. */
const MOVING_LOCK = 7_300_190_060;

/** Longer than any lease, in seconds. */
const WAIT_S = 0.005;

/** What a lease promises to stay as it is, besides inserted and deleted rows. */
const MOVES = {
  head: "update of hash, finalized_epoch, finalized_point",
  pending_states: "update of unknown_version",
};

/**
 * Leases on the head: a process that reads one may rely for a few milliseconds on the head, and on which state is pending,
 * without reading them again (`schema/services/chain-tag.ts`). No list of leases is needed:
 * - a lease begins before the read that grants it, and is granted only while no transaction holds the lock;
 * - a transaction that moves the head or state holds the lock from at least `WAIT_S` before its commit until after it:
 *   leases granted before have ended, and the next one is granted after the commit was seen.
 * The triggers ensure this for every writer. One that revokes leases when it begins does not wait at its end.
 * Standby servers grant none: a lock there says nothing about the primary. Nor do other isolation levels than PostgreSQL's
 * default, in which the head would be read as of before the lock.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function served_point(
      out hash bytea, out finalized_epoch int8, out finalized_point int8, out is_state_settled bool, out has_lease bool
    ) language plpgsql volatile as $$
    begin
      has_lease := not pg_is_in_recovery() and current_setting('transaction_isolation') = 'read committed'
        and pg_try_advisory_xact_lock_shared(${sql.lit(MOVING_LOCK)});
      select h.hash, h.finalized_epoch, h.finalized_point,
          not exists (select from pending_states where unknown_version is null)
        into hash, finalized_epoch, finalized_point, is_state_settled
        from head h;
    end $$`.execute(db);
  await sql`
    create function revoke_head_leases(out since_s float8) language plpgsql as $$
    begin
      since_s := nullif(current_setting('symbol_gateway.leases_revoked', true), '')::float8;
      if since_s is null then
        perform pg_advisory_xact_lock(${sql.lit(MOVING_LOCK)});
        since_s := extract(epoch from clock_timestamp());
        perform set_config('symbol_gateway.leases_revoked', since_s::text, true);
      end if;
    end $$`.execute(db);
  await sql`
    create function await_head_leases() returns trigger language plpgsql as $$
    declare
      since_s float8 := revoke_head_leases();
    begin
      -- Never longer: the clock of the server may have been set back.
      perform pg_sleep(least(${sql.lit(WAIT_S)}, since_s + ${sql.lit(WAIT_S)} - extract(epoch from clock_timestamp())::float8));
      return null;
    end $$`.execute(db);
  for (const [table, changes] of Object.entries(MOVES)) {
    await sql`
      create trigger ${sql.ref(`${table}_moves`)} after insert or delete or truncate or ${sql.raw(changes)} on ${sql.table(table)}
      for each statement execute function await_head_leases()`.execute(db);
  }
}

/** Undoes it, for a later migration. */
export async function dropHeadLeases(db: Kysely<unknown>): Promise<void> {
  for (const table of Object.keys(MOVES)) {
    await sql`drop trigger ${sql.ref(`${table}_moves`)} on ${sql.table(table)}`.execute(db);
  }
  for (const name of ["await_head_leases", "revoke_head_leases", "served_point"]) {
    await sql`drop function ${sql.ref(name)}`.execute(db);
  }
}
