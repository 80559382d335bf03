import { decodeList, keyFormOf, listNumber, TYPE_RANGE } from "../../database/lists/collections.js";
import type { ListedEntries } from "../step/counters.js";

/** Before each list's ids: its number, of which a double has every digit (8 bytes), and how many ids it has (4). */
const HEAD_BYTES = 12;
const ID_BYTES = 8;

/** Lists concatenated in one piece of memory, which can be transferred to another thread. */
export function packLists(lists: readonly ListedEntries[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(lists.reduce((sum, { size }) => sum + HEAD_BYTES + ID_BYTES * size, 0));
  const view = viewOf(bytes);
  let end = 0;
  for (const { list, size, idAt } of lists) {
    view.setFloat64(end, list);
    view.setUint32(end + 8, size);
    end += HEAD_BYTES;
    for (let index = 0; index < size; index++, end += ID_BYTES) view.setBigInt64(end, idAt(index));
  }
  return bytes;
}

/** Ids of one list in one pack. */
interface Part {
  readonly view: DataView;
  readonly start: number;
  readonly size: number;
}

interface MergedList {
  readonly parts: Part[];
  size: number;
}

/**
 * The merged lists of several packs; packs are added in the order of the chain, and so their ids are too. Nothing is
 * copied and few objects are created: all packs go through one thread.
 */
export class MergedLists {
  readonly #lists = new Map<number, MergedList>();

  /** @param numbers those of the table `keys` by the local numbers of the pack's keys */
  add(pack: Buffer, numbers: ArrayLike<number>): void {
    const view = viewOf(pack);
    for (let start = 0; start < pack.length; ) {
      const size = view.getUint32(start + 8);
      const part = { view, start: start + HEAD_BYTES, size };
      const list = numbered(view.getFloat64(start), numbers);
      const merged = this.#lists.get(list);
      if (merged) {
        merged.parts.push(part);
        merged.size += size;
      } else this.#lists.set(list, { parts: [part], size });
      start = part.start + ID_BYTES * size;
    }
  }

  lists(): ListedEntries[] {
    return [...this.#lists].map(([list, { parts, size }]) => ({ list, size, idAt: (index) => idIn(parts, index) }));
  }
}

/** The number of a list whose key has a local number. */
function numbered(local: number, numbers: ArrayLike<number>): number {
  const { collection, key } = decodeList(local);
  const form = keyFormOf(collection);
  if (form === "key") return listNumber(collection, numbers[key] as number);
  if (form !== "keyAndType") return local;
  const type = key % TYPE_RANGE;
  return listNumber(collection, (numbers[(key - type) / TYPE_RANGE] as number) * TYPE_RANGE + type);
}

function idIn(parts: readonly Part[], index: number): bigint {
  let left = index;
  for (const { view, start, size } of parts) {
    if (left < size) return view.getBigInt64(start + ID_BYTES * left);
    left -= size;
  }
  throw new RangeError(`there is no entry ${index}`);
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
