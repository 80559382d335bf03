import { sql } from "kysely";
import { MILESTONE_STEP } from "../schema/db/collections.js";
import type { Db } from "../schema/db/database.js";
import type { CollectionEntry } from "./collection-entries.js";

/** The new entries of one list, in ascending order of ids. */
interface ListOfEntries {
  readonly collection: number;
  readonly key: Buffer;
  readonly ids: Buffer[];
}

/** Counts entries that were added behind all others of their lists, and notes the milestones among them. */
export async function countAdded(trx: Db, entries: Iterable<CollectionEntry>): Promise<void> {
  const lists = byList(entries);
  const counts = await readCounts(trx, lists);
  const milestones: { collection: number; key: Buffer; ordinal: number; id: Buffer }[] = [];
  const counters = lists.map((list) => {
    const before = counts.get(nameOf(list)) ?? 0;
    list.ids.sort(Buffer.compare);
    list.ids.forEach((id, index) => {
      const ordinal = before + index + 1;
      if (ordinal % MILESTONE_STEP === 0) milestones.push({ collection: list.collection, key: list.key, ordinal, id });
    });
    return { collection: list.collection, key: list.key, count: before + list.ids.length };
  });
  if (counters.length === 0) return;
  await sql`
    insert into counters (collection, key, count)
    select * from unnest(
      ${counters.map((c) => c.collection)}::int2[], ${counters.map((c) => c.key)}::bytea[], ${counters.map((c) => c.count)}::int8[])
    on conflict (collection, key) do update set count = excluded.count`.execute(trx);
  if (milestones.length === 0) return;
  await sql`
    insert into milestones (collection, key, ordinal, id)
    select * from unnest(
      ${milestones.map((m) => m.collection)}::int2[], ${milestones.map((m) => m.key)}::bytea[],
      ${milestones.map((m) => m.ordinal)}::int8[], ${milestones.map((m) => m.id)}::bytea[])`.execute(trx);
}

/** Takes entries away that were the last of their lists. `firstDropped` is the lowest id that goes (12 bytes). */
export async function countRemoved(trx: Db, entries: Iterable<CollectionEntry>, firstDropped: Buffer): Promise<void> {
  const lists = byList(entries);
  if (lists.length > 0) {
    await sql`
      with removed (collection, key, count) as (select * from unnest(
        ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[], ${lists.map((l) => l.ids.length)}::int8[])),
      emptied as (
        delete from counters c using removed r
        where c.collection = r.collection and c.key = r.key and c.count = r.count)
      update counters c set count = c.count - r.count from removed r
      where c.collection = r.collection and c.key = r.key and c.count <> r.count`.execute(trx);
  }
  await trx.deleteFrom("milestones").where("id", ">=", firstDropped).execute();
}

function byList(entries: Iterable<CollectionEntry>): ListOfEntries[] {
  const lists = new Map<string, ListOfEntries>();
  for (const { collection, key, id } of entries) {
    const name = nameOf({ collection, key });
    const list = lists.get(name);
    if (list) list.ids.push(id);
    else lists.set(name, { collection, key, ids: [id] });
  }
  return [...lists.values()];
}

async function readCounts(trx: Db, lists: readonly ListOfEntries[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ collection: number; key: Buffer; count: number }>`
    select c.collection, c.key, c.count from unnest(
      ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[]) asked (collection, key)
    join counters c on c.collection = asked.collection and c.key = asked.key`.execute(trx);
  return new Map(rows.map((row) => [nameOf(row), row.count]));
}

function nameOf({ collection, key }: { collection: number; key: Buffer }): string {
  return `${collection} ${key.toString("latin1")}`;
}
