import { hash } from "node:crypto";

const HASH_SIZE = 32;

/** A step from a leaf to the root: the sibling's hash, and its side. */
export interface MerklePathStep {
  readonly hash: Buffer;
  readonly position: "left" | "right";
}

const pair = Buffer.allocUnsafeSlow(2 * HASH_SIZE);

function hashParent(left: Buffer, right: Buffer): Buffer {
  pair.set(left, 0);
  pair.set(right, HASH_SIZE);
  // A digest returned as a buffer has memory of its own, whose allocation takes as long as hashing.
  return Buffer.from(hash("sha3-256", pair, "binary"), "latin1");
}

/** All levels of the tree, leaves first. Levels with an odd number of nodes (except the root) repeat their last one. */
function merkleLevels(leaves: readonly Buffer[]): Buffer[][] {
  const levels: Buffer[][] = [];
  let level: Buffer[] = leaves.length === 0 ? [Buffer.alloc(HASH_SIZE)] : [...leaves];
  while (level.length > 1) {
    if (level.length % 2 === 1) level.push(level[level.length - 1]!);
    levels.push(level);
    const parents: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) parents.push(hashParent(level[i]!, level[i + 1]!));
    level = parents;
  }
  levels.push(level);
  return levels;
}

/**
 * The root (32 bytes) of leaves of 32 bytes; without leaves it is 32 zero bytes. Source: catapult's
 * `MerkleHashBuilder`: sha3-256 of pairs, an odd last node is paired with itself.
 */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  return checkedMerkleRoot(leaves).root;
}

/**
 * The path from the leaf at `leafIndex` to the root, as in `/blocks/{height}/transactions/{hash}/merkle`. For a
 * single leaf it is empty. Throws `RangeError` if there is no such leaf.
 */
export function merklePath(leaves: readonly Buffer[], leafIndex: number): MerklePathStep[] {
  if (!Number.isInteger(leafIndex) || leafIndex < 0 || leafIndex >= leaves.length)
    throw new RangeError(`leaf ${leafIndex} of a tree of ${leaves.length} leaves`);
  let index = leafIndex;
  return merkleLevels(leaves)
    .slice(0, -1)
    .map((level) => {
      const isRightNode = index % 2 === 1;
      const neighbour = level[isRightNode ? index - 1 : index + 1]!;
      index = Math.floor(index / 2);
      return { hash: neighbour, position: isRightNode ? "left" : "right" };
    });
}

/**
 * The root, and whether another, shorter list of leaves has the same, because its last nodes equal those that an odd
 * level would repeat: `[a, b, c, c]` and `[a, b, c]` are such lists. If only leaves and a root are known, such a list
 * must be rejected.
 */
export function checkedMerkleRoot(leaves: readonly Buffer[]): { readonly root: Buffer; readonly isAmbiguous: boolean } {
  if (leaves.length === 0) return { root: Buffer.alloc(HASH_SIZE), isAmbiguous: false };
  let isAmbiguous = false;
  let level: readonly Buffer[] = leaves;
  while (level.length > 1) {
    isAmbiguous ||= level.length % 2 === 0 && level.at(-1)!.equals(level.at(-2)!);
    const parents: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) parents.push(hashParent(level[i]!, level[i + 1] ?? level[i]!));
    level = parents;
  }
  return { root: level[0]!, isAmbiguous };
}
