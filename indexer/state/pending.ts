import { sql } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../database/database.js";
import { stateKindNumber, stateKindOf } from "../../database/queries/state.js";
import type { UnknownState } from "../step/state-change.js";

/** Notes keys whose values may have changed with block `height`; those that wait already keep their place. */
export async function addPending(trx: Db, keys: readonly StateKey[], height: number): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into pending_states (kind, key, height)
    select kind, key, ${height}::int8
    from unnest(${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[]) k (kind, key)
    on conflict (kind, key) do update set unknown_version = null
      where pending_states.unknown_version is not null`.execute(trx);
}

/** Notes keys whose values this program cannot read: they wait for another one, or until they change. */
export async function setUnknown(trx: Db, keys: readonly UnknownState[], height: number): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into pending_states (kind, key, height, unknown_version)
    select kind, key, ${height}::int8, version
    from unnest(
      ${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[],
      ${keys.map(({ version }) => version)}::int4[]) k (kind, key, version)
    on conflict (kind, key) do update set unknown_version = excluded.unknown_version`.execute(trx);
}

/** Lets values that an earlier program could not read be read again. */
export async function retryUnknown(db: Db): Promise<void> {
  await db
    .updateTable("pending_states")
    .set({ unknown_version: null })
    .where("unknown_version", "is not", null)
    .execute();
}

/** Forgets keys that were read. */
export async function removePending(trx: Db, keys: readonly StateKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from pending_states p
    using unnest(${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[]) k (kind, key)
    where p.kind = k.kind and p.key = k.key`.execute(trx);
}

/** Keys that wait, the longest first; none of `except`. */
export async function readPending(db: Db, limit: number, except: StateKeySet): Promise<StateKey[]> {
  if (limit <= 0) return [];
  const rows = await db
    .selectFrom("pending_states")
    .select(["kind", "key"])
    .where("unknown_version", "is", null)
    .orderBy("height")
    .orderBy("kind")
    .orderBy("key")
    .limit(limit + except.size)
    .execute();
  const keys = rows.map((row) => ({ kind: stateKindOf(row.kind), key: row.key }));
  return keys.filter(({ kind, key }) => !except.has(kind, key)).slice(0, limit);
}

/** Whether no key waits, but for those whose values this program cannot read. */
export async function isNothingPending(trx: Db): Promise<boolean> {
  const waiting = trx.selectFrom("pending_states").select("kind").where("unknown_version", "is", null);
  return (await waiting.limit(1).executeTakeFirst()) === undefined;
}
