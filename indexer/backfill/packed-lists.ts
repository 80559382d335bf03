import { LISTED_ID_BYTES, type ListedEntries, sizeOf } from "../step/counters.js";

/** Before each list's key and ids: collection (2 bytes), length of the key (1), number of ids (4). */
const HEAD_BYTES = 7;

/** Lists concatenated in one piece of memory, which can be transferred to another thread. */
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

/** Ids of one list in one pack. */
interface Part {
  readonly pack: Buffer;
  readonly start: number;
  readonly end: number;
}

interface MergedList {
  readonly key: Buffer;
  readonly parts: Part[];
}

/**
 * The merged lists of several packs; packs are added in the order of the chain, and so their ids are too. Until the
 * lists are read, nothing is copied and few objects are created: all packs go through one thread.
 */
export class MergedLists {
  readonly #collections = new Map<number, Map<string, MergedList>>();

  add(pack: Buffer): void {
    for (let start = 0; start < pack.length; ) {
      const collection = pack.readUInt16BE(start);
      const keyStart = start + HEAD_BYTES;
      const keyEnd = keyStart + pack.readUInt8(start + 2);
      const end = keyEnd + LISTED_ID_BYTES * pack.readUInt32BE(start + 3);
      this.#list(collection, pack, keyStart, keyEnd).parts.push({ pack, start: keyEnd, end });
      start = end;
    }
  }

  #list(collection: number, pack: Buffer, keyStart: number, keyEnd: number): MergedList {
    let lists = this.#collections.get(collection);
    if (!lists) {
      lists = new Map();
      this.#collections.set(collection, lists);
    }
    const name = pack.toString("latin1", keyStart, keyEnd);
    let list = lists.get(name);
    if (!list) {
      list = { key: pack.subarray(keyStart, keyEnd), parts: [] };
      lists.set(name, list);
    }
    return list;
  }

  lists(): ListedEntries[] {
    return [...this.#collections].flatMap(([collection, lists]) =>
      [...lists.values()].map(({ key, parts }) => ({ collection, key, ids: joined(parts) })),
    );
  }
}

function joined(parts: readonly Part[]): Buffer {
  const ids = Buffer.allocUnsafe(parts.reduce((sum, { start, end }) => sum + end - start, 0));
  let length = 0;
  for (const { pack, start, end } of parts) length += pack.copy(ids, length, start, end);
  return ids;
}
