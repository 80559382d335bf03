import type { ServerResponse } from "node:http";
import { createSourceEventStream, type ExecutionArgs, execute, GraphQLError } from "graphql";
import type { Plugin } from "graphql-yoga";
import type { OperationContext } from "../../schema/context.js";
import type { OperationMeter } from "../../schema/operation-meter.js";
import { FairGate } from "../fair-gate.js";
import { FairTurns } from "../fair-turns.js";
import { clientKeyOf, endTurn } from "../request-turns.js";
import { checkCost } from "./cost.js";
import { type GraphqlLimits, parseWithinLimits } from "./limits.js";
import { PacedAnswers } from "./paced-answers.js";

/** What is known of a request beside the request itself. */
export interface Asked {
  readonly meter: OperationMeter;
  readonly requestId: string;
  /** Where the answer goes. */
  readonly response: ServerResponse;
}

/** Keeps operations within their limits, and runs a bounded number of one client's at one time. */
export function limitPlugin(limits: GraphqlLimits): Plugin<OperationContext> {
  const operations = new FairGate({ perClient: limits.operationsPerClient });
  const streams = new FairGate({ perClient: limits.streamsPerClient });
  const turns = new FairTurns();
  const refusalOf = ({ schema, document, operationName, variableValues: variables }: ExecutionArgs) =>
    checkCost({ schema, document, operationName, variables }, limits.cost);
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parseWithinLimits(String(source), limits)),
    onExecute: ({ args, executeFn, setExecuteFn, setResultAndStopExecution }) => {
      const refusal = refusalOf(args);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const client = clientKeyOf(askedOf(args).response);
      setExecuteFn(async (args) => {
        const release = await operations.enter(client);
        try {
          return await args.contextValue.meter.race(executeFn(args));
        } finally {
          release();
        }
      });
    },
    onSubscribe: ({ args, setSubscribeFn, setResultAndStopExecution }) => {
      const refusal = refusalOf(args);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const { meter, response } = askedOf(args);
      const client = clientKeyOf(response);
      const release = streams.tryEnter(client);
      if (!release) {
        const message = `a client may have ${limits.streamsPerClient} subscriptions over HTTP: use a WebSocket`;
        const error = new GraphQLError(message, { extensions: { code: "TooManyRequests" } });
        return setResultAndStopExecution({ errors: [error] });
      }
      response.once("close", release);
      endTurn(response);
      meter.release();
      setSubscribeFn(async (args: ExecutionArgs) => {
        const events = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in events)) return events;
        const answer = (rootValue: unknown) => execute({ ...args, rootValue });
        return new PacedAnswers({ events: events[Symbol.asyncIterator](), answer, client, turns });
      });
    },
  };
}

function askedOf({ contextValue }: ExecutionArgs): Asked {
  return contextValue as Asked;
}
