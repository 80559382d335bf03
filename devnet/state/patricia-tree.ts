import { createHash } from "node:crypto";

/**
 * A node of a state tree. Nodes are never changed: an update makes new nodes along its path and shares the others, so
 * that an older tree is kept by keeping its root.
 */
export type TreeNode = LeafNode | BranchNode;

/** The end of a path: the hash of a value. Paths are nibbles, one a byte. */
class LeafNode {
  readonly isLeaf = true;
  readonly path: Buffer;
  readonly valueHash: Buffer;
  #hash: Buffer | undefined;

  constructor(path: Buffer, valueHash: Buffer) {
    this.path = path;
    this.valueHash = valueHash;
  }

  get hash(): Buffer {
    this.#hash ??= createHash("sha3-256").update(encodePath(this.path, true)).update(this.valueHash).digest();
    return this.#hash;
  }
}

/** A shared path, then up to 16 ways on. */
class BranchNode {
  readonly isLeaf = false;
  readonly path: Buffer;
  readonly links: readonly (TreeNode | undefined)[];
  #hash: Buffer | undefined;

  constructor(path: Buffer, links: readonly (TreeNode | undefined)[]) {
    this.path = path;
    this.links = links;
  }

  get hash(): Buffer {
    if (this.#hash) return this.#hash;
    const hasher = createHash("sha3-256").update(encodePath(this.path, false));
    for (const link of this.links) hasher.update(link?.hash ?? EMPTY_HASH);
    this.#hash = hasher.digest();
    return this.#hash;
  }

  withLink(nibble: number, node: TreeNode | undefined): BranchNode {
    return new BranchNode(this.path, this.links.with(nibble, node));
  }
}

const EMPTY_HASH = Buffer.alloc(32);
const NO_LINKS: readonly undefined[] = new Array<undefined>(16).fill(undefined);

/** The hash that stands for a tree: 32 zero bytes when it is empty. */
export function rootHash(root: TreeNode | undefined): Buffer {
  return root?.hash ?? EMPTY_HASH;
}

/** The tree with `valueHash` at `key` (both 32 bytes). */
export function setLeaf(root: TreeNode | undefined, key: Buffer, valueHash: Buffer): TreeNode {
  return insert(root, nibblesOf(key), valueHash);
}

/** The tree without `key`; the same tree if it is not in it. */
export function removeLeaf(root: TreeNode | undefined, key: Buffer): TreeNode | undefined {
  return remove(root, nibblesOf(key));
}

/**
 * The nodes on the way from the root to `key`, as a node answers a state path request; for an absent key the nodes up to
 * where the way ends. (Like the reference, the way goes on below a branch whose path differs from the key's.)
 */
export function pathTo(root: TreeNode | undefined, key: Buffer): Buffer {
  const nodes: Buffer[] = [];
  let path = nibblesOf(key);
  for (let node = root; node; ) {
    nodes.push(node.isLeaf ? serializeLeaf(node) : serializeBranch(node));
    const shared = sharedLength(node.path, path);
    if (node.isLeaf || shared === path.length) break;
    node = node.links[path[shared]!];
    path = path.subarray(shared + 1);
  }
  return Buffer.concat(nodes);
}

function insert(node: TreeNode | undefined, path: Buffer, valueHash: Buffer): TreeNode {
  if (!node) return new LeafNode(path, valueHash);
  const shared = sharedLength(node.path, path);
  if (node.isLeaf && shared === path.length) return new LeafNode(path, valueHash);

  const nibble = path[shared]!;
  const rest = path.subarray(shared + 1);
  if (!node.isLeaf && shared === node.path.length) {
    return node.withLink(nibble, insert(node.links[nibble], rest, valueHash));
  }

  // the ways part inside this node's path: a new branch takes what they share
  const branchPath = node.path.subarray(0, shared);
  const nodeRest = node.path.subarray(shared + 1);
  const shortened = node.isLeaf ? new LeafNode(nodeRest, node.valueHash) : new BranchNode(nodeRest, node.links);
  return new BranchNode(branchPath, NO_LINKS)
    .withLink(node.path[shared]!, shortened)
    .withLink(nibble, new LeafNode(rest, valueHash));
}

function remove(node: TreeNode | undefined, path: Buffer): TreeNode | undefined {
  if (!node) return undefined;
  const shared = sharedLength(node.path, path);
  if (node.isLeaf) return shared === path.length ? undefined : node;
  if (shared < node.path.length) return node;

  const nibble = path[shared]!;
  const link = node.links[nibble];
  const updated = remove(link, path.subarray(shared + 1));
  if (updated === link) return node;
  const branch = node.withLink(nibble, updated);
  return updated ? branch : withoutLoneLink(branch);
}

/** A branch that has one way left is merged with what it leads to. */
function withoutLoneLink(branch: BranchNode): TreeNode {
  const nibble = branch.links.findIndex((link) => link !== undefined);
  const child = branch.links[nibble];
  if (!child || branch.links.some((link, index) => link && index !== nibble)) return branch;
  const path = Buffer.concat([branch.path, Buffer.of(nibble), child.path]);
  return child.isLeaf ? new LeafNode(path, child.valueHash) : new BranchNode(path, child.links);
}

function nibblesOf(key: Buffer): Buffer {
  const nibbles = Buffer.allocUnsafe(key.length * 2);
  for (let index = 0; index < key.length; ++index) {
    nibbles[index * 2] = key[index]! >> 4;
    nibbles[index * 2 + 1] = key[index]! & 0x0f;
  }
  return nibbles;
}

function sharedLength(left: Buffer, right: Buffer): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left[index] === right[index]) ++index;
  return index;
}

/** The form of a path that is hashed: flags for leaf and odd length, then the nibbles in pairs. */
function encodePath(path: Buffer, isLeaf: boolean): Buffer {
  const isOdd = path.length % 2 === 1;
  const first = (isLeaf ? 0x20 : 0) | (isOdd ? 0x10 | path[0]! : 0);
  return Buffer.concat([Buffer.of(first), packNibbles(isOdd ? path.subarray(1) : path)]);
}

/** Two nibbles a byte; a lone last one fills the upper half. */
function packNibbles(path: Buffer): Buffer {
  const packed = Buffer.alloc((path.length + 1) >> 1);
  for (let index = 0; index < path.length; ++index) packed[index >> 1]! |= index % 2 ? path[index]! : path[index]! << 4;
  return packed;
}

function serializeLeaf(node: LeafNode): Buffer {
  return Buffer.concat([Buffer.of(0xff, node.path.length), packNibbles(node.path), node.valueHash]);
}

function serializeBranch(node: BranchNode): Buffer {
  const mask = Buffer.alloc(2);
  const links = node.links.filter((link) => link !== undefined);
  mask.writeUInt16LE(node.links.reduce((bits, link, index) => bits | (link ? 1 << index : 0), 0));
  return Buffer.concat([
    Buffer.of(0x00, node.path.length),
    packNibbles(node.path),
    mask,
    ...links.map((link) => link.hash),
  ]);
}
