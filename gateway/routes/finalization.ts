import { notFound } from "../../schema/errors.js";
import { path } from "./argument.js";
import { epoch, height } from "./argument-types.js";
import { operationRoute, type Route } from "./route.js";

const proofSchema = {
  type: "object",
  required: ["version", "finalizationEpoch", "finalizationPoint", "height", "hash", "messageGroups"],
};

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
      summary: "The proof of the last block that was finalized in an epoch, from the node.",
      arguments: { epoch: path(epoch, "Finalization epoch, from 1.") },
      result: proofSchema,
      canMiss: true,
    },
    {
      operation: "query ($epoch: SafeInt!) { finalizationProof(epoch: $epoch) { document } }",
      followsChain: false,
      answer: ({ finalizationProof }: ProofData, _values, asked) => proofAnswer(finalizationProof, asked.epoch),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/finalization/proof/height/{height}",
      operationId: "getFinalizationProofAtHeight",
      tag: "Finalization",
      summary: "The proof of the block at a height, from the node; it has one for the last blocks of epochs.",
      arguments: { height: path(height, "Height of the block, from 1.") },
      result: proofSchema,
      canMiss: true,
    },
    {
      operation: "query ($height: SafeInt!) { finalizationProof(height: $height) { document } }",
      followsChain: false,
      answer: ({ finalizationProof }: ProofData, _values, asked) => proofAnswer(finalizationProof, asked.height),
    },
  ),
];

function proofAnswer(proof: ProofData["finalizationProof"], asked = "") {
  if (!proof) throw notFound(asked);
  return { body: proof.document };
}
