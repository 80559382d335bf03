import type { StateTreeNode } from "../../catapult/state/tree-path.js";
import { type TreeView, withPath } from "./tree-view.js";

/** A position at which two trees differ. */
export interface TreeDifference {
  /** The sha3-256 of the entry's key: 64 hex digits in lower case. */
  readonly position: string;
  /** In which trees it is. */
  readonly isIn: "both" | "first" | "second";
  /** The sha3-256 of its value in the second tree; undefined if it is not there. */
  readonly leaf: Buffer | undefined;
}

const NIBBLES = [..."0123456789abcdef"];

/**
 * The positions at which two trees differ, in ascending order. Only nodes whose hashes differ are read, so that few of
 * a large tree are. Throws what reading them throws.
 */
export async function* treeDifferences(
  first: TreeView,
  second: TreeView,
  prefix = "",
): AsyncGenerator<TreeDifference, void, undefined> {
  const left = await first.below(prefix);
  const right = await second.below(prefix);
  if (isSame(left?.hash, right?.hash)) return;
  const branch = shortestBranch(left, right);
  const isCommon = branch && [left, right].every((node) => node?.nibbles.startsWith(branch.nibbles) ?? true);
  if (left?.kind === "leaf" && right?.kind === "leaf" && left.nibbles === right.nibbles) {
    yield { position: prefix + left.nibbles, isIn: "both", leaf: right.valueHash };
    return;
  }
  if (!branch || !isCommon) {
    for await (const { position } of leavesBelow(first, left, prefix)) {
      yield { position, isIn: "first", leaf: undefined };
    }
    for await (const { position, leaf } of leavesBelow(second, right, prefix)) yield { position, isIn: "second", leaf };
    return;
  }
  for (const nibble of NIBBLES) {
    if (isSame(childHash(left, branch, nibble), childHash(right, branch, nibble))) continue;
    yield* treeDifferences(first, second, prefix + branch.nibbles + nibble);
  }
}

/** All leaves of a tree below a node that begins at `prefix`. */
async function* leavesBelow(
  tree: TreeView,
  node: StateTreeNode | undefined,
  prefix: string,
): AsyncGenerator<{ readonly position: string; readonly leaf: Buffer }, void, undefined> {
  const end = prefix + (node?.nibbles ?? "");
  if (node?.kind === "leaf") yield { position: end, leaf: node.valueHash };
  for (const nibble of node?.kind === "branch" ? NIBBLES : []) {
    const below = await tree.below(end + nibble);
    yield* leavesBelow(tree, below, end + nibble);
  }
}

function isSame(first: Buffer | undefined, second: Buffer | undefined): boolean {
  return first === undefined || second === undefined ? first === second : first.equals(second);
}

function shortestBranch(first: StateTreeNode | undefined, second: StateTreeNode | undefined) {
  const branches = [first, second].filter((node) => node?.kind === "branch");
  return branches.sort((left, right) => left!.nibbles.length - right!.nibbles.length)[0];
}

/** The hash of a node's child at a nibble of a branch that is this node, or that this node's entries would be below. */
function childHash(node: StateTreeNode | undefined, branch: StateTreeNode, nibble: string): Buffer | undefined {
  if (!node) return undefined;
  const index = branch.nibbles.length;
  if (node.nibbles.length > index) {
    return node.nibbles[index] === nibble ? withPath(node, node.nibbles.slice(index + 1)).hash : undefined;
  }
  return node.kind === "branch" ? node.links[Number.parseInt(nibble, 16)] : undefined;
}
