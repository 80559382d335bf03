import { sql } from "kysely";
import type { StateKey } from "../../catapult/state/key.js";
import type { StateKeySet } from "../../catapult/state/state-key-set.js";
import type { Db } from "../../schema/db/database.js";
import { stateKindNumber, stateKindOf } from "../../schema/db/state.js";

/** Notes keys whose values may have changed with block `height`; those that wait already keep their place. */
export async function addPending(trx: Db, keys: readonly StateKey[], height: number): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into pending_states (kind, key, height)
    select kind, key, ${height}::int8
    from unnest(${keys.map(({ kind }) => stateKindNumber(kind))}::int2[], ${keys.map(({ key }) => key)}::bytea[]) k (kind, key)
    on conflict (kind, key) do nothing`.execute(trx);
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
    .orderBy("height")
    .orderBy("kind")
    .orderBy("key")
    .limit(limit + except.size)
    .execute();
  const keys = rows.map((row) => ({ kind: stateKindOf(row.kind), key: row.key }));
  return keys.filter(({ kind, key }) => !except.has(kind, key)).slice(0, limit);
}

/** Whether no key waits. */
export async function isNothingPending(trx: Db): Promise<boolean> {
  return (await trx.selectFrom("pending_states").select("kind").limit(1).executeTakeFirst()) === undefined;
}

/** How many keys wait. */
export async function countPending(db: Db): Promise<number> {
  const row = await db
    .selectFrom("pending_states")
    .select((q) => q.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return row.count;
}
