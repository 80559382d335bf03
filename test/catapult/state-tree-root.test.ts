import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { inactiveReason } from "../../catapult/state/end.js";
import { keyOfState, stateTreeKey } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { StateTreeRoot } from "../../catapult/state/tree-root.js";
import { rootHash, type TreeNode } from "../../ledger/trees/patricia-tree.js";
import { describeRecorded } from "../support/describe-chains.js";
import { SeededRandom } from "../support/seeded-random.js";
import { setLeaf } from "../support/tree-leaf.js";

const sha3 = (bytes: Buffer) => createHash("sha3-256").update(bytes).digest();
const bytesOf = (number: number) => Buffer.from(`entry ${number}`);

describe("the root of a state tree", () => {
  test("of no entries is zeros", () => {
    expect(new StateTreeRoot().compute()).toEqual(Buffer.alloc(32));
  });

  test.each([1, 2, 17, 5_000])("of %d entries equals that of a tree to which they were added one by one", (count) => {
    const random = new SeededRandom();
    const whole = new StateTreeRoot();
    let tree: TreeNode | undefined;
    for (let index = 0; index < count; ++index) {
      const [key, value] = [bytesOf(index), bytesOf(random.below(1_000))];
      whole.add(key, value);
      tree = setLeaf(tree, stateTreeKey(key), sha3(value));
    }
    expect(whole.count).toBe(count);
    expect(whole.compute()).toEqual(rootHash(tree));
  });

  test("rejects a duplicate key", () => {
    const root = new StateTreeRoot();
    for (const key of [1, 2, 1]) root.add(bytesOf(key), bytesOf(0));
    expect(() => root.compute()).toThrow("two entries for the key");
  });
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
