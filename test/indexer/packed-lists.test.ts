import { expect, test } from "@jest/globals";
import { Collection, listNumber, TYPE_RANGE } from "../../database/lists/collections.js";
import { MergedLists, packLists } from "../../indexer/backfill/packed-lists.js";
import { type ListedEntries, ListGatherer } from "../../indexer/step/counters.js";

/** Lists with their ids, in an order that does not depend on how they came. */
const read = (lists: readonly ListedEntries[]) =>
  lists
    .map(({ list, size, idAt }) => ({ list, ids: Array.from({ length: size }, (_, index) => idAt(index)) }))
    .sort((a, b) => a.list - b.list);

const listed = (list: number, ...ids: bigint[]) => ({ list, size: ids.length, idAt: (index: number) => ids[index]! });

const HIGH_ID = 2n ** 63n - 1n;

test("entries are put together by list, each once, in the order of their ids", () => {
  const gatherer = new ListGatherer();
  const blocks = [Collection.blocks, 0] as const;
  const address = [Collection.transactionsByAddressEmbedded, 2 ** 46 - 1] as const;
  for (const [[collection, key], id] of [
    [blocks, 5n],
    [address, 5n],
    [blocks, 3n],
    [address, HIGH_ID],
    [address, HIGH_ID],
    [blocks, 5n],
  ] as const) {
    gatherer.add(collection, key, id);
  }
  expect(read(gatherer.lists())).toEqual([
    { list: listNumber(...blocks), ids: [3n, 5n] },
    { list: listNumber(...address), ids: [5n, HIGH_ID] },
  ]);
});

test("packs are merged in the order in which they come, by the numbers that their keys have in the database", () => {
  const merged = new MergedLists();
  const [signer, both, type] = [
    Collection.blocksBySigner,
    Collection.transactionsByAddressAndTypeTop,
    Collection.transactionsByTypeTop,
  ];
  const first = [listed(listNumber(signer, 0), 1n, 2n), listed(listNumber(both, TYPE_RANGE + 7), 2n)];
  merged.add(packLists(first), [70, 2 ** 30 - 1]);
  merged.add(packLists([]), []);
  const second = [listed(listNumber(signer, 1), 8n, HIGH_ID), listed(listNumber(type, 0x4154), 9n)];
  merged.add(packLists(second), [1, 70]);
  expect(read(merged.lists())).toEqual([
    { list: listNumber(signer, 70), ids: [1n, 2n, 8n, HIGH_ID] },
    { list: listNumber(type, 0x4154), ids: [9n] },
    { list: listNumber(both, (2 ** 30 - 1) * TYPE_RANGE + 7), ids: [2n] },
  ]);
});
