import { z } from "zod";
import { MULTISIG_BODY, MultisigAccountGraphInfoDTO } from "../../../catapult/state/multisig.js";
import { notFound } from "../../../schema/errors/errors.js";
import { path } from "../route/argument.js";
import { address } from "../route/argument-types.js";
import { joinBodies, oneBody, type WithBody } from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";
import { statePathRoute } from "../route/state.js";

const tag = "Multisig";
const addressPath = path(address, "Address of an account that has cosignatories or is one.");

interface Level {
  readonly level: number;
  readonly entries: readonly WithBody[];
}

export const multisigRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/account/{address}/multisig",
      operationId: "getAccountMultisig",
      tag,
      summary: "Cosignatories of an account, and accounts that it cosigns for.",
      arguments: { address: addressPath },
      result: MULTISIG_BODY.schema,
      canMiss: true,
    },
    {
      operation: "query ($address: Address!) { found: multisig(address: $address) { body } }",
      followsChain: true,
      answer: oneBody,
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/account/{address}/multisig/graph",
      operationId: "getAccountMultisigGraph",
      tag,
      summary: "All multisig entries above and below an account, lowest level first.",
      arguments: { address: addressPath },
      result: z.array(MultisigAccountGraphInfoDTO),
      canMiss: true,
    },
    {
      operation: "query ($address: Address!) { graph: multisigGraph(address: $address) { level entries { body } } }",
      followsChain: true,
      answer: ({ graph }: { graph: readonly Level[] | null }, _values, requested) => {
        if (!graph) throw notFound(requested.address ?? "");
        const levels = graph.map(({ level, entries }) => `{"level":${level},"multisigEntries":${joinBodies(entries)}}`);
        return { body: `[${levels.join(",")}]` };
      },
    },
  ),
  statePathRoute(
    { path: "/account/{address}/multisig/merkle", operationId: "getAccountMultisigMerkle", tag },
    { arguments: { address: addressPath }, kind: "multisig", key: (values) => values.address },
  ),
];
