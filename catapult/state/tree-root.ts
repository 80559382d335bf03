import { sha3 } from "../entity/hashes.js";
import { stateTreeKey } from "./key.js";
import { treeBranchHash, treeLeafHash } from "./tree-path.js";

const HASH_SIZE = 32;
const ENTRY_SIZE = 2 * HASH_SIZE;
const ENTRIES_PER_CHUNK = 4_096;
const KEY_NIBBLES = 2 * HASH_SIZE;
const NIBBLE_COUNT = 16;
/** Leading bytes of a key by which entries are presorted: as many as fit exactly into a double. */
const PREFIX_BYTES = 6;

/**
 * Computes the root of a state tree from all its entries, added in any order. Holds 64 bytes per entry (and 12 more
 * while it computes), whatever the size of the values. Source: catapult's `tree/BasePatriciaTree`; the tree depends
 * on its entries alone, not on their history.
 */
export class StateTreeRoot {
  readonly #chunks: Buffer[] = [];
  #count = 0;

  /** Number of added entries. */
  get count(): number {
    return this.#count;
  }

  /** Adds a state value under its key in request form (24 bytes for an address, 8 for an id, 32 for a hash). */
  add(key: Buffer, value: Buffer): void {
    if (this.#count % ENTRIES_PER_CHUNK === 0)
      this.#chunks.push(Buffer.allocUnsafeSlow(ENTRIES_PER_CHUNK * ENTRY_SIZE));
    const [chunk, offset] = this.#locate(this.#count++);
    stateTreeKey(key).copy(chunk, offset);
    sha3(value).copy(chunk, offset + HASH_SIZE);
  }

  /**
   * The root (32 bytes) of all added entries; zeros if there are none. @throws RangeError when a key was added twice
   */
  compute(): Buffer {
    return this.#count === 0 ? Buffer.alloc(HASH_SIZE) : this.#computeRoot(this.#sorted(), 0);
  }

  /**
   * @param entries at least one, sorted by key
   * @param depth number of nibbles of the keys above this node, shared by all entries
   */
  #computeRoot(entries: Uint32Array, depth: number): Buffer {
    const first = this.#readNibbles(entries[0]!);
    if (entries.length === 1) return treeLeafHash(first.slice(depth), this.#readValueHash(entries[0]!));
    const last = this.#readNibbles(entries[entries.length - 1]!);
    let fork = depth;
    while (fork < KEY_NIBBLES && first[fork] === last[fork]) fork++;
    if (fork === KEY_NIBBLES) throw new RangeError(`the state tree has two entries for the key ${first}`);
    const links: (Buffer | undefined)[] = new Array(NIBBLE_COUNT).fill(undefined);
    for (let start = 0; start < entries.length; ) {
      const nibble = this.#readNibble(entries[start]!, fork);
      let end = start + 1;
      while (end < entries.length && this.#readNibble(entries[end]!, fork) === nibble) end++;
      links[nibble] = this.#computeRoot(entries.subarray(start, end), fork + 1);
      start = end;
    }
    return treeBranchHash(first.slice(depth, fork), links);
  }

  #sorted(): Uint32Array {
    const prefixes = Float64Array.from({ length: this.#count }, (_, entry) => {
      const [chunk, offset] = this.#locate(entry);
      return chunk.readUIntBE(offset, PREFIX_BYTES);
    });
    return Uint32Array.from({ length: this.#count }, (_, entry) => entry).sort(
      (left, right) => prefixes[left]! - prefixes[right]! || this.#readKey(left).compare(this.#readKey(right)),
    );
  }

  #locate(entry: number): readonly [chunk: Buffer, offset: number] {
    return [this.#chunks[Math.floor(entry / ENTRIES_PER_CHUNK)]!, (entry % ENTRIES_PER_CHUNK) * ENTRY_SIZE];
  }

  #readKey(entry: number): Buffer {
    const [chunk, offset] = this.#locate(entry);
    return chunk.subarray(offset, offset + HASH_SIZE);
  }

  #readValueHash(entry: number): Buffer {
    const [chunk, offset] = this.#locate(entry);
    return chunk.subarray(offset + HASH_SIZE, offset + ENTRY_SIZE);
  }

  #readNibbles(entry: number): string {
    return this.#readKey(entry).toString("hex");
  }

  #readNibble(entry: number, at: number): number {
    const [chunk, offset] = this.#locate(entry);
    const byte = chunk[offset + (at >> 1)]!;
    return at % 2 === 0 ? byte >> 4 : byte & 0xf;
  }
}
