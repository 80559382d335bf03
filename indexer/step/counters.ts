import { type Insertable, sql } from "kysely";
import { entityNumber } from "../../catapult/json/entity-id.js";
import type { Db } from "../../database/database.js";
import { MILESTONE_STEP } from "../../database/lists/collections.js";
import type { MilestoneTable } from "../../database/tables/lists.js";
import type { CollectionEntry } from "./collection-entries.js";

/** Bytes of an id in a list of many: big-endian. */
export const LISTED_ID_BYTES = 8;

/** Entries of one list. */
export interface ListedEntries {
  readonly collection: number;
  readonly key: Buffer;
  /** LISTED_ID_BYTES each, ascending. */
  readonly ids: Buffer;
}

/** Entries of one list while they are collected. */
interface GatheredList {
  readonly key: Buffer;
  readonly ids: bigint[];
  isAscending: boolean;
}

/** Groups entries by their lists, without duplicates. */
export class ListGatherer {
  readonly #collections = new Map<number, Map<string, GatheredList>>();

  add(entries: Iterable<CollectionEntry>): void {
    for (const { collection, key, id } of entries) {
      let lists = this.#collections.get(collection);
      if (!lists) {
        lists = new Map();
        this.#collections.set(collection, lists);
      }
      const name = key.toString("latin1");
      const list = lists.get(name);
      if (list) addId(list, id);
      else lists.set(name, { key, ids: [id], isAscending: true });
    }
  }

  lists(): ListedEntries[] {
    return [...this.#collections].flatMap(([collection, lists]) =>
      [...lists.values()].map((list) => ({ collection, key: list.key, ids: packIds(ascending(list)) })),
    );
  }
}

/** Entries grouped by their lists. */
export function byList(entries: Iterable<CollectionEntry>): ListedEntries[] {
  const gatherer = new ListGatherer();
  gatherer.add(entries);
  return gatherer.lists();
}

/** Rows are mostly in the order of their ids, and those of one id are consecutive. */
function addId(list: GatheredList, id: bigint): void {
  const last = list.ids[list.ids.length - 1] as bigint;
  if (last === id) return;
  if (last > id) list.isAscending = false;
  list.ids.push(id);
}

function ascending({ ids, isAscending }: GatheredList): bigint[] {
  if (isAscending) return ids;
  ids.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return ids.filter((id, index) => index === 0 || id !== ids[index - 1]);
}

function packIds(ids: readonly bigint[]): Buffer {
  const packed = Buffer.allocUnsafe(LISTED_ID_BYTES * ids.length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let index = 0; index < ids.length; index++) view.setBigInt64(LISTED_ID_BYTES * index, ids[index] as bigint);
  return packed;
}

/** Number of lists counted by one statement. */
const LISTS_AT_A_TIME = 5_000;

/** Counts entries that were appended to their lists, and stores the milestones among them. */
export async function countAdded(trx: Db, lists: readonly ListedEntries[]): Promise<void> {
  for (let start = 0; start < lists.length; start += LISTS_AT_A_TIME) {
    await countSome(trx, lists.slice(start, start + LISTS_AT_A_TIME));
  }
}

async function countSome(trx: Db, lists: readonly ListedEntries[]): Promise<void> {
  const byName = new Map(lists.map((list) => [listName(list), list]));
  const step = sql.lit(MILESTONE_STEP);
  const { rows: passing } = await sql<{ collection: number; key: Buffer; count: number }>`
    with added (collection, key, count) as materialized (select * from unnest(
      ${lists.map((l) => l.collection)}::int2[], ${lists.map((l) => l.key)}::bytea[], ${lists.map(sizeOf)}::int8[])),
    counted as (
      insert into counters as c (collection, key, count) select collection, key, count from added
      on conflict (collection, key) do update set count = c.count + excluded.count
      returning c.collection, c.key, c.count)
    select c.collection, c.key, c.count from counted c join added a on a.collection = c.collection and a.key = c.key
    where c.count / ${step} > (c.count - a.count) / ${step}`.execute(trx);
  const milestones = passing.flatMap((passed) => {
    const list = byName.get(listName(passed)) as ListedEntries;
    return milestonesOf(list, passed.count - sizeOf(list));
  });
  if (milestones.length === 0) return;
  await sql`
    insert into milestones (collection, key, ordinal, id)
    select * from unnest(
      ${milestones.map((m) => m.collection)}::int2[], ${milestones.map((m) => m.key)}::bytea[],
      ${milestones.map((m) => m.ordinal)}::int8[], ${milestones.map((m) => m.id)}::int8[])`.execute(trx);
}

/** Number of entries. */
export function sizeOf({ ids }: ListedEntries): number {
  return ids.length / LISTED_ID_BYTES;
}

/** The milestones among entries that were appended to a list with `before` entries. */
export function milestonesOf({ collection, key, ids }: ListedEntries, before: number): Insertable<MilestoneTable>[] {
  const milestones: Insertable<MilestoneTable>[] = [];
  const first = MILESTONE_STEP - (before % MILESTONE_STEP);
  for (let end = first * LISTED_ID_BYTES; end <= ids.length; end += MILESTONE_STEP * LISTED_ID_BYTES) {
    const id = ids.readBigInt64BE(end - LISTED_ID_BYTES);
    milestones.push({ collection, key, ordinal: before + end / LISTED_ID_BYTES, id });
  }
  return milestones;
}

/** Removes entries that were the last of their lists, of blocks from `height` on. */
export async function countRemoved(trx: Db, lists: readonly ListedEntries[], height: number): Promise<void> {
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
  // Those of lists of blocks are heights, all below the ids of entities.
  await trx.deleteFrom("milestones").where("id", ">=", BigInt(height)).where("id", "<", entityNumber(1)).execute();
  await trx.deleteFrom("milestones").where("id", ">=", entityNumber(height)).execute();
}

/** Identifies a list; equal lists have equal names. */
export function listName({ collection, key }: { collection: number; key: Buffer }): string {
  return `${collection} ${key.toString("latin1")}`;
}
