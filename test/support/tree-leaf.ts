import { removeEntry, setEntry, type TreeNode } from "../../ledger/trees/patricia-tree.js";

/** The tree with `valueHash` at `key` (both 32 bytes). */
export function setLeaf(root: TreeNode | undefined, key: Buffer, valueHash: Buffer): TreeNode {
  return setEntry(root, key.toString("hex"), valueHash.toString("latin1"));
}

/** The tree without `key`; the same tree if it is not in it. */
export function removeLeaf(root: TreeNode | undefined, key: Buffer): TreeNode | undefined {
  return removeEntry(root, key.toString("hex"));
}
