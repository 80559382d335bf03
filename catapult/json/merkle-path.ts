import { z } from "zod";
import type { MerklePathStep } from "../crypto/merkle.js";
import { hex } from "../entity/hex.js";
import { type BodyOf, Hash256 } from "../values/scalars.js";

export const MerkleProofInfoDTO = z
  .object({
    merklePath: z
      .array(
        z
          .object({
            hash: Hash256.describe("Hash beside the path."),
            position: z.enum(["left", "right"]).describe("Side on which the hash is concatenated."),
          })
          .meta({ id: "MerklePathItemDTO" }),
      )
      .describe("Hashes beside the path, from the leaf to the root; empty for the only leaf."),
  })
  .meta({ id: "MerkleProofInfoDTO", description: "Path from a leaf to the root of a Merkle tree of the block." });

/** The REST body of the proof that a transaction or a statement belongs to a block. */
export type MerkleProofBody = BodyOf<typeof MerkleProofInfoDTO>;

/** The REST body of a proof that a transaction or a statement belongs to a block (`MerkleProofInfoDTO`). */
export function renderMerklePath(path: readonly MerklePathStep[]): string {
  const body: MerkleProofBody = { merklePath: path.map(({ hash, position }) => ({ hash: hex(hash), position })) };
  return JSON.stringify(body);
}
