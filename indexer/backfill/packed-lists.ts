import { ID_BYTES } from "../../schema/db/entity-id.js";
import { type ListedEntries, listName, sizeOf } from "../counters.js";

/** Before each list's key and ids: collection (2 bytes), length of the key (1), number of ids (4). */
const HEAD_BYTES = 7;

/** Lists one behind the other in one piece of memory, which another thread can be given as it is. */
export function packLists(lists: readonly ListedEntries[]): Buffer {
  const size = lists.reduce((sum, { key, ids }) => sum + HEAD_BYTES + key.length + ids.length, 0);
  const bytes = Buffer.allocUnsafeSlow(size);
  let end = 0;
  for (const list of lists) {
    end = bytes.writeUInt16BE(list.collection, end);
    end = bytes.writeUInt8(list.key.length, end);
    end = bytes.writeUInt32BE(sizeOf(list), end);
    end += list.key.copy(bytes, end);
    end += list.ids.copy(bytes, end);
  }
  return bytes;
}

function* unpackLists(bytes: Buffer): Generator<ListedEntries> {
  for (let start = 0; start < bytes.length; ) {
    const collection = bytes.readUInt16BE(start);
    const keyEnd = start + HEAD_BYTES + bytes.readUInt8(start + 2);
    const idsEnd = keyEnd + ID_BYTES * bytes.readUInt32BE(start + 3);
    yield { collection, key: bytes.subarray(start + HEAD_BYTES, keyEnd), ids: bytes.subarray(keyEnd, idsEnd) };
    start = idsEnd;
  }
}

/** Lists of several packs put together, each once; packs are added in the order of the chain, and so are the ids then. */
export class MergedLists {
  readonly #merged = new Map<string, { readonly list: ListedEntries; readonly ids: Buffer[] }>();

  add(pack: Buffer): void {
    for (const list of unpackLists(pack)) {
      const name = listName(list);
      const known = this.#merged.get(name);
      if (known) known.ids.push(list.ids);
      else this.#merged.set(name, { list, ids: [list.ids] });
    }
  }

  lists(): ListedEntries[] {
    return [...this.#merged.values()].map(({ list, ids }) =>
      ids.length === 1 ? list : { ...list, ids: Buffer.concat(ids) },
    );
  }
}
