import { sql } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../database/database.js";
import { stateKindNumber, stateKindOf } from "../../database/queries/state.js";
import type { UnknownState } from "../step/state-change.js";

/** Queues keys whose values may have changed with block `height`; those already queued keep their position. */
export async function addPending(trx: Db, keys: readonly StateKey[], height: number): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into pending_states (kind, key, height)
    select kind, key, ${height}::int8
    from unnest(${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[]) k (kind, key)
    on conflict (kind, key) do update set unknown_version = null
      where pending_states.unknown_version is not null`.execute(trx);
}

/** Marks keys whose values this program cannot decode: they stay until a newer program runs, or until they change. */
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

/** Queues values again that an earlier program could not decode. */
export async function retryUnknown(db: Db): Promise<void> {
  await db
    .updateTable("pending_states")
    .set({ unknown_version: null })
    .where("unknown_version", "is not", null)
    .execute();
}

/** Removes keys that were read. */
export async function removePending(trx: Db, keys: readonly StateKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from pending_states p
    using unnest(${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[]) k (kind, key)
    where p.kind = k.kind and p.key = k.key`.execute(trx);
}

/** Pending keys, the oldest first; none of `except`. */
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

/** Whether no key is pending, except those whose values this program cannot decode. */
export async function isNothingPending(trx: Db): Promise<boolean> {
  const waiting = trx.selectFrom("pending_states").select("kind").where("unknown_version", "is", null);
  return (await waiting.limit(1).executeTakeFirst()) === undefined;
}
