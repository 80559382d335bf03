import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database.js";
import { stateKindOf } from "./state.js";

/** Number of checks of the indexer that votes overruled. */
export const overruledChecksCount = sql<number>`(select count(*) from overruled_checks)`;

/** Such as `block 12: Failure_Core_Past_Deadline (transaction 98…)`, the newest one; null if there is none. */
export const newestOverruledCheck: RawBuilder<string | null> = sql<string | null>`(
  select 'block ' || height || ': ' || rule ||
    coalesce(' (transaction ' || upper(encode(transaction_hash, 'hex')) || ')', '')
  from overruled_checks order by height desc limit 1)`;

/** Number of unproven entries that are named. */
const NAMED = 20;

/** Height since which the computed state differs from that of the network; null while it does not. */
export const stateDiffersSince: RawBuilder<number | null> = sql<number | null>`(
  select first_height from differing_blocks where roots is not null)`;

/** Entries that blocks with the right state hash have changed since are proven again. */
const isUnproven = sql<boolean>`(changed_height is null or ${stateDiffersSince} is not null)`;

/** Number of entries of the state whose values are not proven. */
export const unprovenCount = sql<number>`(select count(*) from unproven_states where ${isUnproven})`;

/** Number of blocks whose receipts are not proven. */
export const unprovenReceipts = sql<number>`(
  select coalesce(sum(last_height - first_height + 1), 0)::int8 from differing_blocks where field = 'receiptsHash')`;

interface NamedEntry {
  readonly kind: number;
  readonly key: string | null;
  readonly position: string;
  readonly height: number;
}

/** The newest unproven entries. */
export const newestUnproven = sql<readonly NamedEntry[]>`(
  select coalesce(json_agg(named), '[]') from (
    select kind, encode(key, 'hex') as key, encode(position, 'hex') as position, height
    from unproven_states where ${isUnproven} order by height desc, kind, position limit ${sql.lit(NAMED)}) as named)`;

/** Such as `account 98… since block 12`; ids as they are written, not as they are sent. */
export function describeUnproven({ kind, key, position, height }: NamedEntry): string {
  const isId = key?.length === 16;
  const name = key && isId ? Buffer.from(key, "hex").reverse().toString("hex") : key;
  const text = name ? name.toUpperCase() : `with the key's sha3-256 ${position.toUpperCase()}`;
  return `${stateKindOf(kind)} ${text} since block ${height}`;
}

/** The newest unproven entries, as texts. */
export async function readUnprovenStates(db: Db): Promise<string[]> {
  const { rows } = await sql<{ named: readonly NamedEntry[] }>`select ${newestUnproven} as named`.execute(db);
  return (rows[0]?.named ?? []).map(describeUnproven);
}

/** Spans of blocks whose receipts are not proven, as far as they are between two heights. */
export async function blocksWithUnprovenReceipts(
  db: Db,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly from: number; readonly to: number }[]> {
  const rows = await db
    .selectFrom("differing_blocks")
    .select(["first_height as from", "last_height as to"])
    .where("field", "=", "receiptsHash")
    .where("last_height", ">=", from)
    .where("first_height", "<=", to)
    .execute();
  return rows;
}
