import { type Insertable, sql } from "kysely";
import { MILESTONE_STEP, type MilestoneTable } from "../schema/db/collections.js";
import type { Db } from "../schema/db/database.js";
import { ID_BYTES } from "../schema/db/entity-id.js";
import type { CollectionEntry } from "./collection-entries.js";

/** Entries of one list. */
export interface ListedEntries {
  readonly collection: number;
  readonly key: Buffer;
  /** ID_BYTES each, ascending. */
  readonly ids: Buffer;
}

/** Puts entries together by their lists. */
export function byList(entries: Iterable<CollectionEntry>): ListedEntries[] {
  const lists = new Map<string, { readonly collection: number; readonly key: Buffer; readonly ids: Buffer[] }>();
  for (const { collection, key, id } of entries) {
    const name = listName({ collection, key });
    const list = lists.get(name);
    if (list) list.ids.push(id);
    else lists.set(name, { collection, key, ids: [id] });
  }
  return [...lists.values()].map(({ collection, key, ids }) => ({
    collection,
    key,
    ids: Buffer.concat(ids.sort(Buffer.compare)),
  }));
}

/** Counts entries that were added behind all others of their lists, and notes the milestones among them. */
export async function countAdded(trx: Db, lists: readonly ListedEntries[]): Promise<void> {
  if (lists.length === 0) return;
  const counts = await readCounts(trx, lists);
  const before = lists.map((list) => counts.get(listName(list)) ?? 0);
  await sql`
    insert into counters (collection, key, count)
    select * from unnest(
      ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[],
      ${lists.map((l, index) => before[index]! + sizeOf(l))}::int8[])
    on conflict (collection, key) do update set count = excluded.count`.execute(trx);
  const milestones = lists.flatMap((list, index) => milestonesOf(list, before[index]!));
  if (milestones.length === 0) return;
  await sql`
    insert into milestones (collection, key, ordinal, id)
    select * from unnest(
      ${milestones.map((m) => m.collection)}::int2[], ${milestones.map((m) => m.key)}::bytea[],
      ${milestones.map((m) => m.ordinal)}::int8[], ${milestones.map((m) => m.id)}::bytea[])`.execute(trx);
}

/** How many entries there are. */
export function sizeOf({ ids }: ListedEntries): number {
  return ids.length / ID_BYTES;
}

/** The milestones among entries that were added to a list which had `before` of them. */
export function milestonesOf({ collection, key, ids }: ListedEntries, before: number): Insertable<MilestoneTable>[] {
  const milestones: Insertable<MilestoneTable>[] = [];
  const first = MILESTONE_STEP - (before % MILESTONE_STEP);
  for (let end = first * ID_BYTES; end <= ids.length; end += MILESTONE_STEP * ID_BYTES) {
    const id = ids.subarray(end - ID_BYTES, end);
    milestones.push({ collection, key, ordinal: before + end / ID_BYTES, id });
  }
  return milestones;
}

/** Takes entries away that were the last of their lists. `firstDropped` is the lowest id that goes (12 bytes). */
export async function countRemoved(trx: Db, lists: readonly ListedEntries[], firstDropped: Buffer): Promise<void> {
  if (lists.length > 0) {
    await sql`
      with removed (collection, key, count) as (select * from unnest(
        ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[], ${lists.map(sizeOf)}::int8[])),
      emptied as (
        delete from counters c using removed r
        where c.collection = r.collection and c.key = r.key and c.count = r.count)
      update counters c set count = c.count - r.count from removed r
      where c.collection = r.collection and c.key = r.key and c.count <> r.count`.execute(trx);
  }
  await trx.deleteFrom("milestones").where("id", ">=", firstDropped).execute();
}

async function readCounts(trx: Db, lists: readonly ListedEntries[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ collection: number; key: Buffer; count: number }>`
    select c.collection, c.key, c.count from unnest(
      ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[]) asked (collection, key)
    join counters c on c.collection = asked.collection and c.key = asked.key`.execute(trx);
  return new Map(rows.map((row) => [listName(row), row.count]));
}

/** A name for a list; lists with the same one are the same. */
export function listName({ collection, key }: { collection: number; key: Buffer }): string {
  return `${collection} ${key.toString("latin1")}`;
}
