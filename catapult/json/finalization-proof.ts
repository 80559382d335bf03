import type { FinalizationProofBody } from "../body/finalization-proof.js";
import { hex } from "../entity/hex.js";
import type { FinalizationProof, FinalizationSignaturePart } from "../wire/finalization.js";
import { decimalText } from "./format.js";

function signatureFields({ parentPublicKey, signature }: FinalizationSignaturePart) {
  return { parentPublicKey: hex(parentPublicKey), signature: hex(signature) };
}

/** The body of `/finalization/proof/…` (`FinalizationProofDTO`). */
export function renderFinalizationProof(proof: FinalizationProof): string {
  return JSON.stringify({
    version: proof.version,
    finalizationEpoch: proof.epoch,
    finalizationPoint: proof.point,
    height: decimalText(proof.height),
    hash: hex(proof.hash),
    messageGroups: proof.messageGroups.map((group) => ({
      stage: group.stage,
      height: decimalText(group.height),
      hashes: group.hashes.map(hex),
      signatures: group.signatures.map(({ root, bottom }) => ({
        root: signatureFields(root),
        bottom: signatureFields(bottom),
      })),
    })),
  } satisfies FinalizationProofBody);
}
