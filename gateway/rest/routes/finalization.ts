import { FinalizationProofDTO } from "../../../catapult/json/finalization-proof.js";
import { ApiError } from "../../../schema/errors/errors.js";
import { type Argument, path } from "../route/argument.js";
import { epoch, height } from "../route/argument-types.js";
import { oneBody, type WithBody } from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";

/** The route of a proof by the epoch or the height that it is for. */
function proofRoute(by: "epoch" | "height", operationId: string, summary: string, argument: Argument<number>): Route {
  return operationRoute(
    {
      method: "GET",
      path: `/finalization/proof/${by}/{${by}}`,
      operationId,
      tag: "Finalization",
      summary,
      arguments: { [by]: argument },
      result: FinalizationProofDTO,
      canMiss: true,
    },
    {
      operation: `query ($${by}: SafeInt!) { found: finalizationProof(${by}: $${by}) { body } }`,
      followsChain: false,
      answer: (data: { found: WithBody | null }, values, requested, { usesReferenceMessages }) => {
        if (!data.found && usesReferenceMessages) throw new ApiError("NotFound", "");
        return oneBody(data, values, requested);
      },
    },
  );
}

export const finalizationRoutes: readonly Route[] = [
  proofRoute(
    "epoch",
    "getFinalizationProofAtEpoch",
    "The proof of the last finalized block of an epoch, from the node.",
    path(epoch, "Finalization epoch, from 1."),
  ),
  proofRoute(
    "height",
    "getFinalizationProofAtHeight",
    "The proof of the block at a height, from the node, which has proofs for the last block of each epoch.",
    path(height, "Height of the block, from 1."),
  ),
];
