import { sql } from "kysely";
import type { Db } from "../../../database/database.js";
import type { NamedKey } from "../../../database/lists/collections.js";
import type { GatheredKey } from "./key-gatherer.js";

/** Keys that are looked up, or inserted, by one statement. */
const KEYS_AT_A_TIME = 10_000;
/** Numbers that are remembered before all are forgotten. */
const REMEMBERED_KEYS = 200_000;

/** Numbers of keys that are in the table, as far as they are remembered. */
export class KnownKeys extends Map<string, number> {
  override set(name: string, number: number): this {
    if (this.size >= REMEMBERED_KEYS) this.clear();
    return super.set(name, number);
  }
}

/**
 * Numbers of keys in the table `keys`, for each group in the order of its keys. Those that the table lacks are inserted
 * with the next numbers, in the order of the groups, which is the order of the chain.
 * @param known is complemented: it is good for nothing more if the transaction fails
 */
export async function numberKeys(
  trx: Db,
  groups: readonly (readonly GatheredKey[])[],
  known: KnownKeys = new KnownKeys(),
): Promise<Int32Array[]> {
  const numbers = new Map<string, number>();
  const missing = new Map<string, GatheredKey>();
  const names = groups.map((keys) => keys.map(keyName));
  for (const [group, keys] of groups.entries()) {
    for (const [index, key] of keys.entries()) {
      const name = names[group]?.[index] as string;
      if (numbers.has(name) || missing.has(name)) continue;
      const number = known.get(name);
      if (number === undefined) missing.set(name, key);
      else numbers.set(name, number);
    }
  }
  for (const { kind, key, id } of await readKeyNumbers(trx, [...missing.values()])) {
    const name = keyName({ kind, key });
    numbers.set(name, id);
    known.set(name, id);
    missing.delete(name);
  }
  if (missing.size > 0) {
    const { rows } = await sql<{ next: number }>`
      select coalesce((select id from keys order by id desc limit 1), 0) + 1 as next`.execute(trx);
    const first = rows[0]!.next;
    await insertKeys(trx, [...missing.values()], first);
    let next = first;
    for (const name of missing.keys()) {
      numbers.set(name, next);
      known.set(name, next);
      next += 1;
    }
  }
  return names.map((ofGroup) => Int32Array.from(ofGroup, (name) => numbers.get(name) as number));
}

/** A name of a key: equal keys have equal names. */
export function keyName({ kind, key }: NamedKey): string {
  return String.fromCharCode(kind) + key.toString("latin1");
}

export interface NumberedKey extends GatheredKey {
  readonly id: number;
}

/** The rows of keys; missing ones are omitted. */
export async function readKeyNumbers(db: Db, keys: readonly NamedKey[]): Promise<NumberedKey[]> {
  const found: NumberedKey[] = [];
  for (let start = 0; start < keys.length; start += KEYS_AT_A_TIME) {
    const some = keys.slice(start, start + KEYS_AT_A_TIME);
    const { rows } = await sql<NumberedKey>`
      select k.id, k.height, k.kind, k.key
      from unnest(${some.map(({ kind }) => kind)}::int2[], ${some.map(({ key }) => key)}::bytea[]) named (kind, key)
      join keys k on k.key = named.key and k.kind = named.kind`.execute(db);
    found.push(...rows);
  }
  return found;
}

async function insertKeys(trx: Db, keys: readonly GatheredKey[], first: number): Promise<void> {
  for (let start = 0; start < keys.length; start += KEYS_AT_A_TIME) {
    const some = keys.slice(start, start + KEYS_AT_A_TIME);
    await sql`
      insert into keys (id, height, kind, key)
      select ${first + start - 1}::int4 + ordinal, height, kind, key
      from unnest(${some.map(({ height }) => height)}::int4[], ${some.map(({ kind }) => kind)}::int2[],
        ${some.map(({ key }) => key)}::bytea[]) with ordinality named (height, kind, key, ordinal)`.execute(trx);
  }
}
