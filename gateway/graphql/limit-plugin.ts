import { createSourceEventStream, type ExecutionArgs, execute } from "graphql";
import type { Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { eventTextOf, type SourceEvent } from "../../schema/events/event-text.js";
import type { OperationContext, Services } from "../../schema/graph/context.js";
import type { OperationMeter } from "../../schema/services/operation-meter.js";
import { FairQueue } from "../clients/fair-queue.js";
import { documentLimits } from "./document-rules.js";
import { eventResult } from "./event-result.js";
import { type GraphqlLimits, parseWithinLimits } from "./limits.js";
import { maskResult } from "./mask-error.js";
import { PacedAnswers } from "./paced-answers.js";

/** Context of a request besides the request itself. */
export interface RequestContext {
  /** The services of its place. */
  readonly own: Services;
  readonly meter: OperationMeter;
  readonly requestId: string;
  /** Key of the client. */
  readonly client: string;
}

/** Enforces the limits of operations. */
export function limitPlugin(limits: GraphqlLimits, log: Logger): Plugin<OperationContext> {
  const steps = new FairQueue();
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parseWithinLimits(String(source), limits)),
    onValidate: ({ addValidationRule }) => {
      for (const rule of documentLimits) addValidationRule(rule);
    },
    onExecute: ({ executeFn, setExecuteFn }) => {
      setExecuteFn((args) => args.contextValue.meter.race(executeFn(args)));
    },
    onSubscribe: ({ args, setSubscribeFn }) => {
      const { meter, client, requestId } = contextOf(args);
      meter.release();
      setSubscribeFn(async (args: ExecutionArgs) => {
        const events = await createSourceEventStream(args);
        if (!(Symbol.asyncIterator in events)) return events;
        const answer = async (event: unknown) => {
          const result = maskResult(await execute({ ...args, rootValue: event }), { log, requestId });
          return eventResult(result, eventTextOf(event as SourceEvent));
        };
        return new PacedAnswers({ events: events[Symbol.asyncIterator](), answer, client, steps });
      });
    },
  };
}

function contextOf({ contextValue }: ExecutionArgs): RequestContext {
  return contextValue as RequestContext;
}
