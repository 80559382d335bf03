import { decodeList, keyFormOf, listNumber, TYPE_RANGE } from "../../../database/lists/collections.js";
import type { ListedEntries } from "./counters.js";

/** The entries of many lists in three pieces of memory: as objects they need several times as much. */
export interface PackedLists {
  /** Their numbers, see `listNumber`. */
  readonly lists: Float64Array;
  /** Where the entries of each end. */
  readonly ends: Uint32Array;
  readonly ids: BigInt64Array;
}

export function packLists(entries: readonly ListedEntries[]): PackedLists {
  const ends = new Uint32Array(entries.length);
  let end = 0;
  for (const [index, { ids }] of entries.entries()) {
    end += ids.length;
    ends[index] = end;
  }
  const all = new BigInt64Array(end);
  for (const [index, { ids }] of entries.entries()) all.set(ids, (ends[index] as number) - ids.length);
  return { lists: Float64Array.from(entries, ({ list }) => list), ends, ids: all };
}

/** Lists whose keys have local numbers, and the numbers of these in the table `keys`. */
export interface LocalLists {
  readonly packed: PackedLists;
  readonly numbers: ArrayLike<number>;
}

/** The lists of consecutive blocks together; no two of them have the same entry. */
export function mergeLists(parts: readonly LocalLists[]): ListedEntries[] {
  const ends = new Map<number, number>();
  for (const { list, ids } of entriesOf(parts)) ends.set(list, (ends.get(list) ?? 0) + ids.length);
  let start = 0;
  for (const [list, size] of ends) {
    ends.set(list, start);
    start += size;
  }
  const all = new BigInt64Array(start);
  for (const { list, ids } of entriesOf(parts)) {
    const end = ends.get(list) as number;
    all.set(ids, end);
    ends.set(list, end + ids.length);
  }
  let begun = 0;
  return Array.from(ends, ([list, end]) => {
    const ids = all.subarray(begun, end);
    begun = end;
    return { list, ids };
  });
}

function* entriesOf(parts: readonly LocalLists[]) {
  for (const { packed, numbers } of parts) {
    let start = 0;
    for (const [index, list] of packed.lists.entries()) {
      const end = packed.ends[index] as number;
      yield { list: numbered(list, numbers), ids: packed.ids.subarray(start, end) };
      start = end;
    }
  }
}

/** The number of a list whose key has a local number. */
function numbered(list: number, numbers: ArrayLike<number>): number {
  const { collection, key } = decodeList(list);
  const form = keyFormOf(collection);
  if (form === "key") return listNumber(collection, numbers[key] as number);
  if (form !== "keyAndType") return list;
  const type = key % TYPE_RANGE;
  return listNumber(collection, (numbers[(key - type) / TYPE_RANGE] as number) * TYPE_RANGE + type);
}
