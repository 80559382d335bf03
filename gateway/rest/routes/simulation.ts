import { z } from "zod";
import { SimulationDTO } from "../../../catapult/json/simulation.js";
import { invalidArgument } from "../../../schema/errors/errors.js";
import { MAX_SIMULATED } from "../../../schema/network/simulation.js";
import { optionalBody, optionalBodyList } from "../route/argument.js";
import { boolean, bytes } from "../route/argument-types.js";
import { allBodies } from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";

export const simulationRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "POST",
      path: "/transactions/simulate",
      operationId: "simulateTransactions",
      tag: "Transactions",
      summary:
        "What would happen to transactions in the next block, each after those before it; nothing is announced. Either payload or payloads is required.",
      arguments: {
        payload: optionalBody(bytes, "A transaction in its binary form."),
        payloads: optionalBodyList(bytes, "Several transactions, in the order of their execution.", MAX_SIMULATED),
        unsigned: optionalBody(
          boolean,
          "Whether they are yet to be signed: signatures are not verified, and missing cosignatures only named.",
        ),
      },
      result: z.array(SimulationDTO),
    },
    {
      operation:
        "query ($payloads: [Hex!]!, $unsigned: Boolean) { found: simulate(payloads: $payloads, unsigned: $unsigned) { body } }",
      followsChain: false,
      variables: ({ payload, payloads, unsigned }) => {
        const isOne = payload !== undefined;
        if (isOne === (payloads !== undefined)) throw invalidArgument("either payload or payloads is required");
        return { payloads: isOne ? [payload] : payloads, unsigned: unsigned ?? false };
      },
      answer: allBodies,
    },
  ),
];
