import { viewOf } from "../../catapult/entity/growing-memory.js";
import { decodeList, keyFormOf, listNumber, TYPE_RANGE } from "../../database/lists/collections.js";
import type { ListedEntries } from "../step/counters.js";

/** Before each list's ids: its number, of which a double has every digit (8 bytes), and how many ids it has (4). */
const HEAD_BYTES = 12;
const SIZE_OFFSET = 8;
const ID_BYTES = 8;

/** Lists concatenated in one piece of memory, which can be transferred to another thread. */
export function packLists(lists: readonly ListedEntries[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(lists.reduce((sum, { size }) => sum + HEAD_BYTES + ID_BYTES * size, 0));
  const view = viewOf(bytes);
  let end = 0;
  for (const { list, size, idAt } of lists) {
    view.setFloat64(end, list);
    view.setUint32(end + SIZE_OFFSET, size);
    end += HEAD_BYTES;
    for (let index = 0; index < size; index++, end += ID_BYTES) view.setBigInt64(end, idAt(index));
  }
  return bytes;
}

interface MergedList {
  size: number;
  /** Where its ids are: the number of the pack, and in it the offset of their first. */
  readonly places: number[];
}

const PACK_RANGE = 2 ** 32;

/**
 * The merged lists of several packs; packs are added in the order of the chain, and so their ids are too. Nothing is
 * copied and few objects are created: all packs go through one thread.
 */
export class MergedLists {
  /** By collection and key, as in `ListGatherer`. */
  readonly #collections: Map<number, MergedList>[] = [];
  readonly #packs: DataView[] = [];

  /** @param numbers those of the table `keys` by the local numbers of the pack's keys */
  add(pack: Buffer, numbers: ArrayLike<number>): void {
    const view = viewOf(pack);
    const firstPlace = PACK_RANGE * this.#packs.length;
    this.#packs.push(view);
    for (let start = 0; start < pack.length; ) {
      const size = view.getUint32(start + SIZE_OFFSET);
      const { collection, key: local } = decodeList(view.getFloat64(start));
      const key = numbered(collection, local, numbers);
      this.#collections[collection] ??= new Map();
      const lists = this.#collections[collection];
      const merged = lists.get(key);
      start += HEAD_BYTES;
      if (merged) {
        merged.places.push(firstPlace + start);
        merged.size += size;
      } else lists.set(key, { size, places: [firstPlace + start] });
      start += ID_BYTES * size;
    }
  }

  lists(): ListedEntries[] {
    const all: ListedEntries[] = [];
    for (const [collection, lists] of this.#collections.entries()) {
      for (const [key, { size, places }] of lists ?? []) {
        all.push({ list: listNumber(collection, key), size, idAt: (index) => this.#idAt(places, index) });
      }
    }
    return all;
  }

  #idAt(places: readonly number[], index: number): bigint {
    let left = index;
    for (const place of places) {
      const view = this.#packs[Math.floor(place / PACK_RANGE)] as DataView;
      const start = place % PACK_RANGE;
      const size = view.getUint32(start - HEAD_BYTES + SIZE_OFFSET);
      if (left < size) return view.getBigInt64(start + ID_BYTES * left);
      left -= size;
    }
    throw new RangeError(`there is no entry ${index}`);
  }
}

/** The key of a list whose key has a local number. */
function numbered(collection: number, local: number, numbers: ArrayLike<number>): number {
  const form = keyFormOf(collection);
  if (form === "key") return numbers[local] as number;
  if (form !== "keyAndType") return local;
  const type = local % TYPE_RANGE;
  return (numbers[(local - type) / TYPE_RANGE] as number) * TYPE_RANGE + type;
}
