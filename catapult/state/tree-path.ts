import { z } from "zod";
import { ByteReader } from "../entity/byte-reader.js";
import { EntityError } from "../entity/entity-error.js";
import { sha3 } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import { type BodyOf, Hash256, Hex } from "../values/scalars.js";

const nodeShape = {
  path: Hex.describe("Nibbles of the node's path, padded with 0 to whole bytes."),
  encodedPath: Hex.describe("The hashed form of the path."),
  nibbleCount: z.int().min(0).max(64).describe("Number of hex digits in `path`."),
};

const MerkleTreeBranchDTO = z
  .object({
    type: z.literal(0).describe("0: a branch."),
    ...nodeShape,
    linkMask: z
      .string()
      .regex(/^[0-9A-F]{4}$/)
      .describe("Bits of the links that exist, 16 bits as hex digits."),
    links: z
      .array(
        z
          .object({
            bit: z
              .string()
              .regex(/^[0-9A-F]$/)
              .describe("Nibble of the link."),
            link: Hash256.describe("Hash of the node below."),
          })
          .meta({ id: "MerkleTreeBranchLinkDTO" }),
      )
      .describe("Hashes of the nodes below, by hex digit."),
    branchHash: Hash256.describe("Hash of the branch."),
  })
  .meta({ id: "MerkleTreeBranchDTO" });

const MerkleTreeLeafDTO = z
  .object({
    type: z.literal(255).describe("255: a leaf."),
    ...nodeShape,
    value: Hash256.describe("SHA3-256 of the state value."),
    leafHash: Hash256.describe("Hash of the leaf."),
  })
  .meta({ id: "MerkleTreeLeafDTO" });

const AnyNode = z.union([MerkleTreeBranchDTO, MerkleTreeLeafDTO]);

/** A node of a state tree. */
export type StateTreeNodeBody = BodyOf<typeof AnyNode>;

export const MerkleStateInfoDTO = z
  .object({
    raw: Hex.describe("The path as serialized by the node; empty for an empty tree."),
    tree: z.array(AnyNode).describe("The nodes of the path, from the root."),
  })
  .meta({ id: "MerkleStateInfoDTO", description: "Path through a state tree to a key, at the node's own height." });

/** The REST body of a path through a state tree. */
export type StatePathBody = BodyOf<typeof MerkleStateInfoDTO>;

/** Common fields of the nodes of a state tree. */
interface TreeNode {
  /** The nibbles of the node's path as hex digits in lower case, at most 64. */
  readonly nibbles: string;
  /** 32 bytes. */
  readonly hash: Buffer;
}

/** An inner node of a state tree: `links[n]` is the hash of the child for nibble n, or undefined. */
export interface BranchNode extends TreeNode {
  readonly kind: "branch";
  readonly links: readonly (Buffer | undefined)[];
}

/** A leaf: `valueHash` is the sha3-256 of a state value. */
export interface LeafNode extends TreeNode {
  readonly kind: "leaf";
  readonly valueHash: Buffer;
}

export type StateTreeNode = BranchNode | LeafNode;

const HASH_SIZE = 32;
const ZERO_HASH = Buffer.alloc(HASH_SIZE);
const LINK_COUNT = 16;
const MARKER = { branch: 0x00, leaf: 0xff } as const;
const KEY_NIBBLES = 64;

class PathReader extends ByteReader {
  error(field: string, problem: string): EntityError {
    return new EntityError(field, problem);
  }
}

/** The hashed form of a node's path: flags for leaf and odd length, then the nibbles in pairs. */
function encodeNibbles(nibbles: string, kind: StateTreeNode["kind"]): Buffer {
  const isOdd = nibbles.length % 2 === 1;
  const flags = (kind === "leaf" ? 2 : 0) + (isOdd ? 1 : 0);
  return Buffer.from(`${flags}${isOdd ? "" : "0"}${nibbles}`, "hex");
}

/** The hash (32 bytes) of a leaf: of the remaining nibbles of its key (lower case) and the sha3-256 of its value. */
export function treeLeafHash(nibbles: string, valueHash: Uint8Array): Buffer {
  return sha3(encodeNibbles(nibbles, "leaf"), valueHash);
}

/** The hash (32 bytes) of a branch: of the nibbles shared by all keys below it, and the hashes of its 16 links. */
export function treeBranchHash(nibbles: string, links: readonly (Uint8Array | undefined)[]): Buffer {
  return sha3(encodeNibbles(nibbles, "branch"), ...links.map((link) => link ?? ZERO_HASH));
}

function readNibbles(reader: PathReader, name: string): string {
  const count = reader.uint8(`${name}.nibbleCount`);
  if (count > KEY_NIBBLES) throw new EntityError(`${name}.nibbleCount`, `is ${count}, more than the length of a key`);
  const digits = reader.bytes(Math.ceil(count / 2), `${name}.path`).toString("hex");
  if (count % 2 === 1 && !digits.endsWith("0")) throw new EntityError(`${name}.path`, "has a nibble after its end");
  return digits.slice(0, count);
}

function readNode(reader: PathReader, name: string): StateTreeNode {
  const marker = reader.uint8(`${name}.marker`);
  if (marker !== MARKER.branch && marker !== MARKER.leaf)
    throw new EntityError(`${name}.marker`, `${marker} is neither a branch (0) nor a leaf (255)`);
  const nibbles = readNibbles(reader, name);
  if (marker === MARKER.leaf) {
    const valueHash = reader.bytes(HASH_SIZE, `${name}.value`);
    return { kind: "leaf", nibbles, valueHash, hash: treeLeafHash(nibbles, valueHash) };
  }
  const mask = reader.uint16(`${name}.linkMask`);
  const links = Array.from({ length: LINK_COUNT }, (_, nibble) =>
    mask & (1 << nibble) ? reader.bytes(HASH_SIZE, `${name}.links[${nibble}]`) : undefined,
  );
  return { kind: "branch", nibbles, links, hash: treeBranchHash(nibbles, links) };
}

/**
 * Decodes the response to a state path request: the nodes of a tree on the path to a key, from the root. None if the
 * tree is empty, or the key size is invalid. Source: catapult's `tree/PatriciaTreeSerializer`. Throws `EntityError`
 * naming the position, such as `path[3].links[5]`.
 */
export function decodeStatePath(path: Buffer): StateTreeNode[] {
  const reader = new PathReader(path);
  const nodes: StateTreeNode[] = [];
  while (reader.remaining > 0) {
    if (nodes.length > KEY_NIBBLES) throw new EntityError("path", "has more nodes than a key has nibbles");
    nodes.push(readNode(reader, `path[${nodes.length}]`));
  }
  return nodes;
}

function nodeFields(node: StateTreeNode): StateTreeNodeBody {
  const { kind, nibbles, hash } = node;
  const common = {
    path: (nibbles.length % 2 === 1 ? `${nibbles}0` : nibbles).toUpperCase(),
    encodedPath: hex(encodeNibbles(nibbles, kind)),
    nibbleCount: nibbles.length,
  };
  if (kind === "leaf") return { type: MARKER.leaf, ...common, value: hex(node.valueHash), leafHash: hex(hash) };
  const links = node.links.flatMap((link, nibble) =>
    link ? [{ bit: nibble.toString(16).toUpperCase(), link: hex(link), nibble }] : [],
  );
  const mask = links.reduce((bits, { nibble }) => bits | (1 << nibble), 0);
  return {
    type: MARKER.branch,
    ...common,
    linkMask: mask.toString(16).toUpperCase().padStart(4, "0"),
    links: links.map(({ bit, link }) => ({ bit, link })),
    branchHash: hex(hash),
  };
}

/**
 * The body of the `…/merkle` routes of state (`MerkleStateInfoDTO`): the path as received from a node, and its nodes.
 * For an empty tree both are empty. Source: `client/rest/src/routes/MerkelTree.js`. Throws `EntityError` when the
 * bytes are not a path.
 */
export function renderStatePath(path: Buffer): string {
  const body: StatePathBody = { raw: hex(path), tree: decodeStatePath(path).map(nodeFields) };
  return JSON.stringify(body);
}

/** Number of characters that two texts have in common at their start. */
export function sharedLength(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) ++index;
  return index;
}
