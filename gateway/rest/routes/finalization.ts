import { FinalizationProofDTO } from "../../../catapult/body/finalization-proof.js";
import { ApiError, notFound } from "../../../schema/services/errors.js";
import type { Behaviour } from "../../compatibility/compatibility.js";
import { path } from "./argument.js";
import { epoch, height } from "./argument-types.js";
import { operationRoute, type Route } from "./route.js";

interface ProofData {
  readonly finalizationProof: { readonly document: string } | null;
}

export const finalizationRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/finalization/proof/epoch/{epoch}",
      operationId: "getFinalizationProofAtEpoch",
      tag: "Finalization",
      summary: "The proof of the last finalized block of an epoch, from the node.",
      arguments: { epoch: path(epoch, "Finalization epoch, from 1.") },
      result: FinalizationProofDTO,
      canMiss: true,
    },
    {
      operation: "query ($epoch: SafeInt!) { finalizationProof(epoch: $epoch) { document } }",
      followsChain: false,
      answer: ({ finalizationProof }: ProofData, _values, requested, behaviour) =>
        proofAnswer(finalizationProof, requested.epoch, behaviour),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/finalization/proof/height/{height}",
      operationId: "getFinalizationProofAtHeight",
      tag: "Finalization",
      summary: "The proof of the block at a height, from the node, which has proofs for the last block of each epoch.",
      arguments: { height: path(height, "Height of the block, from 1.") },
      result: FinalizationProofDTO,
      canMiss: true,
    },
    {
      operation: "query ($height: SafeInt!) { finalizationProof(height: $height) { document } }",
      followsChain: false,
      answer: ({ finalizationProof }: ProofData, _values, requested, behaviour) =>
        proofAnswer(finalizationProof, requested.height, behaviour),
    },
  ),
];

function proofAnswer(
  proof: ProofData["finalizationProof"],
  requested: string | undefined = "",
  { usesReferenceMessages }: Behaviour,
) {
  if (!proof) throw usesReferenceMessages ? new ApiError("NotFound", "") : notFound(requested);
  return { body: proof.document };
}
