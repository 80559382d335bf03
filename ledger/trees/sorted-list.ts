/** How the items of a list are named, and in which order they are. */
export interface Order<K, T> {
  keyOf(item: T): K;
  /** Below 0 if `left` comes first, 0 if they are equal. */
  compare(left: K, right: K): number;
}

/** Where the item with a key is in a sorted array, or would be. */
export function searchSorted<K, T>(items: readonly T[], key: K, { keyOf, compare }: Order<K, T>): number {
  let start = 0;
  let end = items.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (compare(keyOf(items[middle]!), key) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** The item of a sorted array with a key. */
export function itemIn<K, T>(items: readonly T[], key: K, order: Order<K, T>): T | undefined {
  const item = items[searchSorted(items, key, order)];
  return item !== undefined && order.compare(order.keyOf(item), key) === 0 ? item : undefined;
}

/** A sorted array with an item, new or in place of the one with its key. The array is copied: only for short ones. */
export function withItem<K, T>(items: readonly T[], item: T, order: Order<K, T>): T[] {
  const key = order.keyOf(item);
  const index = searchSorted(items, key, order);
  const isKnown = index < items.length && order.compare(order.keyOf(items[index]!), key) === 0;
  return isKnown ? items.with(index, item) : items.toSpliced(index, 0, item);
}

/** A sorted array without the item with a key; the same array if there is none. It is copied: only for short ones. */
export function withoutItem<K, T>(items: readonly T[], key: K, order: Order<K, T>): readonly T[] {
  const index = searchSorted(items, key, order);
  const isKnown = index < items.length && order.compare(order.keyOf(items[index]!), key) === 0;
  return isKnown ? items.toSpliced(index, 1) : items;
}

/** Items of a part, at most. */
const PART_SIZE = 64;

/**
 * A sorted list that may be long, without two items of one key. It is never modified: a change gives another list, which
 * copies one part, and shares the others.
 */
export class SortedList<K, T> implements Iterable<T> {
  readonly length: number;
  readonly #order: Order<K, T>;
  /** None is empty, and no two neighbours have room in half a part. */
  readonly #parts: readonly (readonly T[])[];

  private constructor(order: Order<K, T>, parts: readonly (readonly T[])[], length: number) {
    this.#order = order;
    this.#parts = parts;
    this.length = length;
  }

  /** @param items in this order */
  static of<K, T>(order: Order<K, T>, items: readonly T[]): SortedList<K, T> {
    const parts: (readonly T[])[] = [];
    for (let start = 0; start < items.length; start += PART_SIZE) parts.push(items.slice(start, start + PART_SIZE));
    return new SortedList(order, parts, items.length);
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.#parts.length === 1 ? this.#parts[0]! : this.#parts.flat())[Symbol.iterator]();
  }

  get(key: K): T | undefined {
    const part = this.#parts[this.#partOf(key)];
    return part && itemIn(part, key, this.#order);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** The list with an item, new or in place of the one with its key. */
  with(item: T): SortedList<K, T> {
    const index = this.#partOf(this.#order.keyOf(item));
    const part = this.#parts[index] ?? [];
    const changed = withItem(part, item, this.#order);
    const half = changed.length >>> 1;
    const isFull = changed.length > PART_SIZE;
    const length = this.length + changed.length - part.length;
    return this.#replaced(index, 1, isFull ? [changed.slice(0, half), changed.slice(half)] : [changed], length);
  }

  /** The list without the item with a key; the same list if there is none. */
  without(key: K): SortedList<K, T> {
    const index = this.#partOf(key);
    const part = this.#parts[index] ?? [];
    const changed = withoutItem(part, key, this.#order);
    if (changed === part) return this;
    for (const first of [index - 1, index]) {
      const left = first === index ? changed : this.#parts[first];
      const right = first === index ? this.#parts[index + 1] : changed;
      const isJoined = left && right && 2 * (left.length + right.length) <= PART_SIZE;
      if (isJoined) return this.#replaced(first, 2, [[...left, ...right]], this.length - 1);
    }
    return this.#replaced(index, 1, changed.length > 0 ? [changed] : [], this.length - 1);
  }

  #replaced(index: number, count: number, parts: readonly (readonly T[])[], length: number): SortedList<K, T> {
    const isWhole = count >= this.#parts.length;
    return new SortedList(this.#order, isWhole ? parts : this.#parts.toSpliced(index, count, ...parts), length);
  }

  /** The part with a key: the last one that begins with it or before it, otherwise the first. */
  #partOf(key: K): number {
    const { keyOf, compare } = this.#order;
    let start = 0;
    let end = this.#parts.length;
    while (end - start > 1) {
      const middle = (start + end) >>> 1;
      if (compare(keyOf(this.#parts[middle]![0]!), key) <= 0) start = middle;
      else end = middle;
    }
    return start;
  }
}
