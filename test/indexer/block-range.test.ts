import { expect, test } from "@jest/globals";
import { BlockRange } from "../../indexer/chain/step/block-range.js";
import { BEFORE_NEMESIS } from "../../indexer/chain/step/chain-position.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";

const stored = (value: string, history?: string) => ({
  value: Buffer.from(value),
  ...(history !== undefined && { history: Buffer.from(history) }),
});
const change = (name: string, before: EntryChange["before"], after: EntryChange["after"]): EntryChange => {
  return { kind: "account", key: Buffer.from(name), name, before, after };
};

test("only entries that a block has made others are kept for going back", () => {
  const range = new BlockRange({ ...BEFORE_NEMESIS, timestamp: 0, score: 0n });
  range.floor = 1;
  range.addChanges(7, [
    change("created", undefined, stored("a")),
    change("deleted", stored("a"), undefined),
    change("changed", stored("a"), stored("b")),
    change("with another history", stored("a", "1"), stored("a", "2")),
    change("written again", stored("a", "1"), stored("a", "1")),
  ]);
  const replaced = Array.from(range.replaced(), ({ key }) => key.toString());
  expect(replaced).toEqual(["created", "deleted", "changed", "with another history"]);
  expect(range.values("account")).toHaveLength(5);
});
