import { type Insertable, sql } from "kysely";
import { entityNumber } from "../../../catapult/json/entity-id.js";
import type { Db } from "../../../database/database.js";
import { listNumber, SKIP_POINTER_STEP } from "../../../database/lists/collections.js";
import type { SkipPointerTable } from "../../../database/tables/lists.js";
import type { ListAdder } from "./collection-entries.js";
import { CountChanges } from "./count-changes.js";

/** Entries of one list. */
export interface ListedEntries {
  /** See `listNumber`. */
  readonly list: number;
  /** Ascending. */
  readonly ids: ArrayLike<bigint>;
}

/** Entries of one list while they are collected. */
interface CountedList {
  readonly ids: bigint[];
  isAscending: boolean;
}

/** Groups entries by their lists, without duplicates. */
export class ListGatherer {
  /** The lists by collection and key: a map with small numbers is much faster than one with the numbers of lists. */
  readonly #collections: Map<number, CountedList>[] = [];

  readonly add: ListAdder = (collection, key, id) => {
    this.#collections[collection] ??= new Map();
    const lists = this.#collections[collection];
    const gathered = lists.get(key);
    if (gathered) addId(gathered, id);
    else lists.set(key, { ids: [id], isAscending: true });
  };

  lists(): ListedEntries[] {
    const all: ListedEntries[] = [];
    for (const [collection, lists] of this.#collections.entries()) {
      for (const [key, gathered] of lists ?? []) {
        all.push({ list: listNumber(collection, key), ids: ascending(gathered) });
      }
    }
    return all;
  }
}

/** Rows are mostly in the order of their ids, and those of one id are consecutive. */
function addId(list: CountedList, id: bigint): void {
  const last = list.ids[list.ids.length - 1] as bigint;
  if (last === id) return;
  list.isAscending &&= last < id;
  list.ids.push(id);
}

function ascending({ ids, isAscending }: CountedList): bigint[] {
  if (isAscending) return ids;
  ids.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return ids.filter((id, index) => index === 0 || id !== ids[index - 1]);
}

const LISTS_AT_A_TIME = 5_000;

/** Counts entries that were appended to their lists, and stores the skip pointers among them. */
export async function countAdded(trx: Db, lists: readonly ListedEntries[]): Promise<void> {
  for (let start = 0; start < lists.length; start += LISTS_AT_A_TIME) {
    await countSome(trx, lists.slice(start, start + LISTS_AT_A_TIME));
  }
}

async function countSome(trx: Db, lists: readonly ListedEntries[]): Promise<void> {
  const step = sql.lit(SKIP_POINTER_STEP);
  const { rows: passing } = await sql<{ list: number; count: number }>`
    with added (list, count) as materialized (select * from unnest(
      ${lists.map(({ list }) => list)}::int8[], ${lists.map(({ ids }) => ids.length)}::int8[])),
    counted as (
      insert into list_counters as c (list, count) select list, count from added
      on conflict (list) do update set count = c.count + excluded.count
      returning c.list, c.count)
    select c.list, c.count from counted c join added a on a.list = c.list
    where c.count / ${step} > (c.count - a.count) / ${step}`.execute(trx);
  if (passing.length === 0) return;
  const byNumber = new Map(lists.map((list) => [list.list, list]));
  const skipPointers = passing.flatMap(({ list, count }) => {
    const entries = byNumber.get(list) as ListedEntries;
    return computeSkipPointers(entries, count - entries.ids.length);
  });
  await sql`
    insert into skip_pointers (list, ordinal, id)
    select * from unnest(
      ${skipPointers.map((m) => m.list)}::int8[], ${skipPointers.map((m) => m.ordinal)}::int8[],
      ${skipPointers.map((m) => m.id)}::int8[])`.execute(trx);
}

/** The skip pointers among entries that were appended to a list with `before` entries. */
export function computeSkipPointers({ list, ids }: ListedEntries, before: number): Insertable<SkipPointerTable>[] {
  const skipPointers: Insertable<SkipPointerTable>[] = [];
  for (let end = SKIP_POINTER_STEP - (before % SKIP_POINTER_STEP); end <= ids.length; end += SKIP_POINTER_STEP) {
    skipPointers.push({ list, ordinal: before + end, id: ids[end - 1]! });
  }
  return skipPointers;
}

/** Removes entries that were the last of their lists, of blocks from `height` on. */
export async function countRemoved(trx: Db, lists: readonly ListedEntries[], height: number): Promise<void> {
  const removed = new CountChanges("list_counters", { list: "int8" });
  for (const { list, ids } of lists) removed.add([list], -ids.length);
  await removed.write(trx);
  // Skip pointers of lists of blocks are heights, all below the ids of entities.
  await trx.deleteFrom("skip_pointers").where("id", ">=", BigInt(height)).where("id", "<", entityNumber(1)).execute();
  await trx.deleteFrom("skip_pointers").where("id", ">=", entityNumber(height)).execute();
}
