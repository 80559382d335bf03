import type { MerkleProofBody } from "../body/merkle-proof.js";
import type { MerklePathStep } from "../crypto/merkle.js";
import { hex } from "../entity/hex.js";

/** The REST body of a proof that a transaction or a statement belongs to a block (`MerkleProofInfoDTO`). */
export function renderMerklePath(path: readonly MerklePathStep[]): string {
  const body: MerkleProofBody = { merklePath: path.map(({ hash, position }) => ({ hash: hex(hash), position })) };
  return JSON.stringify(body);
}
