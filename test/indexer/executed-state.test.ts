import { expect, test } from "@jest/globals";
import { ExecutedState } from "../../indexer/chain/execution/executed-state.js";
import type { EntryChange } from "../../ledger/engine/entry-changes.js";

const stored = (value: string, history?: string) => ({
  value: Buffer.from(value),
  ...(history !== undefined && { history: Buffer.from(history) }),
});
const change = (name: string, before: EntryChange["before"], after: EntryChange["after"]): EntryChange => {
  return { kind: "account", key: Buffer.from(name), name, before, after };
};

test("only entries that a block has made others are kept for going back", () => {
  const executed = new ExecutedState();
  executed.add(7, [
    change("created", undefined, stored("a")),
    change("deleted", stored("a"), undefined),
    change("changed", stored("a"), stored("b")),
    change("with another history", stored("a", "1"), stored("a", "2")),
    change("written again", stored("a", "1"), stored("a", "1")),
  ]);
  const { values, replaced } = executed.change(1);
  expect(replaced.map(({ key }) => key.toString())).toEqual(["created", "deleted", "changed", "with another history"]);
  expect(values).toHaveLength(5);
});
