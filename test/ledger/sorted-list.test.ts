import { describe, expect, test } from "@jest/globals";
import { type Order, SortedList } from "../../ledger/trees/sorted-list.js";
import { SeededRandom } from "../support/seeded-random.js";

interface Item {
  readonly key: number;
  readonly value: number;
}

let compared = 0;
const BY_KEY: Order<number, Item> = {
  keyOf: ({ key }) => key,
  compare: (left, right) => {
    compared += 1;
    return left - right;
  },
};

function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, key) => ({ key: 2 * key, value: 0 }));
}

describe("a sorted list", () => {
  test.each([3, 70, 1_000])(
    "is what an array would be that is sorted after each of many changes of %i keys",
    (range) => {
      const random = new SeededRandom();
      let list = SortedList.of(BY_KEY, []);
      let expected = new Map<number, Item>();
      const earlier: { readonly list: SortedList<number, Item>; readonly expected: Map<number, Item> }[] = [];
      for (let step = 0; step < 4 * range + 100; ++step) {
        const key = random.below(range);
        // Mostly growing, then mostly shrinking.
        const isAddition = random.below(100) < (step % (2 * range) < range ? 80 : 20);
        const item = { key, value: step };
        list = isAddition ? list.with(item) : list.without(key);
        expected = new Map(expected);
        if (isAddition) expected.set(key, item);
        else expected.delete(key);
        expect([list.length, list.get(key), list.has(key)]).toEqual([expected.size, expected.get(key), isAddition]);
        if (step % range === 0) earlier.push({ list, expected });
      }
      for (const one of [...earlier, { list, expected }]) {
        expect([...one.list]).toEqual([...one.expected.values()].sort((left, right) => left.key - right.key));
      }
    },
  );

  test("stays as it was when another one is made of it", () => {
    const items = itemsOf(200);
    const list = SortedList.of(BY_KEY, items);
    for (const { key } of items) {
      list.with({ key, value: 1 });
      list.with({ key: key + 1, value: 1 });
      list.without(key);
    }
    expect([...list]).toEqual(items);
    expect(list.without(1)).toBe(list);
  });

  test("compares as few items for a change or a look-up of a long list as a search by halves", () => {
    const list = SortedList.of(BY_KEY, itemsOf(5_000));
    compared = 0;
    for (let key = 0; key < 10_000; key += 1) {
      list.with({ key, value: 1 });
      list.without(key);
      list.has(key);
    }
    expect(compared / 30_000).toBeLessThan(20);
  });
});
