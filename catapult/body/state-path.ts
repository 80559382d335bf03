import { z } from "zod";
import { type BodyOf, Hash256, Hex } from "../values/scalars.js";

const nodeShape = {
  path: Hex.describe("Nibbles of the node's path, padded with 0 to whole bytes."),
  encodedPath: Hex.describe("The hashed form of the path."),
  nibbleCount: z.int().min(0).max(64),
};

const MerkleTreeBranchDTO = z
  .object({
    type: z.literal(0),
    ...nodeShape,
    linkMask: z
      .string()
      .regex(/^[0-9A-F]{4}$/)
      .describe("Bits of the links that exist, 16 bits as hex digits."),
    links: z.array(
      z
        .object({
          bit: z
            .string()
            .regex(/^[0-9A-F]$/)
            .describe("Nibble of the link."),
          link: Hash256,
        })
        .meta({ id: "MerkleTreeBranchLinkDTO" }),
    ),
    branchHash: Hash256,
  })
  .meta({ id: "MerkleTreeBranchDTO" });

const MerkleTreeLeafDTO = z
  .object({
    type: z.literal(255),
    ...nodeShape,
    value: Hash256.describe("SHA3-256 of the state value."),
    leafHash: Hash256,
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
