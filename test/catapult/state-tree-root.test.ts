import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { inactiveReason } from "../../catapult/state/end.js";
import { keyOfState } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { StateTreeRoot } from "../../catapult/state/tree-root.js";
import type { TreeNode } from "../../ledger/trees/patricia-tree.js";
import { describeRecorded } from "../support/describe-chains.js";
import { removeLeaf, setLeaf } from "../support/tree-leaf.js";

test("the root of a state tree is zeros without entries, and needs different keys", () => {
  const root = new StateTreeRoot();
  expect(root.compute()).toEqual(Buffer.alloc(32));
  for (const key of [1, 2, 1]) root.add(Buffer.of(key), Buffer.of(0));
  expect(() => root.compute()).toThrow("two entries for the key");
});

test("an entry that is not in a tree is removed without a change, wherever its path leaves those that are", () => {
  const keyOf = (index: number) => createHash("sha256").update(String(index)).digest();
  let tree: TreeNode | undefined;
  for (let index = 0; index < 200; ++index) tree = setLeaf(tree, keyOf(index), keyOf(0));
  for (let index = 200; index < 1_000; ++index) expect(removeLeaf(tree, keyOf(index))).toBe(tree);
});

describeRecorded("the roots of all recorded state values", (chain) => {
  test("are those under the state hash of their block, without used or expired locks and child namespaces", () => {
    const height = 596;
    const trees = new Map(STATE_KINDS.map((kind) => [kind, new StateTreeRoot()]));
    const seen = new Set<string>();
    for (const line of chain.lines<{ kind: StateKind; key: string; value: string }>("states.jsonl.gz")) {
      const value = Buffer.from(line.value, "hex");
      const state = decodeState(line.kind, value);
      const key = keyOfState(line.kind, state as never);
      const name = `${line.kind} ${key.toString("hex")}`;
      if (seen.has(name) || inactiveReason(line.kind, state, height) !== undefined) continue;
      seen.add(name);
      trees.get(line.kind)?.add(key, value);
    }
    expect([...trees.values()].map((tree) => tree.compute())).toEqual(chain.subCacheMerkleRoots());
  });
});
