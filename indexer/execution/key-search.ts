import { createHash } from "node:crypto";

/** Prefixes of up to this number of digits are found faster among made-up keys than among those of entries. */
const MADE_UP_DIGITS = 3;
/** Half a microsecond each. */
const MAX_TRIES = 4_000_000;
/** Leading digits of a position by which keys are sorted: as many as fit exactly into a double. */
const SORTED_DIGITS = 12;

/** Finds keys by the beginning of their position in a tree, which is the sha3-256 of the key. */
export class KeySearch {
  readonly #size: number;
  readonly #known: () => Iterable<Buffer>;
  #sorted: { readonly starts: Float64Array; readonly keys: readonly string[] } | undefined;

  /**
   * @param size bytes of a key
   * @param known keys of entries: among a million of them is one for each prefix of up to four digits
   */
  constructor(size: number, known: () => Iterable<Buffer>) {
    this.#size = size;
    this.#known = known;
  }

  /** A key, of an entry or none, whose position begins with `prefix`; undefined if finding one takes too long. */
  under(prefix: string): Buffer | undefined {
    const known = prefix.length > MADE_UP_DIGITS ? this.knownUnder(prefix) : undefined;
    if (known) return known;
    const key = Buffer.alloc(this.#size);
    for (let tries = 0; tries < MAX_TRIES; ++tries) {
      key.writeUInt32LE(tries);
      if (positionOf(key).startsWith(prefix)) return key;
    }
    return undefined;
  }

  /** A known key whose position begins with `prefix`. */
  knownUnder(prefix: string): Buffer | undefined {
    this.#sorted ??= sortedKeys(this.#known());
    const { starts, keys } = this.#sorted;
    const first = startOf(prefix.padEnd(SORTED_DIGITS, "0"));
    const last = startOf(prefix.padEnd(SORTED_DIGITS, "f"));
    let low = 0;
    for (let high = keys.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! < first) low = middle + 1;
      else high = middle;
    }
    for (; low < keys.length && starts[low]! <= last; ++low) {
      const key = Buffer.from(keys[low]!, "latin1");
      if (positionOf(key).startsWith(prefix)) return key;
    }
    return undefined;
  }
}

function sortedKeys(known: Iterable<Buffer>) {
  const all = Array.from(known, (key) => key.toString("latin1"));
  const unsorted = Float64Array.from(all, (key) => startOf(positionOf(Buffer.from(key, "latin1"))));
  const order = Uint32Array.from(all.keys()).sort((left, right) => unsorted[left]! - unsorted[right]!);
  return {
    starts: Float64Array.from(order, (index) => unsorted[index]!),
    keys: Array.from(order, (index) => all[index]!),
  };
}

function startOf(position: string): number {
  return Number.parseInt(position.slice(0, SORTED_DIGITS), 16);
}

function positionOf(key: Buffer): string {
  return createHash("sha3-256").update(key).digest("hex");
}
