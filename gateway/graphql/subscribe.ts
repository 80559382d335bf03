import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from "graphql";
import type { PublishedEvent } from "../../schema/feed/published-event.js";
import { eventResult } from "./event-result.js";

type Results = AsyncIterableIterator<ExecutionResult>;

/**
 * Runs a subscription. Its results share the bytes of their events.
 * @param mask brings the errors of a result into their public form
 * @returns the results, whose `return()` ends it at once; or why it cannot begin
 */
export async function subscribe(
  args: ExecutionArgs,
  mask: (result: ExecutionResult) => ExecutionResult,
): Promise<Results | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]() as AsyncIterator<PublishedEvent>;
  // No generator: its return() would wait for the next event.
  const results: Results = {
    next: async () => {
      const { value: event, done } = await events.next();
      if (done) return { value: undefined, done };
      const result = mask(await execute({ ...args, rootValue: event }));
      return { value: eventResult(result, event), done: false };
    },
    return: async () => {
      await events.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}
