import { expect, test } from "@jest/globals";
import { Collection } from "../../database/lists/collections.js";
import { MergedLists, packLists } from "../../indexer/backfill/packed-lists.js";
import { byList, type ListedEntries } from "../../indexer/step/counters.js";

const key = (text: string) => Buffer.from(text, "latin1");
const ids = (...all: number[]) => {
  const bytes = Buffer.alloc(8 * all.length);
  for (const [index, id] of all.entries()) bytes.writeBigInt64BE(BigInt(id), 8 * index);
  return bytes;
};

/** Lists in an order that does not depend on their arrival. */
const sorted = (lists: readonly ListedEntries[]) =>
  lists
    .map((list) => `${list.collection} ${list.key.toString("latin1")}: ${list.ids.toString("hex")}`)
    .sort((a, b) => (a < b ? -1 : 1));

test("entries are grouped by collection and key, each once, in the order of their ids", () => {
  const entries = [
    { collection: Collection.blocks, key: key("a"), id: 5n },
    { collection: Collection.transactionsTop, key: key("a"), id: 5n },
    { collection: Collection.blocks, key: key("a"), id: 3n },
    { collection: Collection.blocks, key: key("\u00ff\0"), id: 3n },
    { collection: Collection.blocks, key: key("a"), id: 5n },
    { collection: Collection.blocks, key: key(""), id: 7n },
  ];
  expect(sorted(byList(entries))).toEqual(
    sorted([
      { collection: Collection.blocks, key: key("a"), ids: ids(3, 5) },
      { collection: Collection.blocks, key: key("\u00ff\0"), ids: ids(3) },
      { collection: Collection.blocks, key: key(""), ids: ids(7) },
      { collection: Collection.transactionsTop, key: key("a"), ids: ids(5) },
    ]),
  );
});

test("packs are merged in the order of arrival", () => {
  const merged = new MergedLists();
  merged.add(
    packLists([
      { collection: 1, key: key("a"), ids: ids(1, 2) },
      { collection: 300, key: key("a"), ids: ids(2) },
    ]),
  );
  merged.add(packLists([]));
  merged.add(
    packLists([
      { collection: 1, key: key(""), ids: ids(9) },
      { collection: 1, key: key("a"), ids: ids(8, 9) },
    ]),
  );
  expect(sorted(merged.lists())).toEqual(
    sorted([
      { collection: 1, key: key("a"), ids: ids(1, 2, 8, 9) },
      { collection: 300, key: key("a"), ids: ids(2) },
      { collection: 1, key: key(""), ids: ids(9) },
    ]),
  );
});
