import { hash } from "node:crypto";
import { sharedLength } from "../../catapult/state/tree-path.js";

/**
 * A node of a state tree. Nodes are immutable: an update creates new nodes along its path and shares the others, so
 * that an older tree is kept by keeping its root. Because many are kept, hashes are strings of latin1 characters (one
 * per byte), and paths strings of hexadecimal digits (one per nibble): they take a fraction of the memory of buffers.
 */
export type TreeNode = LeafNode | BranchNode;

/** A leaf: the hash of a value. */
class LeafNode {
  readonly isLeaf = true;
  readonly path: string;
  readonly valueHash: string;
  #hash: string | undefined;

  constructor(path: string, valueHash: string) {
    this.path = path;
    this.valueHash = valueHash;
  }

  get hash(): string {
    this.#hash ??= hashOfLeaf(this);
    return this.#hash;
  }
}

/** A shared path, then up to 16 children. */
class BranchNode {
  readonly isLeaf = false;
  readonly path: string;
  readonly links: readonly (TreeNode | undefined)[];
  #hash: string | undefined;

  constructor(path: string, links: readonly (TreeNode | undefined)[]) {
    this.path = path;
    this.links = links;
  }

  get hash(): string {
    this.#hash ??= hashOfBranch(this);
    return this.#hash;
  }

  withLink(digit: string, node: TreeNode | undefined): BranchNode {
    return new BranchNode(this.path, this.links.with(parseNibble(digit), node));
  }
}

/** The bytes of the node that is being hashed: its path, then up to 16 hashes. */
const HASH_SIZE = 32;
const hashed = Buffer.allocUnsafeSlow(33 + 16 * HASH_SIZE);
const EMPTY_HASH = "\0".repeat(HASH_SIZE);
const NO_LINKS: readonly undefined[] = new Array<undefined>(16).fill(undefined);

/** The root hash (32 bytes) of a tree: zeros if it is empty. */
export function rootHash(root: TreeNode | undefined): Buffer {
  return Buffer.from(root?.hash ?? EMPTY_HASH, "latin1");
}

/** The tree with an entry, new or in place of the one on the same path; both in the form of `TreeEntry`. */
export function setEntry(root: TreeNode | undefined, path: string, valueHash: string): TreeNode {
  return insert(root, path, valueHash);
}

/** The position and the value hash of an entry, in the form of the tree. */
export interface TreeEntry {
  readonly path: string;
  readonly valueHash: string;
}

/**
 * The tree of many entries with different keys, built at once; they are sorted for it. @throws RangeError for a
 * duplicate key
 */
export function buildTree(entries: TreeEntry[]): TreeNode | undefined {
  if (entries.length === 0) return undefined;
  entries.sort((left, right) => (left.path < right.path ? -1 : 1));
  return subtree(entries, 0, entries.length, 0);
}

/** The node over the entries from `start` to `end`, which share the first `depth` digits of their paths. */
function subtree(entries: readonly TreeEntry[], start: number, end: number, depth: number): TreeNode {
  const { path, valueHash } = entries[start]!;
  if (end - start === 1) return new LeafNode(path.slice(depth), valueHash);
  const last = entries[end - 1]!.path;
  if (path === last) throw new RangeError(`the tree has the entry ${path} twice`);
  let parting = depth;
  while (path[parting] === last[parting]) ++parting;
  const links: (TreeNode | undefined)[] = [...NO_LINKS];
  for (let first = start; first < end; ) {
    const digit = entries[first]!.path[parting]!;
    let next = first + 1;
    while (next < end && entries[next]!.path[parting] === digit) ++next;
    links[parseNibble(digit)] = subtree(entries, first, next, parting + 1);
    first = next;
  }
  return new BranchNode(path.slice(depth, parting), links);
}

/** The tree without the entry on `path`; the same tree if there is none. */
export function removeEntry(root: TreeNode | undefined, path: string): TreeNode | undefined {
  return remove(root, path);
}

/**
 * The nodes on the path from the root to `key`, as in a node's state path response; for an absent key the nodes up to
 * where the path ends. (As in the reference, the path continues below a branch whose path differs from the key's.)
 */
export function pathTo(root: TreeNode | undefined, key: Buffer): Buffer {
  const nodes: Buffer[] = [];
  let path = key.toString("hex");
  for (let node = root; node; ) {
    nodes.push(node.isLeaf ? serializeLeaf(node) : serializeBranch(node));
    const shared = sharedLength(node.path, path);
    const digit = path[shared];
    if (node.isLeaf || digit === undefined) break;
    node = node.links[parseNibble(digit)];
    path = path.slice(shared + 1);
  }
  return Buffer.concat(nodes);
}

function insert(node: TreeNode | undefined, path: string, valueHash: string): TreeNode {
  if (!node) return new LeafNode(path, valueHash);
  const shared = sharedLength(node.path, path);
  const digit = path[shared];
  if (digit === undefined) return new LeafNode(path, valueHash);

  const rest = path.slice(shared + 1);
  const ownDigit = node.path[shared];
  if (!node.isLeaf && ownDigit === undefined) {
    return node.withLink(digit, insert(node.links[parseNibble(digit)], rest, valueHash));
  }

  // the paths diverge inside this node's path: a new branch takes the shared part
  return new BranchNode(node.path.slice(0, shared), NO_LINKS)
    .withLink(ownDigit!, withPath(node, node.path.slice(shared + 1)))
    .withLink(digit, new LeafNode(rest, valueHash));
}

function remove(node: TreeNode | undefined, path: string): TreeNode | undefined {
  if (!node) return undefined;
  const shared = sharedLength(node.path, path);
  const digit = path[shared];
  if (node.isLeaf) return digit === undefined ? undefined : node;
  if (digit === undefined || shared < node.path.length) return node;

  const link = node.links[parseNibble(digit)];
  const updated = remove(link, path.slice(shared + 1));
  if (updated === link) return node;
  const branch = node.withLink(digit, updated);
  return updated ? branch : withoutLoneLink(branch);
}

/** A branch with one remaining child is merged with it. */
function withoutLoneLink(branch: BranchNode): TreeNode {
  const nibble = branch.links.findIndex((link) => link !== undefined);
  const child = branch.links[nibble];
  if (!child || branch.links.some((link, index) => link && index !== nibble)) return branch;
  return withPath(child, branch.path + nibble.toString(16) + child.path);
}

function withPath(node: TreeNode, path: string): TreeNode {
  return node.isLeaf ? new LeafNode(path, node.valueHash) : new BranchNode(path, node.links);
}

const ZERO_DIGIT = 0x30;
/** From the character `a` to the nibble 10. */
const LETTER_OFFSET = 0x61 - 10;

function parseNibble(digit: string): number {
  const code = digit.charCodeAt(0);
  return code < LETTER_OFFSET + 10 ? code - ZERO_DIGIT : code - LETTER_OFFSET;
}

function hashOfLeaf({ path, valueHash }: LeafNode): string {
  const start = encodePath(path, true);
  return sha3(start + hashed.write(valueHash, start, "latin1"));
}

function hashOfBranch({ path, links }: BranchNode): string {
  // First, because children are hashed in the same memory; together, because each write takes longer than its bytes.
  let hashes = "";
  for (const link of links) hashes += link === undefined ? EMPTY_HASH : link.hash;
  const start = encodePath(path, false);
  return sha3(start + hashed.write(hashes, start, "latin1"));
}

/** Writes the hashed form of a path: flags for leaf and odd length, then the nibbles in pairs. Returns its length. */
function encodePath(path: string, isLeaf: boolean): number {
  const isOdd = path.length % 2 === 1;
  const flags = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  if (path.length === 0) {
    hashed[0] = flags << 4;
    return 1;
  }
  return hashed.write(isOdd ? `${flags}${path}` : `${flags}0${path}`, "hex");
}

/** Length and nibbles of a path, two per byte; a single last one is in the upper half. */
function serializePath(path: string): Buffer {
  const padding = path.length % 2 === 1 ? "0" : "";
  return Buffer.concat([Buffer.of(path.length), Buffer.from(path + padding, "hex")]);
}

function serializeLeaf(node: LeafNode): Buffer {
  return Buffer.concat([Buffer.of(0xff), serializePath(node.path), Buffer.from(node.valueHash, "latin1")]);
}

function serializeBranch(node: BranchNode): Buffer {
  const mask = Buffer.alloc(2);
  mask.writeUInt16LE(node.links.reduce((bits, link, index) => bits | (link ? 1 << index : 0), 0));
  const hashes = node.links.map((link) => link?.hash ?? "").join("");
  return Buffer.concat([Buffer.of(0x00), serializePath(node.path), mask, Buffer.from(hashes, "latin1")]);
}

/** Of the first `size` bytes of `hashed`. */
function sha3(size: number): string {
  return hash("sha3-256", hashed.subarray(0, size), "binary");
}
