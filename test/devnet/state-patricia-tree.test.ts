import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { pathTo, rootHash, type TreeNode } from "../../ledger/trees/patricia-tree.js";
import { SeededRandom } from "../support/seeded-random.js";
import { removeLeaf, setLeaf } from "../support/tree-leaf.js";

const EMPTY = Buffer.alloc(32);

describe("a state tree", () => {
  test("without entries has a root of zeros and no path", () => {
    expect(rootHash(undefined)).toEqual(EMPTY);
    expect(pathTo(undefined, keyOf(1))).toHaveLength(0);
    expect(removeLeaf(undefined, keyOf(1))).toBeUndefined();
  });

  test("of one entry is a leaf: its hash covers the whole key and the value", () => {
    const tree = setLeaf(undefined, keyOf(1), keyOf(2));
    const hash = createHash("sha3-256").update(Buffer.of(0x20)).update(keyOf(1)).update(keyOf(2)).digest();
    expect(rootHash(tree)).toEqual(hash);
    expect(pathTo(tree, keyOf(1))).toEqual(Buffer.concat([Buffer.of(0xff, 64), keyOf(1), keyOf(2)]));
  });

  test("of two entries that differ after three nibbles is a branch with an odd path", () => {
    const left = Buffer.from(`abc1${"00".repeat(30)}`, "hex");
    const right = Buffer.from(`abcf${"00".repeat(30)}`, "hex");
    const leaf = (value: Buffer) =>
      createHash("sha3-256").update(Buffer.of(0x20)).update(Buffer.alloc(30)).update(value).digest();
    const links = Array.from({ length: 16 }, () => EMPTY);
    links[0x1] = leaf(keyOf(1));
    links[0xf] = leaf(keyOf(2));
    const hash = createHash("sha3-256").update(Buffer.of(0x1a, 0xbc)).update(Buffer.concat(links)).digest();

    const tree = setLeaf(setLeaf(undefined, left, keyOf(1)), right, keyOf(2));
    expect(rootHash(tree)).toEqual(hash);
    const branch = Buffer.concat([Buffer.from("0003abc00280", "hex"), leaf(keyOf(1)), leaf(keyOf(2))]);
    expect(pathTo(tree, left)).toEqual(Buffer.concat([branch, Buffer.of(0xff, 60), Buffer.alloc(30), keyOf(1)]));
  });

  test("depends only on its content, not on the order of changes, and older trees are unchanged", () => {
    const random = new SeededRandom();
    const entries = new Map<number, number>();
    const older: { tree: TreeNode | undefined; hash: Buffer }[] = [];
    let tree: TreeNode | undefined;
    for (let step = 0; step < 3000; ++step) {
      const key = random.below(200);
      if (random.below(3) === 0) {
        entries.delete(key);
        tree = removeLeaf(tree, keyOf(key));
      } else {
        const value = random.below(1000);
        entries.set(key, value);
        tree = setLeaf(tree, keyOf(key), keyOf(value));
      }
      if (step % 100 === 0) older.push({ tree, hash: Buffer.from(rootHash(tree)) });
    }
    let fresh: TreeNode | undefined;
    for (const [key, value] of [...entries].reverse()) fresh = setLeaf(fresh, keyOf(key), keyOf(value));
    expect(rootHash(tree)).toEqual(rootHash(fresh));
    for (const { tree: old, hash } of older) expect(rootHash(old)).toEqual(hash);

    for (const key of entries.keys()) tree = removeLeaf(tree, keyOf(key));
    expect(tree).toBeUndefined();
  });
});

function keyOf(index: number): Buffer {
  return createHash("sha256").update(String(index)).digest();
}
